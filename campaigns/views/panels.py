"""The panels beside the story. Each is part of an address, so that it can be linked and needs no script."""

from dataclasses import dataclass

from django.db.models import Count
from django.http import HttpRequest

from campaigns.models import Campaign, TurnRequest
from campaigns.selectors import BranchRow, SavePointRow, list_branches, list_save_points
from campaigns.views.answers import read_number

TITLES = {"story": "Story", "branches": "Branches", "save-points": "Save Points", "help": "Keys"}


@dataclass(frozen=True, slots=True)
class BranchLine:
    """A branch in the list, with what deleting it would take along."""

    row: BranchRow
    parent_name: str
    own_turns: int
    lost_turns: int
    lost_branches: int
    lost_requests: int


@dataclass(frozen=True, slots=True)
class Panel:
    """The open panel; ``renaming`` and ``deleting`` are the id of the row that shows its form."""

    name: str
    title: str
    renaming: int | None
    deleting: int | None
    branches: list[BranchLine]
    save_points: list[SavePointRow]


def read_panel(request: HttpRequest, campaign: Campaign) -> Panel | None:
    name = request.GET.get("panel", "")
    if name not in TITLES:
        return None
    return Panel(
        name=name,
        title=TITLES[name],
        renaming=read_number(request.GET.get("rename")),
        deleting=read_number(request.GET.get("delete")),
        branches=_branch_lines(list_branches(campaign), _waiting_on(campaign)) if name == "branches" else [],
        save_points=list_save_points(campaign) if name == "save-points" else [],
    )


def _waiting_on(campaign: Campaign) -> dict[int, int]:
    """How many submissions that did not become a turn wait on each branch."""
    lost = TurnRequest.objects.filter(branch__campaign=campaign, status__in=TurnRequest.RECOVERABLE)
    return dict(lost.values_list("branch_id").annotate(count=Count("pk")).order_by())


def _branch_lines(rows: list[BranchRow], waiting: dict[int, int]) -> list[BranchLine]:
    """The branch being read first, the others from the oldest on."""
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
        for row in sorted(rows, key=lambda row: not row.is_active)
    ]
