"""Branches as lists and the map show them, with what deleting one would take along."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count

from campaigns.models import Campaign, TurnRequest
from campaigns.selectors import BranchRow, NamedPlace, list_branches

# How far a branch is set in for what it descends from, at most. Words say the rest.
_DEEPEST = 5


@dataclass(frozen=True, slots=True)
class BranchLine:
    """A branch in the list, with what deleting it would take along."""

    row: BranchRow
    parent_name: str
    own_turns: int
    lost_turns: int
    lost_branches: int
    lost_requests: int

    @property
    def can_be_deleted(self) -> bool:
        """Whether it is offered: never for the first branch and what is being read."""
        return self.row.branch.parent_id is not None and not self.row.is_on_path and not self.row.is_active


@dataclass(frozen=True, slots=True)
class OutlineRow:
    line: BranchLine
    level: int
    named: list[NamedPlace]

    @property
    def tip_key(self) -> str:
        """The place at the branch's end."""
        return f"{self.line.row.branch.pk}.{self.line.row.tip_depth}"


@dataclass(frozen=True, slots=True)
class OutlinePart:
    """Rows that follow one another; those that are nested further than can be shown are folded away."""

    rows: list[OutlineRow]
    is_deep: bool


def read_branch_lines(campaign: Campaign) -> list[BranchLine]:
    """Every branch, oldest first. Four queries."""
    rows = list_branches(campaign)
    waiting = _waiting_on(campaign)
    names = {row.branch.pk: row.branch.name for row in rows}
    own = {row.branch.pk: max(0, row.tip_depth - row.branch.first_depth + 1) for row in rows}
    turns, branches = dict(own), dict.fromkeys(own, 1)
    requests = {branch_id: waiting.get(branch_id, 0) for branch_id in own}
    # A branch is younger than its parent: from the youngest on, each count is whole when it is passed up.
    for row in reversed(rows):
        parent = row.branch.parent_id
        if parent is not None:
            turns[parent] += turns[row.branch.pk]
            branches[parent] += branches[row.branch.pk]
            requests[parent] += requests[row.branch.pk]
    return [
        BranchLine(
            row=row,
            parent_name=names.get(row.branch.parent_id or 0, ""),
            own_turns=own[row.branch.pk],
            lost_turns=turns[row.branch.pk],
            lost_branches=branches[row.branch.pk],
            lost_requests=requests[row.branch.pk],
        )
        for row in rows
    ]


def short_list(lines: list[BranchLine], *, most: int, asked_for: int | None) -> list[BranchLine]:
    """The branch being read, the one asked for, the nearest of its path, and the newest ones."""
    newest = list(reversed(lines))
    ranked = [
        *(line for line in newest if line.row.is_active),
        *(line for line in newest if line.row.branch.pk == asked_for),
        *[line for line in newest if line.row.is_on_path][: most // 4],
        *newest,
    ]
    first_of_each = {line.row.branch.pk: line for line in ranked}
    return list(first_of_each.values())[:most]


def outline(lines: list[BranchLine], named: list[NamedPlace]) -> list[OutlinePart]:
    """Every branch below the one that it forks from, in the order in which branches leave it."""
    parts: list[OutlinePart] = []
    on_branch: defaultdict[int, list[NamedPlace]] = defaultdict(list)
    for place in named:
        on_branch[place.position.branch_id].append(place)
    for line, level in _nested(lines):
        is_deep = level > _DEEPEST
        if not parts or parts[-1].is_deep != is_deep:
            parts.append(OutlinePart([], is_deep))
        row = OutlineRow(line, min(level, _DEEPEST), on_branch.get(line.row.branch.pk, []))
        parts[-1].rows.append(row)
    return parts


def _nested(lines: list[BranchLine]) -> Iterator[tuple[BranchLine, int]]:
    children: dict[int | None, list[BranchLine]] = {}
    for line in lines:
        children.setdefault(line.row.branch.parent_id, []).append(line)
    waiting = [(line, 0) for line in children.get(None, [])]
    while waiting:
        line, level = waiting.pop()
        yield line, level
        below = children.get(line.row.branch.pk, [])
        ordered = sorted(below, key=lambda below: (below.row.branch.first_depth, below.row.branch.pk))
        waiting += [(child, level + 1) for child in reversed(ordered)]


def _waiting_on(campaign: Campaign) -> dict[int, int]:
    """How many submissions that did not become a turn wait on each branch."""
    lost = TurnRequest.objects.filter(branch__campaign=campaign, status__in=TurnRequest.RECOVERABLE)
    return dict(lost.values_list("branch_id").annotate(count=Count("pk")).order_by())
