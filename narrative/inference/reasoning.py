"""Tells a model's thinking from its narration while the reply streams in. Pure; knows no server.

A ``<think>``, ``<thinking>`` or ``<reasoning>`` tag opens reasoning where a line begins with it (the start of
the reply included); elsewhere it is part of the prose, as every other angle bracket is. Reasoning that is
never closed lasts to the end. The white space around a block goes with it.

A closing tag that nothing opened comes from models whose template opens the tag in the prompt. Knowing that
what was said before it had been reasoning would take holding back the whole reply, which is felt at every
turn of every model; so the tag is dropped, and what was already shown stays.

The result depends on the text alone, never on where it was cut into chunks: at most an unfinished tag, or
white space that may belong to one, is held back.
"""

import re

from narrative.inference.base import ReasoningDelta, TextDelta

NAMES = ("think", "thinking", "reasoning")
OPENING = tuple(f"<{name}>" for name in NAMES)
CLOSING = tuple(f"</{name}>" for name in NAMES)
# A tag, or what may become one at the end. Found by one search: a flood of other brackets costs nothing.
STARTS = "|".join(sorted({name[:length] for name in NAMES for length in range(len(name) + 1)}))
TAG = re.compile(rf"</?(?:(?:{'|'.join(NAMES)})>|(?:{STARTS})\Z)", re.IGNORECASE | re.ASCII)

Piece = TextDelta | ReasoningDelta


class ReasoningSplitter:
    """Feed it the chunks in order, then ``finish`` once.

    ``has_text`` tells whether any narration came out.
    """

    def __init__(self) -> None:
        self.has_text = False
        self._pending = ""
        self._is_reasoning = False
        self._at_line_start = True
        self._drops_space = False
        self._has_started = False

    def feed(self, chunk: str) -> list[Piece]:
        self._pending += chunk
        pieces: list[Piece] = []
        while self._step(pieces):
            pass
        return pieces

    def finish(self) -> list[Piece]:
        """What was held back for a tag that never came."""
        pieces: list[Piece] = []
        if not self._drops_space:
            self._emit(self._pending, pieces)
        elif self._pending.strip():
            self._emit(self._pending.lstrip(), pieces)
        self._pending = ""
        return pieces

    def _step(self, pieces: list[Piece]) -> bool:
        """Take a stretch without tags, or a tag, off the pending text. False when it must wait for more."""
        if not self._is_reasoning and not self._skip_space():
            return False
        found = TAG.search(self._pending)
        if not found:
            self._emit(self._pending, pieces)
            self._pending = ""
            return False
        before, tag = self._pending[: found.start()], found[0].lower()
        if before.strip() or self._has_started or self._is_reasoning:
            self._emit(before, pieces)
            self._pending, before = self._pending[found.start() :], ""
        expected = self._expected_tags()
        if tag in expected:
            self._pending = self._pending[len(before) + len(tag) :]
            self._pass_tag(tag)
        elif any(whole.startswith(tag) for whole in expected):
            return False
        else:
            self._emit(before + found[0], pieces)
            self._pending = self._pending[len(before) + len(tag) :]
        return bool(self._pending)

    def _skip_space(self) -> bool:
        """Deal with white space that goes with a block. False where it is not yet known whether it does."""
        if self._drops_space:
            self._pending = self._pending.lstrip()
        elif self._has_started:
            return bool(self._pending)
        return bool(self._pending.strip())

    def _expected_tags(self) -> tuple[str, ...]:
        opens = not self._is_reasoning and self._at_line_start
        return OPENING + CLOSING if opens else CLOSING

    def _pass_tag(self, tag: str) -> None:
        is_stray = tag in CLOSING and not self._is_reasoning
        self._is_reasoning = tag in OPENING
        self._drops_space = not (is_stray and self.has_text)
        self._at_line_start = self._has_started = True

    def _emit(self, text: str, pieces: list[Piece]) -> None:
        if not text:
            return
        if self._is_reasoning:
            pieces.append(ReasoningDelta(text))
            return
        self._drops_space = False
        self._has_started = True
        self.has_text = self.has_text or not text.isspace()
        line = text.rpartition("\n")[2]
        self._at_line_start = not line.strip() and ("\n" in text or self._at_line_start)
        pieces.append(TextDelta(text))
