"""Look-ups on the tree that reads and writes decide by. Each fetches one row, however long the story."""

from campaigns.models import Branch, Campaign, Turn
from campaigns.path import Position


def tip_depth(branch_id: int) -> int:
    """The deepest depth on the path that ends with this branch; its fork depth where it owns no turn."""
    depths = Turn.objects.filter(branch_id=branch_id).order_by("-depth").values_list("depth", flat=True)
    deepest = depths.first()
    if deepest is not None:
        return deepest
    return Branch.objects.values_list("fork_depth", flat=True).get(pk=branch_id) or 0


def owner_at(position: Position) -> int | None:
    """The branch that owns the turn at a position. One row, however many forks lie on the way to it."""
    return Branch.objects.path_to(position, floor=position.depth).branch_at(position.depth)


def is_on_path(campaign: Campaign, turn: Turn) -> bool:
    """Whether the turn is part of the story being read."""
    if turn.depth > campaign.head_depth:
        return False
    return owner_at(Position(campaign.head.branch_id, turn.depth)) == turn.branch_id
