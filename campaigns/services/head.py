"""Moving the head: Undo, Redo, Go to, Restore, switching branches. Nothing here adds or removes a turn."""

from campaigns.errors import HeadMovedError, InvalidError, NotFoundError
from campaigns.models import Branch, Campaign, SavePoint, Turn
from campaigns.path import Position
from campaigns.positions import is_on_path, owner_at, tip_depth
from campaigns.services.story_write import story_write


def move_head(campaign: Campaign, position: Position) -> None:
    """The one function that moves the head. The position must exist; call it inside ``story_write``."""
    campaign.active_branch_id = position.branch_id
    campaign.head_depth = position.depth
    campaign.save(update_fields=["active_branch", "head_depth"])


def undo(*, campaign_id: int, steps: int = 1) -> None:
    """Step up the path, at most to turn 0. At the end of the road nothing changes."""
    _require_steps(steps)
    with story_write(campaign_id=campaign_id, reason="undo", is_move=True) as campaign:
        move_head(campaign, Position(campaign.head.branch_id, max(0, campaign.head_depth - steps)))


def redo(*, campaign_id: int, steps: int = 1) -> None:
    """Step down the active branch's retained turns, at most to its tip."""
    _require_steps(steps)
    with story_write(campaign_id=campaign_id, reason="redo", is_move=True) as campaign:
        tip = tip_depth(campaign.head.branch_id)
        # A head beyond the tip cannot be, but a Redo must never be what moves it up.
        move_head(
            campaign,
            Position(
                campaign.head.branch_id, max(campaign.head_depth, min(tip, campaign.head_depth + steps))
            ),
        )


def go_to(*, campaign_id: int, branch_id: int, depth: int) -> None:
    """Read the story at a position. The active branch changes only if the position is not on its path."""
    with story_write(campaign_id=campaign_id, reason="goto", is_move=True) as campaign:
        move_to(campaign, Position(branch_id, depth))


def restore_save_point(*, campaign_id: int, save_point_id: int) -> None:
    with story_write(campaign_id=campaign_id, reason="restore", is_move=True) as campaign:
        save_point = SavePoint.objects.filter(campaign=campaign, pk=save_point_id).first()
        if save_point is None:
            raise NotFoundError("There is no such Save Point in this campaign.")
        move_to(campaign, save_point.position)


def activate_branch(*, campaign_id: int, branch_id: int) -> None:
    """Read the story at the tip of a branch."""
    with story_write(campaign_id=campaign_id, reason="activate", is_move=True) as campaign:
        require_branch(campaign, branch_id)
        move_head(campaign, Position(branch_id, tip_depth(branch_id)))


def require_branch(campaign: Campaign, branch_id: int) -> Branch:
    branch = Branch.objects.filter(campaign=campaign, pk=branch_id).first()
    if branch is None:
        raise NotFoundError("There is no such branch in this campaign.")
    return branch


def require_head_at(campaign: Campaign, position: Position) -> None:
    """Raise HeadMovedError, naming the position, unless the head stands there."""
    if campaign.head != position:
        raise_head_moved(position)


def require_on_path(campaign: Campaign, turn: Turn) -> None:
    """Raise HeadMovedError, naming the turn's position, unless the turn is part of the story being read."""
    if not is_on_path(campaign, turn):
        raise_head_moved(turn.position)


def raise_head_moved(position: Position) -> None:
    branch = Branch.objects.get(pk=position.branch_id)
    raise HeadMovedError(branch_id=branch.pk, branch_name=branch.name, depth=position.depth)


def move_to(campaign: Campaign, position: Position) -> None:
    """``go_to``, inside ``story_write``."""
    require_branch(campaign, position.branch_id)
    deepest = tip_depth(position.branch_id)
    if not 0 <= position.depth <= deepest:
        raise InvalidError(
            f"This branch has turns 0 to {deepest}; there is no turn {position.depth}.", field="depth"
        )
    in_line_read = Position(campaign.head.branch_id, position.depth)
    is_in_line_read = position.depth <= tip_depth(in_line_read.branch_id)
    if is_in_line_read and owner_at(in_line_read) == owner_at(position):
        position = in_line_read
    move_head(campaign, position)


def _require_steps(steps: int) -> None:
    if steps < 1:
        raise InvalidError("The number of steps must be 1 or more.", field="steps")
