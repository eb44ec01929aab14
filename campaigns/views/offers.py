"""What can be done at a place of the map: go there, name it, and what becomes of its branch."""

from dataclasses import dataclass

from django.http import HttpRequest

from campaigns.errors import NotFoundError
from campaigns.models import Campaign, Turn
from campaigns.path import Position
from campaigns.selectors import NamedPlace, get_turn_at, narration_of
from campaigns.texts import shorten
from campaigns.views.answers import read_number
from campaigns.views.branch_lines import BranchLine
from campaigns.views.maps import place_key

_EXCERPT = 220


@dataclass(frozen=True, slots=True)
class Offer:
    """A chosen place, with what stands there."""

    turn: Turn
    line: BranchLine
    is_head: bool
    named: list[str]
    forks: list[BranchLine]
    is_renaming: bool
    is_deleting: bool

    @property
    def position(self) -> Position:
        return self.turn.position

    @property
    def key(self) -> str:
        return place_key(self.turn.branch_id, self.turn.depth)

    @property
    def is_tip(self) -> bool:
        return self.line.row.tip_depth == self.turn.depth

    @property
    def excerpt(self) -> str:
        return shorten(narration_of(self.turn), _EXCERPT)


def read_place(request: HttpRequest) -> Position | None:
    """The place that ``?at=branch.depth`` asks about, as it was asked."""
    branch, _, depth = request.GET.get("at", "").partition(".")
    ids = read_number(branch), read_number(depth)
    return None if ids[0] is None or ids[1] is None else Position(ids[0], ids[1])


def read_offer(
    request: HttpRequest,
    campaign: Campaign,
    place: Position | None,
    lines: list[BranchLine],
    named: list[NamedPlace],
) -> Offer | None:
    """What is offered at a place; nothing where there is no such place, or not any more. Four queries."""
    if place is None:
        return None
    try:
        turn, at_head = get_turn_at(campaign, place), get_turn_at(campaign, campaign.head)
    except NotFoundError:
        return None
    return Offer(
        turn=turn,
        line=next(line for line in lines if line.row.branch.pk == turn.branch_id),
        is_head=turn.pk == at_head.pk,
        named=[place.name for place in named if place.position == turn.position],
        forks=[line for line in lines if _leaves_at(line, turn)],
        is_renaming="rename" in request.GET,
        is_deleting="delete" in request.GET,
    )


def _leaves_at(line: BranchLine, turn: Turn) -> bool:
    branch = line.row.branch
    return (branch.parent_id, branch.fork_depth) == (turn.branch_id, turn.depth)
