"""How the narrator is: built in, connected, loading, gone, and what to do about it.

Looking asks the model server, which may take seconds; nothing waits for it but whoever wants to know. What
was seen last is kept for a few seconds, so that many open pages are one look.
"""

import time
from dataclasses import dataclass, replace
from enum import StrEnum

from narrative.engine import EngineSettings
from narrative.inference.base import (
    Backend,
    BadResponseError,
    InferenceError,
    ModelInfo,
    RefusedByPolicyError,
)
from narrative.inference.ollama import OllamaBackend, is_same_model
from narrative.inference.openai import OpenAIBackend
from narrative.inference.rehearsal import RehearsalBackend
from narrative.inference.roles import Connection, build_backend, serve_role
from narrative.warming import is_loaded, is_loading

_FRESH_SECONDS = 4.0


class State(StrEnum):
    REHEARSAL = "rehearsal"  # the embedded narrator; models that a server offers come with it
    UNKNOWN = "unknown"  # nobody has looked yet
    CONNECTED = "connected"
    NOT_LOADED = "not_loaded"  # the next turn begins with loading the model
    LOADING = "loading"
    NO_MODEL = "no_model"
    MODEL_MISSING = "model_missing"
    REFUSED = "refused"  # by the policy: the address, its certificate, or a model that runs elsewhere
    GONE = "gone"  # nothing answers, or nothing that makes sense


@dataclass(frozen=True, slots=True, kw_only=True)
class NarratorStatus:
    """``api`` and ``model`` are who narrates; ``offers`` are models of the server that could, by
    ``offered_api``.

    ``detail`` says what is wrong or what to expect, as a sentence for a person; empty where all is well.
    """

    api: str
    model: str
    state: State
    detail: str = ""
    offers: tuple[ModelInfo, ...] = ()
    offered_api: str = ""
    # Of the model; None where the server does not tell.
    context_length: int | None = None


@dataclass(frozen=True, slots=True)
class _Seen:
    at: float
    status: NarratorStatus


_seen: dict[tuple[object, ...], _Seen] = {}


def last_status(engine: EngineSettings) -> NarratorStatus:
    """What was seen last, without asking anybody."""
    seen = _seen.get(_key(engine))
    if seen is not None:
        return seen.status
    connection = engine.connection
    served = serve_role(connection)
    is_rehearsal = served.backend.api == RehearsalBackend.api
    return NarratorStatus(
        api=served.backend.api,
        model=served.model,
        state=State.REHEARSAL if is_rehearsal else State.UNKNOWN if served.model else State.NO_MODEL,
    )


async def look_at_narrator(engine: EngineSettings) -> NarratorStatus:
    """How the narrator is now, at most a few seconds old."""
    key = _key(engine)
    seen = _seen.get(key)
    if seen is not None and time.monotonic() - seen.at < _FRESH_SECONDS:
        return seen.status
    status = await _look(engine)
    _seen[key] = _Seen(time.monotonic(), status)
    return status


async def list_offers(engine: EngineSettings) -> tuple[str, list[ModelInfo]]:
    """The API that the configured server speaks, and its models. Raises InferenceError where it cannot be
    asked."""
    connection = engine.connection
    if connection.api != "auto":
        return connection.api, await build_backend(connection, connection.api).list_models()
    try:
        return OllamaBackend.api, await build_backend(connection, OllamaBackend.api).list_models()
    except BadResponseError:  # somebody answers, and it is not Ollama
        return OpenAIBackend.api, await build_backend(connection, OpenAIBackend.api).list_models()


def forget_status() -> None:
    """Settings were changed: what was seen may hold no more."""
    _seen.clear()


def forget_trouble() -> None:
    """A turn was told: what was wrong when somebody looked is over."""
    for key in [key for key, seen in _seen.items() if seen.status.state != State.CONNECTED]:
        del _seen[key]


async def _look(engine: EngineSettings) -> NarratorStatus:
    connection = engine.connection
    served = serve_role(connection)
    status = NarratorStatus(api=served.backend.api, model=served.model, state=State.CONNECTED)
    if status.api == RehearsalBackend.api:
        return await _offers(engine, replace(status, state=State.REHEARSAL))
    try:
        models = await served.backend.list_models()
        status = replace(status, offers=tuple(models), offered_api=status.api)
        if not served.model:
            return replace(status, state=State.NO_MODEL, detail="No model is chosen yet.")
        return await _judge_model(connection, served.backend, engine, status)
    except RefusedByPolicyError as error:
        return replace(status, state=State.REFUSED, detail=error.message)
    except InferenceError as error:
        return replace(status, state=State.GONE, detail=error.message)


async def _offers(engine: EngineSettings, status: NarratorStatus) -> NarratorStatus:
    """The embedded narrator where it was not asked for: what the configured address has instead."""
    if engine.inference_api != "auto":
        return status
    try:
        api, models = await list_offers(engine)
    except InferenceError:
        return status
    return replace(status, offers=tuple(models), offered_api=api)


async def _judge_model(
    connection: Connection, backend: Backend, engine: EngineSettings, status: NarratorStatus
) -> NarratorStatus:
    listed = next((info for info in status.offers if is_same_model(info.name, status.model)), None)
    if listed is None and status.api == OllamaBackend.api:
        return replace(
            status,
            state=State.MODEL_MISSING,
            detail=f"The server has no model “{status.model}”. Get it with: ollama pull {status.model}, or "
            "choose another.",
        )
    connection.policy.check_model(status.model, is_remote=listed is not None and listed.is_remote)
    if listed is not None:
        length = (await backend.describe_model(status.model)).context_length
        status = replace(status, context_length=length, detail=_window_warning(engine, length))
    loaded = await backend.list_loaded()
    if loaded is None or is_loaded(loaded, engine, status.model, status.context_length):
        return status
    if is_loading(engine):
        return replace(status, state=State.LOADING)
    return replace(status, state=State.NOT_LOADED)


def _window_warning(engine: EngineSettings, length: int | None) -> str:
    if length is None or length >= engine.context_window:
        return ""
    return (
        f"The context window is set to {engine.context_window:,} tokens, but the model was made for "
        f"{length:,}. Set it to {length:,} or less."
    )


def _key(engine: EngineSettings) -> tuple[object, ...]:
    return (engine.inference_api, engine.inference_url, engine.model, engine.context_window)
