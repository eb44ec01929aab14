"""What of a running turn may be seen, and following it as frames.

A follower keeps its own place in the text. However slow it is, it slows nobody, and what it missed comes with
its next frame; nothing is queued and nothing is dropped.
"""

import asyncio
from collections.abc import AsyncGenerator

from narrative.protocol import Final, TurnDelta, TurnFrame, TurnReasoning, TurnSettling


class Relay:
    """The text of one submission as far as it is stored, and its end."""

    def __init__(self, request_id: int) -> None:
        self.request_id = request_id
        self.text = ""
        self.reasoning = ""
        self.final: Final | None = None
        self._is_settling = False
        self._news = asyncio.Event()

    def show(self, *, text: str, reasoning: str) -> None:
        self.text, self.reasoning = text, reasoning
        self._tell()

    def settle(self) -> None:
        """The narration is complete; its turn is being committed."""
        self._is_settling = True
        self._tell()

    def end(self, final: Final) -> None:
        """The first end counts."""
        self.final = self.final or final
        self._tell()

    async def wait(self) -> Final:
        while self.final is None:
            await self._news.wait()
        return self.final

    async def follow(self, *, shown: int = 0, reasoned: int = 0) -> AsyncGenerator[TurnFrame, None]:
        """Frames from these places in text and reasoning on, until the final one."""
        told_settling = False
        while True:
            news = self._news
            if len(self.reasoning) > reasoned:
                fresh, reasoned = self.reasoning[reasoned:], len(self.reasoning)
                yield TurnReasoning(request=self.request_id, text=fresh)
            if len(self.text) > shown:
                fresh, shown = self.text[shown:], len(self.text)
                yield TurnDelta(request=self.request_id, text=fresh)
            if self._is_settling and not told_settling:
                told_settling = True
                yield TurnSettling(request=self.request_id)
            if news is not self._news:
                continue  # something came while the frames went out
            if self.final is not None:
                yield self.final
                return
            await news.wait()

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()
