"""Which stretch of the story is to be remembered or summed up next. Reads only.

What is due follows from the story and from the rows that are eligible where it is read. Nothing is queued,
so that whatever was cut short is due again.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from campaigns.models import Branch, Campaign, Turn
from campaigns.path import Position
from narrative.models import DerivedQuerySet, Memory, Summary
from narrative.prompt.window import PastTurn

# Turns that have to lie beyond a stretch: what can still be told anew is not remembered yet.
SETTLED = 2
# The story is worth a note when it has so many turns, the opening included.
FIRST_TURNS = 6
# How far back the newest row is looked for before the whole story is: the story's length costs nothing.
_REACHES = (64, None)


@dataclass(frozen=True, slots=True)
class ToldTurn:
    """A turn of a stretch, as its live take tells it."""

    take_id: int
    turn: PastTurn


@dataclass(frozen=True, slots=True)
class Stretch:
    """Turns that belong together, and the summary that they go on from."""

    anchor: Position
    told: tuple[ToldTurn, ...]
    before: Summary | None = None

    @property
    def first_depth(self) -> int:
        return self.told[0].turn.depth

    @property
    def takes(self) -> list[int]:
        return [each.take_id for each in self.told]


def due_memory(campaign: Campaign, *, interval: int) -> Stretch | None:
    """The oldest block of ``interval`` settled turns that no memory was written of. Forgotten ones count as
    written, so that they do not come back."""
    if campaign.head_depth + 1 < FIRST_TURNS:
        return None
    newest = deepest_eligible(Memory.objects.exclude(model=""), campaign.head)
    first = 0 if newest is None else newest.depth + 1
    last = first + interval - 1
    if last > campaign.head_depth - SETTLED:
        return None
    return _stretch(campaign, first, last)


def due_summary(
    campaign: Campaign, *, interval: int, fits: Callable[[list[PastTurn]], bool]
) -> Stretch | None:
    """The turns that a new rolling summary has to take in: at least ``interval`` settled ones since the last,
    and as many more as ``fits`` allows."""
    settled = campaign.head_depth - SETTLED
    rolling = Summary.objects.exclude(type=Summary.Type.TURN_RANGE)
    newest = deepest_eligible(rolling, campaign.head)
    if settled - (-1 if newest is None else newest.depth) < interval:
        return None
    # One that the player cleared has had its time, but nothing is built on it.
    before = newest
    if newest is not None and newest.is_cleared:
        before = deepest_eligible(rolling.filter(is_cleared=False), campaign.head)
    first = 0 if before is None else before.depth + 1
    last = min(settled, first + interval - 1)
    stretch = _stretch(campaign, first, last, before)
    while last < settled and fits([each.turn for each in stretch.told]):
        last = min(settled, last + interval)
        longer = _stretch(campaign, first, last, before)
        if not fits([each.turn for each in longer.told]):
            break
        stretch = longer
    return stretch


def stretch_of(campaign: Campaign, first: int, last: int, before: Summary | None = None) -> Stretch:
    """The turns on the path to the head between two depths, both included."""
    return _stretch(campaign, first, last, before)


def deepest_eligible(rows: DerivedQuerySet, end: Position) -> Any | None:
    """Of the rows that are eligible on the path to a position the deepest and, of those, the newest.

    Looks near the end first, where it almost always is.
    """
    for reach in _REACHES:
        floor = 0 if reach is None else max(0, end.depth - reach)
        path = Branch.objects.path_to(end, floor=floor)
        found = rows.eligible(path).order_by("-depth", "-pk").first()
        if found is not None or floor == 0:
            return found
    return None


def _stretch(campaign: Campaign, first: int, last: int, before: Summary | None = None) -> Stretch:
    told = tuple(_told(campaign.head, first, last))
    path = Branch.objects.path_to(Position(campaign.head.branch_id, last), floor=last)
    return Stretch(Position(path.branch_at(last) or campaign.head.branch_id, last), told, before)


def _told(end: Position, first: int, last: int) -> Iterator[ToldTurn]:
    path = Branch.objects.path_to(end, floor=first).between(first, last)
    rows = Turn.objects.on_path(path).order_by("depth")
    for depth, text, take, narration in rows.values_list(
        "depth", "input", "live_take_id", "live_take__narration"
    ):
        yield ToldTurn(take, PastTurn(depth, text, narration))
