"""Reading the state and its history: documents at positions, events, proposals, comparisons."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Q

from campaigns.models import Branch, Campaign, Take, Turn
from campaigns.path import Path
from campaigns.selectors import get_turn, get_turn_at, told_takes
from narrative.models import Proposal, StateEvent
from narrative.state.diff import Difference, compare_states
from narrative.state.document import Document
from narrative.state_records import load_document

_STANDING = ("pk", "turn__branch_id", "turn__depth", "turn__live_take_id")


@dataclass(frozen=True, slots=True)
class StateAt:
    """The document of a turn's live take."""

    turn: Turn
    document: Document


@dataclass(frozen=True, slots=True)
class EventRow:
    """``turn`` is where it was told; it holds where the story is read if ``is_on_path``."""

    event: StateEvent
    turn: Turn
    is_on_path: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilter:
    """Events about one thing, or of one turn; None asks for all."""

    entity: str | None = None
    fact: str | None = None
    thread: str | None = None
    turn: int | None = None
    types: tuple[str, ...] | None = None
    is_on_path: bool = False


def read_state_at(campaign: Campaign, *, turn_id: int | None = None) -> StateAt:
    """The state at the head, or at a turn of any line. Raises NotFoundError."""
    if turn_id is None:
        turn = get_turn_at(campaign, campaign.head)
    else:
        turn = get_turn(campaign_id=campaign.pk, turn_id=turn_id)
    take = turn.live_take
    return StateAt(turn, load_document(take.state_version_id) if take is not None else Document())


def list_events(
    campaign: Campaign, wanted: EventFilter, *, before: int | None = None, limit: int | None = None
) -> list[EventRow]:
    """Events of all lines, newest first, beginning behind the id ``before``. The number of queries does not
    depend on how many there are."""
    events = StateEvent.objects.filter(campaign=campaign)
    if wanted.entity is not None:
        events = events.filter(Q(entity=wanted.entity) | Q(other=wanted.entity))
    if wanted.fact is not None:
        events = events.filter(fact=wanted.fact)
    if wanted.thread is not None:
        events = events.filter(thread=wanted.thread)
    if wanted.turn is not None:
        turn = get_turn(campaign_id=campaign.pk, turn_id=wanted.turn)
        takes = told_takes(turn.live_take) if turn.live_take is not None else []
        events = events.filter(proposal__take__in=takes)
    if wanted.types is not None:
        events = events.filter(type__in=wanted.types)
    path = Branch.objects.path_to(campaign.head)
    if wanted.is_on_path:
        events = events.filter(_made_state_on(path))
    if before is not None:
        events = events.filter(pk__lt=before)
    rows = list(events.select_related("proposal__take__turn").order_by("-pk")[:limit])
    told = _holding(path, {row.proposal.take_id for row in rows})
    return [EventRow(row, row.proposal.take.turn, row.proposal.take_id in told) for row in rows]


def list_proposals(
    campaign: Campaign, *, turn_id: int | None = None, before: int | None = None, limit: int | None = None
) -> list[Proposal]:
    """Proposals with their events, newest first; those of a turn are of all its takes, and of the takes that
    they were carried from. Three queries and a few."""
    proposals = Proposal.objects.filter(campaign=campaign)
    if turn_id is not None:
        turn = get_turn(campaign_id=campaign.pk, turn_id=turn_id)
        takes = [told for take in Take.objects.filter(turn=turn) for told in told_takes(take)]
        proposals = proposals.filter(take__in=takes)
    if before is not None:
        proposals = proposals.filter(pk__lt=before)
    rows = proposals.select_related("take__turn").prefetch_related("events").order_by("-pk")
    return list(rows[:limit])


def proposals_of(take: Take) -> list[Proposal]:
    """What was proposed for a take, and for those that it was carried from, oldest first."""
    rows = Proposal.objects.filter(take__in=told_takes(take)).prefetch_related("events")
    return list(rows.order_by("pk"))


def compare_turns(
    campaign: Campaign, *, from_id: int, to_id: int
) -> tuple[StateAt, StateAt, tuple[Difference, ...]]:
    """What holds at one turn and not at another, on whichever lines."""
    one, other = (read_state_at(campaign, turn_id=turn_id) for turn_id in (from_id, to_id))
    return one, other, compare_states(one.document, other.document)


def _made_state_on(path: Path) -> Q:
    """Proposals that made the state along a path: of the live takes, and of what they were carried from."""
    live = Turn.objects.on_path(path).order_by()
    carried = live.exclude(live_take__carried_from=None).values_list("live_take__carried_from_id", flat=True)
    waiting, takes = set(carried), set[int | None]()
    while waiting := waiting - takes:
        takes |= waiting
        above = Take.objects.filter(pk__in=[pk for pk in waiting if pk is not None])
        waiting = set(above.exclude(carried_from=None).values_list("carried_from_id", flat=True))
    return Q(proposal__take__in=live.values("live_take")) | Q(proposal__take__in=takes)


def _holding(path: Path, takes: Collection[int]) -> set[int]:
    """Those of the takes whose proposals hold on a path: live there, or carried to a take that is."""
    rows = Take.objects.filter(pk__in=takes).values_list(
        "pk", "turn__branch_id", "turn__depth", "turn__live_take_id"
    )
    holding = {pk for pk, branch, depth, live in rows if live == pk and path.branch_at(depth) == branch}
    # What was carried on: from a take of these to others, until none carries further.
    origin = {pk: pk for pk in set(takes) - holding}
    seen: set[int] = set()
    while origin:
        carried = Take.objects.filter(carried_from__in=origin).values_list("carried_from_id", *_STANDING)
        following: dict[int, int] = {}
        for carried_from, pk, branch, depth, live in carried:
            if live == pk and path.branch_at(depth) == branch:
                holding.add(origin[carried_from])
            elif pk not in seen:
                following[pk] = origin[carried_from]
                seen.add(pk)
        origin = following
    return holding
