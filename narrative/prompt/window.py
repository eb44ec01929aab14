"""Which past turns a prompt holds: the newest that fit, oldest first. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from knowledge.tokens import count_tokens

# What a chat template spends on the frame of one message (role, delimiters), and once on the reply's head.
MESSAGE_OVERHEAD = 4
PROMPT_OVERHEAD = 3
# Kept free beside the reply: servers count a little differently.
MARGIN = 64

_SENTENCE_END = re.compile(r"(?<=[.!?…”\"])\s+")


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A turn as it is replayed: plain input, plain narration."""

    depth: int
    input: str
    narration: str

    @property
    def tokens(self) -> int:
        return count_tokens(self.input) + count_tokens(self.narration) + 2 * MESSAGE_OVERHEAD


@dataclass(frozen=True, slots=True)
class HistoryWindow:
    turns: tuple[PastTurn, ...]
    spent: int


def fill_window(newest_first: Iterable[PastTurn], *, budget: int) -> HistoryWindow:
    """Take turns from the newest on while they fit ``budget`` tokens, and stop reading there.

    The newest turn is always there; one that is larger than the budget keeps its end, from a sentence on.
    """
    kept: list[PastTurn] = []
    spent = 0
    for turn in newest_first:
        if spent + turn.tokens > budget:
            if not kept:
                kept, spent = _only_its_end(turn, budget)
            break
        kept.append(turn)
        spent += turn.tokens
    return HistoryWindow(tuple(reversed(kept)), spent)


def keep_end(text: str, *, budget: int) -> str:
    """The last whole sentences that fit ``budget`` tokens, or nothing."""
    kept = ""
    for sentence in reversed(_SENTENCE_END.split(text)):
        longer = f"{sentence} {kept}".strip()
        if count_tokens(longer) > budget:
            break
        kept = longer
    return kept


def _only_its_end(turn: PastTurn, budget: int) -> tuple[list[PastTurn], int]:
    left = budget - count_tokens(turn.input) - 2 * MESSAGE_OVERHEAD
    narration = keep_end(turn.narration, budget=left)
    if not narration:
        return [], 0
    shortened = PastTurn(turn.depth, turn.input, narration)
    return [shortened], shortened.tokens
