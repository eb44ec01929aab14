"""The embedded narrator: no model, no server, the same text for the same messages and seed.

Not a pretend model. It is shown as rehearsal wherever it speaks, so that every part of the game works in the
first minute with nothing installed, and so that tests have a narrator they can rely on.
"""

import asyncio
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import ClassVar

from narrative.inference.base import (
    ChatRequest,
    Finished,
    GenerationOptions,
    ModelDescription,
    ModelInfo,
    ModelMissingError,
    StreamEvent,
    TextDelta,
    Usage,
)
from narrative.inference.rehearsing.reply import reply_to

MODEL_NAME = "rehearsal"
WORD = re.compile(r"\S+\s*")
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class RehearsalBackend:
    """Streams a word at a time, ``rate`` of them a second; 0 is at once."""

    api: ClassVar[str] = "rehearsal"
    rate: float

    async def stream_chat(self, request: ChatRequest) -> AsyncGenerator[StreamEvent, None]:
        _check_name(request.model)
        # In a thread: a long story takes it some tens of milliseconds, which others need not wait for.
        text = await asyncio.to_thread(
            reply_to, request.messages, seed=request.options.seed, is_constrained=request.schema is not None
        )
        words = WORD.findall(text)
        kept = words[: request.options.max_output_tokens]
        loop = asyncio.get_running_loop()
        started = loop.time()
        for count, word in enumerate(kept):
            # By the clock and not by naps: a busy machine does not slow the pace. Even at once, one may stop.
            due = started + count / self.rate if self.rate else 0.0
            await asyncio.sleep(max(0.0, due - loop.time()))
            yield TextDelta(word)
        read = sum(len(message.content) for message in request.messages) // CHARACTERS_PER_TOKEN
        usage = Usage(prompt_tokens=read, output_tokens=len(kept), output_seconds=loop.time() - started)
        yield Finished("stop" if kept == words else "length", usage)

    async def list_models(self) -> list[ModelInfo]:
        return [ModelInfo(MODEL_NAME)]

    async def describe_model(self, model: str) -> ModelDescription:
        _check_name(model)
        return ModelDescription(model, context_length=None, capabilities=frozenset({"completion"}))

    async def check_health(self) -> None:
        """Always well: there is nothing to be down."""

    async def list_loaded(self) -> dict[str, int | None]:
        return {MODEL_NAME: None}

    async def load_model(self, model: str, options: GenerationOptions) -> None:
        """There is nothing to load."""


def _check_name(model: str) -> None:
    if model != MODEL_NAME:
        raise ModelMissingError(f"The rehearsal narrator has one model only, “{MODEL_NAME}”. Choose that.")
