"""The narrator behind any server that speaks OpenAI's chat API: llama.cpp, LM Studio, KoboldCpp, vLLM.

``min_p``, ``repeat_penalty`` and usage in the stream are extensions: local servers know or ignore them,
strict ones answer 400 and name the field, as some do where thinking is switched off. Then the request is
asked again in plainer form, which is allowed because no word of a reply has been produced: without the
extensions, and a schema as ``json_object``, then without that either. A refusal of the plainest form is the
turn's failure. ``temperature`` and ``top_p`` always go out: where they are missing, some servers put 1.0 over
the model's own values.

A reply is complete with both a ``finish_reason`` and ``[DONE]``; some servers lose an error in the middle of
a stream and just end it.
"""

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import ClassVar

from narrative.inference.base import (
    ChatRequest,
    Finished,
    FinishReason,
    GenerationOptions,
    ModelDescription,
    ModelInfo,
    ReasoningDelta,
    StreamEvent,
    Usage,
)
from narrative.inference.http import HttpClient, StatusError
from narrative.inference.policy import is_remote_model_name
from narrative.inference.reading import LineStream
from narrative.inference.reasoning import Piece, ReasoningSplitter
from narrative.inference.server_errors import (
    empty_reply,
    explain_status,
    explain_text,
    model_missing,
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

logger = logging.getLogger(__name__)

EXTENSIONS = ("stream_options", "min_p", "repeat_penalty")
FORMAT, EFFORT = "response_format", "reasoning_effort"
FORMAT_WORDS = (FORMAT, "json_schema", "json_object", "grammar")
# The effort that keeps a model from thinking; left unsaid, some servers let it think.
NO_EFFORT = "none"
MILLISECONDS = 1e3
HOW_TO_GET = "Load it in the model server."


@dataclass(frozen=True, slots=True)
class OpenAIBackend:
    api: ClassVar[str] = "openai"
    client: HttpClient

    async def stream_chat(self, request: ChatRequest) -> AsyncGenerator[StreamEvent, None]:
        if not request.model:
            raise await no_model_chosen(self)
        self.client.policy.check_model(request.model, is_remote=is_remote_model_name(request.model))
        reply = _Reply(request.model)
        try:
            async with self._opened(request) as stream, aclosing(stream.lines()) as lines:
                async for line in lines:
                    for piece in reply.read(line):
                        stream.token_arrived()
                        yield piece
                    if reply.is_done:
                        break
        except StatusError as error:
            raise explain_status(error, model=request.model, how_to_get=HOW_TO_GET) from error
        for piece in reply.rest():
            yield piece
        yield reply.finished()

    async def list_models(self) -> list[ModelInfo]:
        document = await self.client.call(self._path("/models"))
        names = [get_text(entry, "id") for entry in get_objects(document, "data")]
        return [ModelInfo(name, is_remote=is_remote_model_name(name)) for name in names if name]

    async def describe_model(self, model: str) -> ModelDescription:
        """Servers tell little: vLLM a ``max_model_len``, llama.cpp a trained length, others nothing."""
        document = await self.client.call(self._path("/models"))
        for entry in get_objects(document, "data"):
            if get_text(entry, "id") == model:
                trained = get_count(get_object(entry, "meta"), "n_ctx_train")
                return ModelDescription(model, get_count(entry, "max_model_len") or trained)
        raise model_missing(model, HOW_TO_GET)

    async def check_health(self) -> None:
        await self.client.call(self._path("/models"))

    async def list_loaded(self) -> dict[str, int | None] | None:
        """This API has no word for it."""
        return None

    async def load_model(self, model: str, options: GenerationOptions) -> None:
        """These servers load at their start or with the first request."""

    @asynccontextmanager
    async def _opened(self, request: ChatRequest) -> AsyncIterator[LineStream]:
        """The open reply; asked again in plainer form where the server refuses what it does not know."""
        path = self._path("/chat/completions")
        *forms, plainest = _forms(_payload(request))
        for form in forms:
            try:
                async with self.client.stream(path, form) as stream:
                    yield stream
                    return
            except StatusError as error:
                if error.status not in (400, 422) or not _is_optional(form, error.body):
                    raise
                logger.info("The model server refused optional fields; asking once more without them.")
        async with self.client.stream(path, plainest) as stream:
            yield stream

    def _path(self, name: str) -> str:
        return name if self.client.url.rstrip("/").endswith("/v1") else f"/v1{name}"


@dataclass(slots=True)
class _Reply:
    """What has been read of one reply."""

    model: str
    is_done: bool = False
    _reason: FinishReason | None = None
    _usage: Usage = field(default_factory=Usage)
    _splitter: ReasoningSplitter = field(default_factory=ReasoningSplitter)

    def read(self, line: str) -> list[Piece]:
        """The pieces in one line of the stream; comments and fields that carry no data have none."""
        name, _, data = line.partition(":")
        if line.startswith("{"):  # an error in place of a stream
            data = line
        elif name not in ("data", "error"):
            return []
        if data.strip() == "[DONE]":
            self.is_done = True
            return []
        document = parse_object(data)
        error = document.get("error", document if name == "error" else None)
        if error is not None:
            raise explain_text(error, model=self.model, how_to_get=HOW_TO_GET)
        if isinstance(document.get("usage"), dict):
            self._usage = _read_usage(document)
        return [
            piece for choice in get_objects(document, "choices")[:1] for piece in self._read_choice(choice)
        ]

    def rest(self) -> list[Piece]:
        return self._splitter.finish()

    def finished(self) -> Finished:
        """The last event; raises where the reply is not complete."""
        if self._reason is None or not self.is_done:
            raise unfinished_reply()
        if not self._splitter.has_text:
            raise empty_reply()
        return Finished(self._reason, self._usage)

    def _read_choice(self, choice: JsonObject) -> list[Piece]:
        delta = get_object(choice, "delta")
        pieces: list[Piece] = []
        if thinking := get_text(delta, "reasoning") or get_text(delta, "reasoning_content"):
            pieces.append(ReasoningDelta(thinking))
        pieces += self._splitter.feed(get_text(delta, "content"))
        if reason := get_text(choice, "finish_reason"):
            self._reason = "length" if reason == "length" else "stop"
        return pieces


def _forms(payload: JsonObject) -> list[JsonObject]:
    """``payload`` as it is, then ever plainer."""
    optional = _optional_names(payload)
    bare = {key: value for key, value in payload.items() if key not in optional}
    if FORMAT not in payload:
        return [payload, bare]
    return [payload, bare | {FORMAT: {"type": "json_object"}}, bare]


def _optional_names(payload: JsonObject) -> set[str]:
    """What a server may refuse without harm. A level of thinking that was asked for is no such thing."""
    is_effort_optional = payload.get(EFFORT) == NO_EFFORT
    return {*EXTENSIONS, FORMAT} | ({EFFORT} if is_effort_optional else set())


def _is_optional(payload: JsonObject, refusal: str) -> bool:
    """Whether a refusal names something of the payload that can be left out."""
    names = _optional_names(payload) & set(payload)
    words = names | (set(FORMAT_WORDS) if FORMAT in names else set())
    return any(word in refusal for word in words)


def _payload(request: ChatRequest) -> JsonObject:
    options = request.options
    payload: JsonObject = {
        "model": request.model,
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": options.reply_tokens,
        "temperature": options.temperature,
        "top_p": options.top_p,
        "min_p": options.min_p,
        "repeat_penalty": options.repeat_penalty,
    }
    if options.reasoning is not True:  # simply on has no word here
        payload[EFFORT] = options.reasoning or NO_EFFORT
    if request.schema is not None:
        payload[FORMAT] = {"type": "json_schema", "json_schema": {"name": "reply", "schema": request.schema}}
    if options.stop:
        payload["stop"] = list(options.stop)
    if options.seed is not None:
        payload["seed"] = options.seed
    return payload


def _read_usage(document: JsonObject) -> Usage:
    usage, timings = get_object(document, "usage"), get_object(document, "timings")

    def seconds(key: str) -> float | None:
        value = get_number(timings, key)
        return None if value is None else value / MILLISECONDS

    return Usage(
        prompt_tokens=get_count(usage, "prompt_tokens"),
        output_tokens=get_count(usage, "completion_tokens"),
        prompt_seconds=seconds("prompt_ms"),
        output_seconds=seconds("predicted_ms"),
    )
