"""What a model server's refusals mean, whichever API it speaks.

The server's words decide where its status does not.
"""

import json
import re

from narrative.inference.base import (
    Backend,
    BadResponseError,
    ContextExceededError,
    InferenceError,
    ModelMissingError,
    OverloadedError,
)
from narrative.inference.http import StatusError
from narrative.inference.server_json import JsonObject, is_object

CONTEXT_WORDS = re.compile(
    r"exceed\w*[^.]{0,60}context|context[ _](?:length|size|window)|prompt is too long|input length exceeds",
    re.IGNORECASE,
)
OVERLOAD_WORDS = re.compile(
    r"server busy|maximum pending requests|overloaded|no slot available", re.IGNORECASE
)
MISSING_WORDS = re.compile(
    r"model\b.{0,200}\b(?:not found|does not exist|not loaded)", re.IGNORECASE | re.DOTALL
)
# What Ollama answers where a model knows no thinking, or not this level; what others call the field.
THINKING_WORDS = re.compile(
    r"not support thinking|think value\b.*not supported|reasoning_effort", re.IGNORECASE
)
# What Ollama answers where a model makes embeddings and nothing else.
CHAT_WORDS = re.compile(r"does not support (?:chat|generate)", re.IGNORECASE)
LISTED_MODELS = 12
SHOWN_LENGTH = 300


def explain_status(error: StatusError, *, model: str, how_to_get: str) -> InferenceError:
    """The typed error for an error status."""
    text = error_text(error.body)
    if error.status == 404 and ("page not found" in text or not text):
        return BadResponseError(
            "The server does not know this API. Choose the one that it speaks on the settings page, or with "
            "STORYTELLER_INFERENCE_API (ollama or openai)."
        )
    if error.status == 404:
        return model_missing(model, how_to_get)
    if error.status in (429, 503):
        return _overloaded()
    if error.status in (401, 403):
        return BadResponseError(
            "The model server refused this request. If it wants a key, set STORYTELLER_INFERENCE_KEY; an "
            "Ollama that is addressed by a name refuses too: write 127.0.0.1 as its address."
        )
    return explain_text(text, model=model, how_to_get=how_to_get)


def explain_text(error: object, *, model: str, how_to_get: str) -> InferenceError:
    """The typed error for an error, text or object, that came inside a stream under status 200."""
    text = error_text(error if isinstance(error, str) else json.dumps(error))
    shown = " ".join(text.split())[:SHOWN_LENGTH].rstrip(".") or "no explanation"
    return _known_words(text, model=model, how_to_get=how_to_get) or BadResponseError(
        f"The model server answered with an error: {shown}. "
        "Try again; if it happens again, look at the server's own log."
    )


def error_text(body: str) -> str:
    """The sentence in an error body.

    Servers nest them: an object, a string, or a JSON document inside the string.
    """
    text = body.strip()
    for _ in range(4):
        document = _parse(text)
        if document is None:
            break
        inner = document.get("error", document.get("message"))
        text = inner if isinstance(inner, str) else json.dumps(inner if inner is not None else "")
    return text.strip().strip('"')


def model_missing(model: str, how_to_get: str) -> ModelMissingError:
    return ModelMissingError(
        f"The model server has no model “{model}”. {how_to_get} Or choose one that it has on the settings "
        "page (or with STORYTELLER_MODEL)."
    )


async def no_model_chosen(backend: Backend) -> ModelMissingError:
    """What to say when nothing was chosen, with what there is to choose from if the server tells."""
    try:
        names = [model.name for model in await backend.list_models() if not model.is_remote]
    except InferenceError:
        names = []
    known = f" The server has: {', '.join(names[:LISTED_MODELS])}." if names else ""
    return ModelMissingError(
        f"No model is chosen. Choose one on the settings page, or name one in STORYTELLER_MODEL.{known}"
    )


def empty_reply() -> BadResponseError:
    return BadResponseError(
        "The model ended without writing a word. Try again; a model that thinks first may need room for a "
        "longer reply (on the settings page, or STORYTELLER_MAX_OUTPUT_TOKENS)."
    )


def unfinished_reply() -> BadResponseError:
    return BadResponseError(
        "The model server stopped in the middle of the reply. Try again; if it happens again, look at the "
        "server's own log."
    )


def prompt_too_long() -> ContextExceededError:
    return ContextExceededError(
        "The prompt is longer than the model's context window. Set the window to what the model and the "
        "server really have (on the settings page, or STORYTELLER_CONTEXT_WINDOW), or choose a model with a "
        "longer one."
    )


def _known_words(text: str, *, model: str, how_to_get: str) -> InferenceError | None:
    if CONTEXT_WORDS.search(text):
        return prompt_too_long()
    if THINKING_WORDS.search(text):
        return _cannot_think(model)
    if CHAT_WORDS.search(text):
        return BadResponseError(
            f"The model “{model}” makes embeddings and cannot tell a story. Choose another on the settings "
            "page."
        )
    if OVERLOAD_WORDS.search(text):
        return _overloaded()
    if MISSING_WORDS.search(text):
        return model_missing(model, how_to_get)
    return None


def _cannot_think(model: str) -> BadResponseError:
    return BadResponseError(
        f"The model “{model}” cannot think before it writes, or not at the level that is asked for. Set "
        "“reasoning” to false or to another level on the settings page, or choose a model that can think."
    )


def _overloaded() -> OverloadedError:
    return OverloadedError("The model server has too much to do. Wait a little and try again.")


def _parse(text: str) -> JsonObject | None:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if is_object(value) else None
