"""Which past turns a prompt holds, oldest first. Pure.

Servers keep the work they did for the beginning of a prompt as long as it stays the same. So the window does
not move with every turn: it grows at its end, and when it outgrows its budget it slides at once to about two
thirds of it. Where it began is remembered by the record of the turn before.
"""

import bisect
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, islice

from knowledge.tokens import count_tokens
from narrative.prompt.counting import Count

# What a chat template spends on the frame of one message (role, delimiters), and once on the reply's head.
MESSAGE_OVERHEAD = 4
PROMPT_OVERHEAD = 3
# Kept free beside the reply: servers count a little differently.
MARGIN = 64

# So many of the newest turns a prompt never goes without.
_ALWAYS = 2
# How much of its budget a window holds at least, older turns permitting, and up to where it is filled again
# when there is less: in between it stays as it is.
_LEAST = 2 / 3
_REFILL = 5 / 6

_SENTENCE_END = re.compile(r"(?<=[.!?…”\"])\s+")


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A turn as it is replayed: plain input, plain narration."""

    depth: int
    input: str
    narration: str

    def cost(self, count: Count) -> int:
        return count(self.input) + count(self.narration) + 2 * MESSAGE_OVERHEAD


@dataclass(frozen=True, slots=True)
class HistoryWindow:
    turns: tuple[PastTurn, ...]
    spent: int

    @property
    def start(self) -> int | None:
        """The depth of its first turn; None where it is empty."""
        return self.turns[0].depth if self.turns else None


def fill_window(
    newest_first: Iterable[PastTurn], *, budget: int, start: int | None = None, count: Count = count_tokens
) -> HistoryWindow:
    """The turns from depth ``start`` on within ``budget`` tokens; without a start, all that fit.

    Where they do not fit, the newest that make up two thirds of the budget; where they are fewer than that,
    older ones are taken in. The newest two are always there, and where they are too large they keep their
    ends, from a sentence on. Reads no further than it needs.
    """
    turns = iter(newest_first)
    kept = list(islice(turns, _ALWAYS))
    costs = [turn.cost(count) for turn in kept]
    if sum(costs) > budget:
        kept = _cut(kept, budget, count)
        return HistoryWindow(tuple(reversed(kept)), sum(turn.cost(count) for turn in kept))
    first, is_refilling = start or 0, False
    for turn in turns:
        spent, cost = sum(costs), turn.cost(count)
        is_enough = spent >= _LEAST * budget
        if turn.depth >= first and spent + cost > budget:
            kept, costs = _slide(kept, costs, budget)
            break
        if turn.depth < first:
            is_refilling = is_refilling or not is_enough
            if not is_refilling or spent + cost > (_REFILL * budget if is_enough else budget):
                break
        kept.append(turn)
        costs.append(cost)
    return HistoryWindow(tuple(reversed(kept)), sum(costs))


def keep_end(text: str, *, budget: int, count: Count = count_tokens) -> str:
    """The last whole sentences that fit ``budget`` tokens; where not even one fits, the last words."""
    sentences = _SENTENCE_END.split(text)
    return _longest_end(sentences, budget, count) or _longest_end(text.split(), budget, count)


def _longest_end(parts: list[str], budget: int, count: Count) -> str:
    # A longer end never has fewer tokens, give or take one at the seam, so halving finds the longest.
    lengths = range(len(parts) + 1)
    length = bisect.bisect_right(lengths, budget, key=lambda n: count(_end(parts, n))) - 1
    while length > 0 and count(_end(parts, length)) > budget:
        length -= 1
    return _end(parts, max(0, length))


def _end(parts: list[str], length: int) -> str:
    return " ".join(parts[len(parts) - length :]).strip()


def _slide(newest_first: list[PastTurn], costs: list[int], budget: int) -> tuple[list[PastTurn], list[int]]:
    """The newest turns that make up at least two thirds of the budget, and their costs."""
    sums = list(accumulate(costs))
    length = max(_ALWAYS, bisect.bisect_left(sums, _LEAST * budget) + 1)
    return newest_first[:length], costs[:length]


def _cut(newest_first: list[PastTurn], budget: int, count: Count) -> list[PastTurn]:
    """The same turns with what fits of their ends. The newest one gets what the others leave it, and at least
    two thirds."""
    newest, *others = newest_first
    kept: list[PastTurn] = []
    left = budget - min(sum(turn.cost(count) for turn in others), budget // 3)
    for turn in (newest, *others):
        cut = _cut_turn(turn, left, count)
        if cut is None:  # never an older one without the newer
            break
        kept.append(cut)
        left = budget - sum(each.cost(count) for each in kept)
    return kept


def _cut_turn(turn: PastTurn, budget: int, count: Count) -> PastTurn | None:
    """The turn within ``budget`` tokens: its narration shortened first, its input only if it must be."""
    if turn.cost(count) <= budget:
        return turn
    room = budget - 2 * MESSAGE_OVERHEAD
    is_long = count(turn.input) > room // 2
    said = keep_end(turn.input, budget=room // 2, count=count) if is_long else turn.input
    told = keep_end(turn.narration, budget=room - count(said), count=count)
    return PastTurn(turn.depth, said, told) if said and told else None
