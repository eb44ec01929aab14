"""The narrator behind Ollama's native API, the only one of its two that can set the context window.

Sent with every call, because leaving it out is a trap: ``stream`` and ``think`` (on by default for thinking
models), ``num_ctx`` (the default is small, and the start of a longer prompt is dropped without a word),
``num_predict`` (unbounded by default), and the sampling values (their defaults changed between versions).

``truncate: false`` makes a prompt that is too long an error instead of a loss; ``shift: false`` ends a reply
at the window's edge instead of pushing the narrator's rules out of it. Changing ``num_ctx`` or ``shift``
between calls reloads the model, so every call of this project to a model sends the same. Servers from before
0.12.6 ignore both switches, which is why the number of tokens read is compared with the caller's estimate as
well.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import ClassVar

from narrative.inference.base import (
    BadResponseError,
    ChatRequest,
    ContextExceededError,
    Finished,
    GenerationOptions,
    ModelDescription,
    ModelInfo,
    ReasoningDelta,
    StreamEvent,
    Usage,
)
from narrative.inference.http import HttpClient, StatusError
from narrative.inference.policy import is_remote_model_name
from narrative.inference.reasoning import Piece, ReasoningSplitter
from narrative.inference.server_errors import (
    empty_reply,
    explain_status,
    explain_text,
    no_model_chosen,
    unfinished_reply,
)
from narrative.inference.server_json import (
    JsonObject,
    get_count,
    get_number,
    get_object,
    get_objects,
    get_text,
    parse_object,
)

NANOSECONDS = 1e9
# Both must hold before a prompt counts as cut: estimates are wrong by a fifth, and short prompts by more.
CUT_SHARE = 0.6
CUT_TOKENS = 200


@dataclass(frozen=True, slots=True)
class OllamaBackend:
    api: ClassVar[str] = "ollama"
    client: HttpClient

    async def stream_chat(self, request: ChatRequest) -> AsyncGenerator[StreamEvent, None]:
        if not request.model:
            raise await no_model_chosen(self)
        # Asked before the story is sent: a name alone does not tell that a model runs elsewhere.
        capabilities = _capabilities(await self._show(request.model))
        # A model that cannot think answers with an error where it is asked to.
        is_thinker = not capabilities or "thinking" in capabilities
        reply = _Reply(request)
        try:
            async with (
                self.client.stream("/api/chat", _payload(request, is_thinker=is_thinker)) as stream,
                aclosing(stream.lines()) as lines,
            ):
                async for line in lines:
                    for piece in reply.read(line):
                        stream.token_arrived()
                        yield piece
                    if reply.is_done:
                        break
        except StatusError as error:
            raise explain_status(error, model=request.model, how_to_get=_how_to_get(request.model)) from error
        yield reply.finished()

    async def list_models(self) -> list[ModelInfo]:
        document = await self.client.call("/api/tags")
        return [
            ModelInfo(name, is_remote=_is_remote(name, entry))
            for entry in get_objects(document, "models")
            if (name := get_text(entry, "name"))
        ]

    async def describe_model(self, model: str) -> ModelDescription:
        document = await self._show(model)
        info = get_object(document, "model_info")
        lengths = [get_count(info, key) for key in info if key.endswith(".context_length")]
        return ModelDescription(
            name=model,
            context_length=next((length for length in lengths if length), None),
            capabilities=_capabilities(document),
        )

    async def check_health(self) -> None:
        document = await self.client.call("/api/version")
        if not get_text(document, "version"):
            raise BadResponseError(
                "What answers at this address is not Ollama. Choose the API it speaks on the settings page, "
                "or with STORYTELLER_INFERENCE_API."
            )

    async def list_loaded(self) -> dict[str, int | None]:
        document = await self.client.call("/api/ps")
        return {
            name: get_count(entry, "context_length")
            for entry in get_objects(document, "models")
            if (name := get_text(entry, "name"))
        }

    async def load_model(self, model: str, options: GenerationOptions) -> None:
        """A chat without messages loads the model. It has to be asked for the window that the turns ask for:
        another one would load it again."""
        await self._show(model)
        payload: JsonObject = {
            "model": model,
            "stream": True,
            "shift": False,
            "keep_alive": _keep_alive(options.keep_alive),
            "options": {"num_ctx": options.context_window},
        }
        try:
            async with self.client.stream("/api/chat", payload) as stream, aclosing(stream.lines()) as lines:
                async for line in lines:
                    if line.strip() and (error := parse_object(line).get("error")) is not None:
                        raise explain_text(error, model=model, how_to_get=_how_to_get(model))
        except StatusError as error:
            raise explain_status(error, model=model, how_to_get=_how_to_get(model)) from error

    async def _show(self, model: str) -> JsonObject:
        """What the server knows of ``model``; refuses one that runs on another machine."""
        policy = self.client.policy
        policy.check_model(model, is_remote=is_remote_model_name(model))
        try:
            document = await self.client.call("/api/show", {"model": model})
        except StatusError as error:
            raise explain_status(error, model=model, how_to_get=_how_to_get(model)) from error
        policy.check_model(model, is_remote=_is_remote(model, document))
        return document


@dataclass(slots=True)
class _Reply:
    """What has been read of one reply."""

    request: ChatRequest
    is_done: bool = False
    _last: JsonObject = field(default_factory=dict)
    _splitter: ReasoningSplitter = field(default_factory=ReasoningSplitter)

    def read(self, line: str) -> list[Piece]:
        """The pieces in one line of the stream.

        Raises where the line is an error, which may come under status 200.
        """
        if not line.strip():
            return []
        document = parse_object(line)
        error = document.get("error")
        if error is not None:
            model = self.request.model
            raise explain_text(error, model=model, how_to_get=_how_to_get(model))
        message = get_object(document, "message")
        thinking = get_text(message, "thinking")
        pieces: list[Piece] = [ReasoningDelta(thinking)] if thinking else []
        pieces += self._splitter.feed(get_text(message, "content"))
        if document.get("done") is True:
            self.is_done, self._last = True, document
            pieces += self._splitter.finish()
        return pieces

    def finished(self) -> Finished:
        """The last event; raises where the reply is not complete, or not an answer to the whole prompt."""
        if not self.is_done:
            raise unfinished_reply()
        _check_reading(self._last, self.request)
        if not self._splitter.has_text:
            raise empty_reply()
        return Finished("length" if self._last.get("done_reason") == "length" else "stop", _usage(self._last))


def _payload(request: ChatRequest, *, is_thinker: bool) -> JsonObject:
    options = request.options
    sampling: JsonObject = {
        "num_ctx": options.context_window,
        "num_predict": options.reply_tokens,
        "temperature": options.temperature,
        "top_p": options.top_p,
        "min_p": options.min_p,
        "repeat_penalty": options.repeat_penalty,
        "stop": list(options.stop),
    }
    if options.seed is not None:
        sampling["seed"] = options.seed
    payload: JsonObject = {
        "model": request.model,
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
        "stream": True,
        "think": options.reasoning if is_thinker else False,
        "truncate": False,
        "shift": False,
        "keep_alive": _keep_alive(options.keep_alive),
        "options": sampling,
    }
    if request.schema is not None:
        payload["format"] = request.schema
    if request.leaves_thinking_unsaid:
        del payload["think"]
    return payload


def _keep_alive(setting: str) -> str | int | float:
    """A bare number goes as a number: Ollama takes "10m", and answers "300" or "-1" as text with an error."""
    for number in (int, float):
        with suppress(ValueError):
            return number(setting)
    return setting


def _check_reading(document: JsonObject, request: ChatRequest) -> None:
    """Raise where the server read far less than was sent: it dropped the start, and the rules with it."""
    read, sent = get_count(document, "prompt_eval_count"), request.estimated_prompt_tokens
    if read is None or sent is None or read >= sent * CUT_SHARE or sent - read < CUT_TOKENS:
        return
    raise ContextExceededError(
        f"The model server read only {read} of about {sent} tokens and dropped the rest of the prompt. "
        "Give it a longer context window, or set the window that it has on the settings page (or with "
        "STORYTELLER_CONTEXT_WINDOW)."
    )


def _capabilities(document: JsonObject) -> frozenset[str]:
    """What a model can do; empty where the server is too old to say."""
    capabilities = document.get("capabilities")
    return frozenset(map(str, capabilities)) if isinstance(capabilities, list) else frozenset()


def _usage(document: JsonObject) -> Usage:
    def seconds(key: str) -> float | None:
        value = get_number(document, key)
        return None if value is None else value / NANOSECONDS

    return Usage(
        prompt_tokens=get_count(document, "prompt_eval_count"),
        output_tokens=get_count(document, "eval_count"),
        prompt_seconds=seconds("prompt_eval_duration"),
        output_seconds=seconds("eval_duration"),
        load_seconds=seconds("load_duration"),
    )


def is_same_model(name: str, other: str) -> bool:
    """A name without a tag means the one that is tagged latest."""
    return name.removesuffix(":latest") == other.removesuffix(":latest")


def _is_remote(name: str, entry: JsonObject) -> bool:
    return is_remote_model_name(name) or bool(entry.get("remote_host") or entry.get("remote_model"))


def _how_to_get(model: str) -> str:
    return f"Get it with: ollama pull {model}."
