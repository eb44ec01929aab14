"""Loading a model while the player still reads, so that the first turn need not wait for it."""

import asyncio
import contextvars
import logging
import time
from collections.abc import Mapping

from narrative.engine import EngineSettings
from narrative.inference.base import InferenceError
from narrative.inference.ollama import OllamaBackend, is_same_model
from narrative.inference.roles import serve_role

_log = logging.getLogger(__name__)

# A model that would not load is not asked for again with every page that is opened.
_PAUSE_SECONDS = 30.0

_Key = tuple[str, str, int]
_loading: dict[_Key, asyncio.Task[None]] = {}
_begun: dict[_Key, float] = {}


def begin_warming(engine: EngineSettings) -> None:
    """See to it that the narrator's model is loaded, in the background. Does nothing where there is none."""
    served = serve_role(engine.connection)
    key = _key(engine)
    is_recent = time.monotonic() - _begun.get(key, float("-inf")) < _PAUSE_SECONDS
    if served.backend.api != OllamaBackend.api or not served.model or key in _loading or is_recent:
        return
    _begun[key] = time.monotonic()
    # A context of its own: it outlives the request or socket that asked for it.
    task = asyncio.create_task(_warm(engine), context=contextvars.Context())
    _loading[key] = task
    task.add_done_callback(lambda _: _loading.pop(key, None))


def is_loading(engine: EngineSettings) -> bool:
    return _key(engine) in _loading


def forget_warming() -> None:
    """The pause is over: what would not load may do so under other settings."""
    _begun.clear()


def is_loaded(
    loaded: Mapping[str, int | None], engine: EngineSettings, model: str, length: int | None
) -> bool:
    """Whether a model is loaded as a turn will ask for it: loaded with another window it is loaded again. No
    model has a longer one than the ``length`` it was made for."""
    window = min(engine.context_window, length or engine.context_window)
    return any(is_same_model(name, model) and size in (None, window) for name, size in loaded.items())


async def _warm(engine: EngineSettings) -> None:
    served = serve_role(engine.connection)
    try:
        length = (await served.backend.describe_model(served.model)).context_length
        loaded = await served.backend.list_loaded() or {}
        if is_loaded(loaded, engine, served.model, length):
            return
        await served.backend.load_model(served.model, engine.options)
    except InferenceError as error:
        _log.info("The model could not be loaded ahead of the first turn: %s", error.message)


def _key(engine: EngineSettings) -> _Key:
    return (engine.inference_url, engine.model, engine.context_window)
