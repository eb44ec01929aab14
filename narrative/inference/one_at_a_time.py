"""One request at a time to a model, the player's turn first.

A server that runs on a player's machine serves one request at a time anyway, and queues the others in
silence: a summary that got in first would hold up the turn. Here the line forms before the server, where it
has an order. It is one line for each address and model, in this process.
"""

import asyncio
import heapq
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from narrative.inference.base import (
    Backend,
    ChatRequest,
    GenerationOptions,
    ModelDescription,
    ModelInfo,
    Priority,
    StreamEvent,
)


@dataclass(slots=True)
class Line:
    """Who waits for a model. Of those that wait, the lowest priority is next, then the earliest."""

    is_taken: bool = False
    _waiting: list[tuple[Priority, int, asyncio.Future[None]]] = field(default_factory=list)
    _came: int = 0

    @asynccontextmanager
    async def turn(self, priority: Priority) -> AsyncIterator[None]:
        await self._take(priority)
        try:
            yield
        finally:
            self._pass_on()

    async def _take(self, priority: Priority) -> None:
        if not self.is_taken:
            self.is_taken = True
            return
        ready = asyncio.get_running_loop().create_future()
        self._came += 1
        heapq.heappush(self._waiting, (priority, self._came, ready))
        try:
            await ready
        except asyncio.CancelledError:
            if ready.done() and not ready.cancelled():  # it was given the turn and left at the same moment
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        while self._waiting:
            *_, ready = heapq.heappop(self._waiting)
            if not ready.done():
                ready.set_result(None)
                return
        self.is_taken = False


# A future belongs to one event loop, so that each has lines of its own.
_lines: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str], Line]] = WeakKeyDictionary()


def line_of(address: str, model: str) -> Line:
    lines = _lines.setdefault(asyncio.get_running_loop(), {})
    return lines.setdefault((address, model), Line())


@dataclass(frozen=True, slots=True)
class OneAtATime:
    """A back end whose models at ``address`` answer one request after the other."""

    backend: Backend
    address: str

    @property
    def api(self) -> str:
        return self.backend.api

    async def stream_chat(self, request: ChatRequest) -> AsyncGenerator[StreamEvent, None]:
        async with (
            line_of(self.address, request.model).turn(request.priority),
            aclosing(self.backend.stream_chat(request)) as events,
        ):
            async for event in events:
                yield event

    async def load_model(self, model: str, options: GenerationOptions) -> None:
        async with line_of(self.address, model).turn(Priority.BACKGROUND):
            await self.backend.load_model(model, options)

    async def list_models(self) -> list[ModelInfo]:
        return await self.backend.list_models()

    async def list_loaded(self) -> dict[str, int | None] | None:
        return await self.backend.list_loaded()

    async def describe_model(self, model: str) -> ModelDescription:
        return await self.backend.describe_model(model)

    async def check_health(self) -> None:
        await self.backend.check_health()
