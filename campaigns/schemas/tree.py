"""Branches, Save Points, and the map that they make up."""

from collections.abc import Iterable

from pydantic import BaseModel

from campaigns.schemas.base import Input, Time
from campaigns.schemas.story import HeadOut
from campaigns.selectors import BranchRow, SavePointRow
from campaigns.services.pruning import Pruning


class BranchPatch(Input):
    """What to change. Archiving hides a branch; keeping protects it from pruning."""

    name: str | None = None
    archived: bool | None = None
    kept: bool | None = None


class BranchOut(BaseModel):
    id: int
    name: str
    parent: int | None
    fork_depth: int | None
    tip_depth: int
    departed_depth: int | None
    departed_at: Time | None
    archived: bool
    kept: bool
    active: bool
    on_path: bool
    save_points: int
    created_at: Time


class SavePointIn(Input):
    name: str
    note: str = ""


class SavePointPatch(Input):
    name: str | None = None
    note: str | None = None


class SavePointOut(BaseModel):
    id: int
    name: str
    note: str
    branch: int
    depth: int
    turn: int | None
    on_path: bool
    created_at: Time


class ForkOut(BaseModel):
    """A place that branches leave from. The depth is -1 where they have another opening."""

    branch: int
    depth: int
    branches: list[int]


class TreeOut(BaseModel):
    branches: list[BranchOut]
    forks: list[ForkOut]
    save_points: list[SavePointOut]
    head: HeadOut


class PruneIn(Input):
    """A dry run, which is what is done without a word, counts what would go and writes nothing."""

    dry_run: bool = True


class PrunedOut(BaseModel):
    """What goes of a branch: its last turns, from depth ``first`` on; or all of it."""

    branch: int
    name: str
    first: int
    turns: int
    whole: bool


class PassedOverOut(BaseModel):
    """Turns of a branch that were departed from and stay, and why."""

    branch: int
    name: str
    reason: str
    turns: int


class PruningOut(BaseModel):
    turns: int
    takes: int
    branches: int
    lines: list[PrunedOut]
    passed_over: list[PassedOverOut]


def branch_out(row: BranchRow) -> BranchOut:
    branch = row.branch
    return BranchOut(
        id=branch.pk,
        name=branch.name,
        parent=branch.parent_id,
        fork_depth=branch.fork_depth,
        tip_depth=row.tip_depth,
        departed_depth=branch.departed_depth,
        departed_at=branch.departed_at,
        archived=branch.is_archived,
        kept=branch.is_kept,
        active=row.is_active,
        on_path=row.is_on_path,
        save_points=row.save_points,
        created_at=branch.created_at,
    )


def save_point_out(row: SavePointRow) -> SavePointOut:
    save_point = row.save_point
    return SavePointOut(
        id=save_point.pk,
        name=save_point.name,
        note=save_point.note,
        branch=save_point.branch_id,
        depth=save_point.depth,
        turn=row.turn_id,
        on_path=row.is_on_path,
        created_at=save_point.created_at,
    )


def forks_out(rows: Iterable[BranchRow]) -> list[ForkOut]:
    """The forks in the order in which they came to be."""
    forks: dict[tuple[int, int], ForkOut] = {}
    for branch in (row.branch for row in rows):
        if branch.parent_id is not None and branch.fork_depth is not None:
            place = (branch.parent_id, branch.fork_depth)
            fork = forks.setdefault(place, ForkOut(branch=place[0], depth=place[1], branches=[]))
            fork.branches.append(branch.pk)
    return list(forks.values())


def pruning_out(pruning: Pruning) -> PruningOut:
    return PruningOut(
        turns=pruning.turns,
        takes=pruning.takes,
        branches=pruning.branches,
        lines=[
            PrunedOut(
                branch=line.branch_id, name=line.name, first=line.first, turns=line.turns, whole=line.is_whole
            )
            for line in pruning.lines
        ],
        passed_over=[
            PassedOverOut(branch=row.branch_id, name=row.name, reason=row.reason, turns=row.turns)
            for row in pruning.passed_over
        ],
    )
