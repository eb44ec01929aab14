"""Which back end and model narrate, by the operator's settings.

Building one opens no socket and checks nothing.
"""

from django.conf import settings

from narrative.inference.base import Backend
from narrative.inference.http import HttpClient, Timeouts
from narrative.inference.ollama import OllamaBackend
from narrative.inference.openai import OpenAIBackend
from narrative.inference.rehearsal import MODEL_NAME, RehearsalBackend


def narrator_backend(*, api: str | None = None, model: str | None = None) -> tuple[Backend, str]:
    """The narrator's back end and its model; ``api`` and ``model`` override what the operator chose.

    "auto" is rehearsal until a model is chosen and Ollama from then on, whether it answers or not: a chosen
    model is never silently replaced. A server without a chosen model raises ``ModelMissingError`` once it is
    used.
    """
    model = model or str(settings.INFERENCE_MODEL)
    chosen: str = api or settings.INFERENCE_API
    if chosen == "auto":
        chosen = "ollama" if model else "rehearsal"
    if chosen == "rehearsal":
        return RehearsalBackend(rate=settings.REHEARSAL_RATE), MODEL_NAME
    if chosen == "openai":
        return OpenAIBackend(_client()), model
    if chosen == "ollama":
        return OllamaBackend(_client()), model
    raise ValueError(f"There is no inference API named {chosen!r}.")


def _client() -> HttpClient:
    return HttpClient(
        url=settings.INFERENCE_URL,
        key=settings.INFERENCE_KEY,
        timeouts=Timeouts(
            first_token=float(settings.FIRST_TOKEN_TIMEOUT), between_tokens=float(settings.TOKEN_TIMEOUT)
        ),
    )
