"""The embedded narrator, as a check shows it: what it is, and what there is beside it."""

from contextlib import suppress

from narrative.checkup.lines import Finding, Status
from narrative.checkup.subject import Subject, name_some
from narrative.inference.base import InferenceError
from narrative.inference.ollama import OllamaBackend
from narrative.inference.openai import OpenAIBackend

_THE_WAY = (
    "To have a model narrate, start a model server on this machine (for Ollama: ollama serve) and choose its "
    "address and model on the settings page."
)


async def look_for_another_narrator(subject: Subject) -> Finding:
    """Where nothing was decided, the configured address is asked; nothing else is."""
    if subject.connection.api != "auto":
        return Finding(
            Status.SKIPPED, "No model server is set up: the rehearsal narrator is chosen.", _THE_WAY
        )
    for api in (OllamaBackend.api, OpenAIBackend.api):
        with suppress(InferenceError):
            names = [each.name for each in await subject.backend_for(api).list_models() if not each.is_remote]
            has = f"has {name_some(names)}, but none is chosen" if names else "has no model yet"
            return Finding(
                Status.WARNING,
                f"A model server answers at {subject.endpoint.url}. It {has}, so the rehearsal narrator "
                "tells the stories.",
                f"Choose its API, {api}, and a model on the settings page."
                if names
                else "Get a model, for instance with: ollama pull, and choose it on the settings page.",
            )
    return Finding(
        Status.SKIPPED,
        f"No model server is set up, and none answers at {subject.engine.inference_url}.",
        _THE_WAY,
    )


async def introduce_rehearsal(subject: Subject) -> Finding:
    return Finding(
        Status.OK,
        "The rehearsal narrator tells the stories. It is built in and no model: it puts sentences together "
        "from what you write, so that every part of the game can be tried.",
    )
