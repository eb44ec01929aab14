"""Which past turns a prompt holds: the newest that fit, oldest first. Pure."""

import bisect
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from knowledge.tokens import count_tokens

# What a chat template spends on the frame of one message (role, delimiters), and once on the reply's head.
MESSAGE_OVERHEAD = 4
PROMPT_OVERHEAD = 3
# Kept free beside the reply: servers count a little differently.
MARGIN = 64

# So many of the newest turns a prompt never goes without.
_ALWAYS = 2

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

    The newest two are always there; where they are too large they keep their ends, from a sentence on.
    """
    turns = iter(newest_first)
    kept = list(islice(turns, _ALWAYS))
    spent = sum(turn.tokens for turn in kept)
    if spent > budget:
        kept = _cut(kept, budget)
        return HistoryWindow(tuple(reversed(kept)), sum(turn.tokens for turn in kept))
    for turn in turns:
        if spent + turn.tokens > budget:
            break
        kept.append(turn)
        spent += turn.tokens
    return HistoryWindow(tuple(reversed(kept)), spent)


def keep_end(text: str, *, budget: int) -> str:
    """The last whole sentences that fit ``budget`` tokens; where not even one fits, the last words."""
    return _longest_end(_SENTENCE_END.split(text), budget) or _longest_end(text.split(), budget)


def _longest_end(parts: list[str], budget: int) -> str:
    # A longer end never has fewer tokens, give or take one at the seam, so halving finds the longest.
    lengths = range(len(parts) + 1)
    length = bisect.bisect_right(lengths, budget, key=lambda n: count_tokens(_end(parts, n))) - 1
    while length > 0 and count_tokens(_end(parts, length)) > budget:
        length -= 1
    return _end(parts, max(0, length))


def _end(parts: list[str], length: int) -> str:
    return " ".join(parts[len(parts) - length :]).strip()


def _cut(newest_first: list[PastTurn], budget: int) -> list[PastTurn]:
    """The same turns with what fits of their ends. The newest one gets what the others leave it, and at least
    two thirds."""
    newest, *others = newest_first
    left = budget - min(sum(turn.tokens for turn in others), budget // 3)
    cut = _cut_turn(newest, left)
    kept = [] if cut is None else [cut]
    for turn in others:
        cut = _cut_turn(turn, budget - sum(turn.tokens for turn in kept))
        kept += [] if cut is None else [cut]
    return kept


def _cut_turn(turn: PastTurn, budget: int) -> PastTurn | None:
    """The turn within ``budget`` tokens: its narration shortened first, its input only if it must be."""
    if turn.tokens <= budget:
        return turn
    room = budget - 2 * MESSAGE_OVERHEAD
    said = keep_end(turn.input, budget=room // 2) if count_tokens(turn.input) > room // 2 else turn.input
    told = keep_end(turn.narration, budget=room - count_tokens(said))
    return PastTurn(turn.depth, said, told) if said and told else None
