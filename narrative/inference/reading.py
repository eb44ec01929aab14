"""Reading a server's answer within bounds: how much, and after what silence. Knows no HTTP."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

from narrative.inference.base import BadResponseError, TimedOutError

LINE_LIMIT = 1024 * 1024
BODY_LIMIT = 8 * 1024 * 1024


class Patience:
    """The silence still granted.

    Only time spent waiting counts, so a slow reader of the stream costs nothing.
    """

    def __init__(self, first: float, later: float) -> None:
        self._left = first
        self._later = later

    def renew(self) -> None:
        self._left = self._later

    @asynccontextmanager
    async def waiting(self) -> AsyncIterator[None]:
        started = time.monotonic()
        try:
            async with asyncio.timeout(self._left):
                yield
        except TimeoutError:
            raise TimedOutError(
                "The model server took too long to answer. It may still be loading the model: try again, or "
                "raise STORYTELLER_FIRST_TOKEN_TIMEOUT or STORYTELLER_TOKEN_TIMEOUT."
            ) from None
        finally:
            self._left -= time.monotonic() - started


class LineStream:
    """The lines of a streamed answer, as they arrive.

    Call ``token_arrived`` for each line that moved the reply on: until the first, the long first-token
    timeout runs, afterwards the short one. Empty lines and keep-alive comments renew nothing.
    """

    def __init__(self, source: AsyncGenerator[bytes, None], patience: Patience) -> None:
        self._source = source
        self._patience = patience

    def token_arrived(self) -> None:
        self._patience.renew()

    async def lines(self) -> AsyncGenerator[str, None]:
        """Yield each line without its end, the unfinished last one too.

        Raises ``BadResponseError`` past a limit.
        """
        pending = bytearray()
        async with aclosing(_read_chunks(self._source, self._patience)) as chunks:
            async for chunk in chunks:
                pending += chunk
                if b"\n" in chunk:
                    *complete, pending = pending.split(b"\n")
                    for line in complete:
                        yield decode(line)
                if len(pending) > LINE_LIMIT:
                    raise _too_much()
        if pending:
            yield decode(pending)


async def read_body(source: AsyncGenerator[bytes, None], patience: Patience) -> bytes:
    """The whole of a body that is not streamed. Raises ``BadResponseError`` past the limit."""
    async with aclosing(_read_chunks(source, patience)) as chunks:
        return b"".join([chunk async for chunk in chunks])


def decode(line: bytes | bytearray) -> str:
    try:
        return line.decode().removesuffix("\r")
    except UnicodeDecodeError:
        raise BadResponseError(
            "The model server sent bytes that are not UTF-8 text. Try again; if it happens again, "
            "check that STORYTELLER_INFERENCE_URL points at a model server."
        ) from None


async def _read_chunks(
    source: AsyncGenerator[bytes, None], patience: Patience
) -> AsyncGenerator[bytes, None]:
    total = 0
    async with aclosing(source):
        while True:
            async with patience.waiting():
                chunk = await anext(source, None)
            if chunk is None:
                return
            total += len(chunk)
            if total > BODY_LIMIT:
                raise _too_much()
            yield chunk


def _too_much() -> BadResponseError:
    return BadResponseError("The model server sent far more than a reply can hold. Try again.")
