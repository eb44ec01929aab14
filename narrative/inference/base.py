"""What every narrator back end does: the protocol, its typed events and its typed errors.

A back end turns chat messages into a stream of events. It knows nothing of campaigns, turns or databases.
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, ClassVar, Literal, Protocol

Role = Literal["system", "user", "assistant"]
FinishReason = Literal["stop", "length"]
# Whether a model may think before it writes, and how hard where it has levels.
Reasoning = bool | Literal["low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class GenerationOptions:
    """How a model is asked to write. ``None`` leaves a value to the server, where it has a good one."""

    context_window: int
    max_output_tokens: int
    reasoning: Reasoning = False
    # What thinking may take, beside ``max_output_tokens``.
    reasoning_tokens: int = 1000
    temperature: float = 0.8
    top_p: float = 0.95
    min_p: float = 0.05
    repeat_penalty: float = 1.05
    seed: int | None = None
    stop: tuple[str, ...] = ()
    keep_alive: str = "30m"

    @property
    def reply_tokens(self) -> int:
        """All that a reply may take of the window: its words, and the thinking before them."""
        return self.max_output_tokens + (self.reasoning_tokens if self.reasoning else 0)


class Priority(IntEnum):
    """Who is served first where a model takes one request at a time: the lower."""

    PLAYER = 0
    BACKGROUND = 1


@dataclass(frozen=True, slots=True)
class ChatRequest:
    model: str
    messages: tuple[Message, ...]
    options: GenerationOptions
    priority: Priority = Priority.PLAYER
    # A JSON Schema that the reply has to follow. A server may do it badly or not at all: validate the reply.
    schema: dict[str, Any] | None = None
    # Some versions of Ollama let "think" get in the way of a schema; asked once more, it is left out.
    leaves_thinking_unsaid: bool = False
    # What the caller counted; a server that read far less has cut the prompt without a word.
    estimated_prompt_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts and durations in seconds as the server reported them; ``None`` where it did not."""

    prompt_tokens: int | None = None
    output_tokens: int | None = None
    prompt_seconds: float | None = None
    output_seconds: float | None = None
    load_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """The last event of every stream that ended as it should."""

    reason: FinishReason
    usage: Usage = field(default_factory=Usage)


StreamEvent = TextDelta | ReasoningDelta | Finished


@dataclass(frozen=True, slots=True)
class ModelInfo:
    name: str
    is_remote: bool = False


@dataclass(frozen=True, slots=True)
class ModelDescription:
    name: str
    context_length: int | None
    capabilities: frozenset[str] = frozenset()


class Backend(Protocol):
    """One way to reach a model. Building one opens no connection."""

    @property
    def api(self) -> str: ...

    def stream_chat(self, request: ChatRequest) -> AsyncGenerator[StreamEvent, None]:
        """Yield deltas as they arrive, then exactly one ``Finished``.

        Raises an ``InferenceError`` where the stream cannot start or does not end properly. Closing the
        generator closes the connection to the server at once.
        """
        ...

    async def list_models(self) -> list[ModelInfo]: ...

    async def describe_model(self, model: str) -> ModelDescription: ...

    async def check_health(self) -> None:
        """Return when the server answers; raise the ``InferenceError`` that says why it does not."""
        ...

    async def list_loaded(self) -> dict[str, int | None] | None:
        """The models that are in memory, each with its context window where the server tells it; None where
        the server does not say."""
        ...

    async def load_model(self, model: str, options: GenerationOptions) -> None:
        """Have ``model`` loaded as a request with ``options`` would, without asking it anything; nothing
        where the server has no such thing."""
        ...


class InferenceError(Exception):
    """A model could not answer. ``code`` is the typed reason; the message tells the player what to do."""

    code: ClassVar[str] = "bad_response"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UnreachableError(InferenceError):
    code = "unreachable"


class RefusedByPolicyError(InferenceError):
    code = "refused_by_policy"


class ModelMissingError(InferenceError):
    code = "model_missing"


class ContextExceededError(InferenceError):
    code = "context_exceeded"


class BadResponseError(InferenceError):
    code = "bad_response"


class TimedOutError(InferenceError):
    code = "timed_out"


class OverloadedError(InferenceError):
    code = "overloaded"
