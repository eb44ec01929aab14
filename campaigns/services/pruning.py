"""Tidying departed lines: the one delete in bulk.

What may go: the turns of a branch that are deeper than its departure, and every branch that forks from such a
turn, directly or not. Of these stays what something needs, with the whole path that leads to it:

- the head, and with it all that Redo can reach: the path to the tip of the branch being read
- a branch that the player keeps or has archived, to its tip
- a Save Point, to the place that it names
- words that found no place in the story yet, to the tip of the branch that they were written on
- the campaign's first opening, which every other line hangs from

A branch that is left without a turn goes as well. A departure that nothing lies beyond any more is taken off
its branch: what the player may write there later was not departed from.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.expressions import RawSQL
from django.db.models.functions import Greatest

from campaigns.errors import NotFoundError
from campaigns.models import Branch, Campaign, SavePoint, Take, Turn, TurnRequest
from campaigns.models.tree import tip_depth_of
from campaigns.services.state_versions import delete_unneeded_states
from campaigns.services.story_write import story_write

_WAITING = (*TurnRequest.RUNNING, *TurnRequest.RECOVERABLE)


@dataclass(frozen=True, slots=True)
class PrunedLine:
    """What goes of a branch: its last ``turns`` turns, from depth ``first`` on."""

    branch_id: int
    name: str
    first: int
    turns: int
    is_whole: bool


@dataclass(frozen=True, slots=True)
class PassedOver:
    """Turns of a branch that were departed from and stay, and what needs them."""

    branch_id: int
    name: str
    reason: str
    turns: int


@dataclass(frozen=True, slots=True)
class Pruning:
    turns: int
    takes: int
    branches: int
    lines: tuple[PrunedLine, ...]
    passed_over: tuple[PassedOver, ...]


@dataclass(frozen=True, slots=True)
class _Need:
    """How deep a branch is needed, and what for."""

    depth: int
    reason: str


@dataclass(frozen=True, slots=True)
class _Cut:
    """A branch with the first depth that was departed from, and the last one that stays."""

    branch: Branch
    departed_from: int
    last: int
    reason: str

    @property
    def is_whole(self) -> bool:
        return self.last < self.branch.first_depth and self.branch.parent_id is not None


def prune_departed(*, campaign_id: int, dry_run: bool) -> Pruning:
    """Delete the departed turns that nothing needs, for good. A dry run answers the same and writes nothing.

    Raises TurnInFlightError while a turn is being told, but not for a dry run.
    """
    if not Campaign.objects.filter(pk=campaign_id).exists():
        raise NotFoundError("There is no such campaign.")
    if dry_run:
        return _describe(_plan(campaign_id))
    with story_write(campaign_id=campaign_id, reason="delete") as campaign:
        cuts = _plan(campaign_id)
        pruning = _describe(cuts)
        _delete(campaign, cuts)
        return pruning


def _plan(campaign_id: int) -> list[_Cut]:
    """A cut for every branch that was departed from, or hangs from where its parent was."""
    branches = list(
        Branch.objects.filter(campaign_id=campaign_id).annotate(**{"tip": tip_depth_of("pk")}).order_by("pk")  # noqa: PIE804 - mypy takes the annotation for a second field
    )
    needs = _needs(branches, _needed_places(campaign_id, branches))
    departed_from: dict[int, int] = {}
    cuts = []
    for branch in branches:
        first = _departed_from(branch, departed_from)
        if first is None:
            continue
        departed_from[branch.pk] = first
        need = needs.get(branch.pk, _Need(-1, ""))
        last = min(branch.tip or 0, max(first - 1, need.depth))
        cuts.append(_Cut(branch, first, last, need.reason))
    return cuts


def _departed_from(branch: Branch, above: dict[int, int]) -> int | None:
    """The depth of the first own turn that was departed from, if any was."""
    parent, fork = branch.parent_id, branch.fork_depth
    if parent in above and fork is not None and fork >= above[parent]:
        return branch.first_depth
    if branch.departed_depth is None:
        return None
    return max(branch.first_depth, branch.departed_depth + 1)


def _needed_places(campaign_id: int, branches: Iterable[Branch]) -> dict[int, list[_Need]]:
    """What is needed for its own sake, by branch; of two needs of one depth the first is told."""
    places: defaultdict[int, list[_Need]] = defaultdict(list)
    active = Campaign.objects.values_list("active_branch", flat=True).get(pk=campaign_id)
    waiting = set(
        TurnRequest.objects.filter(campaign_id=campaign_id, status__in=_WAITING).values_list(
            "branch_id", flat=True
        )
    )
    for branch in branches:
        tip = branch.tip or 0
        if branch.pk == active:
            places[branch.pk].append(_Need(tip, "The story is being read there, or Redo leads there."))
        if branch.is_kept:
            places[branch.pk].append(_Need(tip, f"“{branch.name}” is kept."))
        if branch.is_archived:
            places[branch.pk].append(_Need(tip, f"“{branch.name}” is archived."))
        if branch.pk in waiting:
            reason = f"Words that were not told to the end wait on “{branch.name}”."
            places[branch.pk].append(_Need(tip, reason))
        if branch.parent_id is None:
            places[branch.pk].append(_Need(0, "The first opening always stays."))
    named = SavePoint.objects.filter(campaign_id=campaign_id).values_list("branch_id", "depth", "name")
    for branch_id, depth, name in named.order_by("pk"):
        places[branch_id].append(_Need(depth, f"The Save Point “{name}” names a place there."))
    return places


def _needs(branches: list[Branch], places: dict[int, list[_Need]]) -> dict[int, _Need]:
    """The deepest need of each branch, those of its descendants included."""
    needs: dict[int, _Need] = {}
    # A branch is younger than its parent: from the youngest on, every need is whole when it is passed up.
    for branch in reversed(branches):
        own = places.get(branch.pk, [])
        if not own:
            continue
        need = needs[branch.pk] = max(own, key=lambda need: need.depth)
        if branch.parent_id is not None and branch.fork_depth is not None:
            places.setdefault(branch.parent_id, []).append(_Need(branch.fork_depth, need.reason))
    return needs


def _describe(cuts: list[_Cut]) -> Pruning:
    lines = [
        PrunedLine(
            branch_id=cut.branch.pk,
            name=cut.branch.name,
            first=cut.last + 1,
            turns=max(0, cut.branch.tip - cut.last),
            is_whole=cut.is_whole,
        )
        for cut in cuts
        if cut.last < cut.branch.tip or cut.is_whole
    ]
    turn_ids = _turn_ids(cuts)
    return Pruning(
        turns=len(turn_ids),
        takes=Take.objects.filter(turn__in=_listed(turn_ids)).count(),
        branches=sum(line.is_whole for line in lines),
        lines=tuple(lines),
        passed_over=tuple(
            PassedOver(cut.branch.pk, cut.branch.name, cut.reason, cut.last - cut.departed_from + 1)
            for cut in cuts
            if cut.last >= cut.departed_from
        ),
    )


def _delete(campaign: Campaign, cuts: list[_Cut]) -> None:
    turns = _listed(_turn_ids(cuts))
    branches = _listed([cut.branch.pk for cut in cuts if cut.is_whole])
    _spare_requests(campaign, turns, branches)
    # Submissions refer to turns and branches in several ways; taken first, they hold nothing back.
    lost = Q(branch__in=branches) | Q(turn__in=turns) | Q(replaces__in=turns)
    TurnRequest.objects.filter(lost, campaign=campaign).delete()
    Turn.objects.filter(pk__in=turns).delete()
    Branch.objects.filter(pk__in=branches).delete()
    delete_unneeded_states(campaign_id=campaign.pk)
    ended = [cut.branch.pk for cut in cuts if cut.last < cut.departed_from]
    Branch.objects.filter(pk__in=_listed(ended)).update(departed_depth=None, departed_at=None)


def _turn_ids(cuts: list[_Cut]) -> list[int]:
    stays_to = {cut.branch.pk: cut.last for cut in cuts}
    owned = Turn.objects.filter(branch__in=_listed(list(stays_to))).order_by("pk")
    return [
        pk for pk, branch, depth in owned.values_list("pk", "branch_id", "depth") if depth > stays_to[branch]
    ]


def _listed(ids: list[int]) -> RawSQL:
    """Ids as one parameter: SQLite takes no more than so many."""
    return RawSQL("SELECT value FROM json_each(%s)", [json.dumps(ids)])


def _spare_requests(campaign: Campaign, turns: RawSQL, branches: RawSQL) -> None:
    """Keep the submissions that became turns which stay, and with them what was recorded of their telling.

    Those made on a branch that goes, or to tell a turn that goes in other words, are said to have been made
    where their turn hangs on: the same place in the story, on the line that is left.
    """
    became = Turn.objects.filter(pk=OuterRef("turn"))
    spared = TurnRequest.objects.filter(campaign=campaign, turn__isnull=False).exclude(turn__in=turns)
    spared.filter(Q(branch__in=branches) | Q(replaces__in=turns)).update(
        branch_id=Subquery(became.values("branch")),
        depth=Subquery(became.annotate(before=Greatest(F("depth") - 1, 0)).values("before")),
        replaces=None,
    )
