"""Going back to where the story was just read: what the Undo of a move does."""

from campaigns.errors import InvalidError
from campaigns.path import Position
from campaigns.positions import tip_depth
from campaigns.services.head import move_head, require_branch
from campaigns.services.story_write import story_write


def return_to(*, campaign_id: int, position: Position) -> None:
    """Read the story at a position and on its branch.

    Go to keeps the active branch where the position is on its path; here the branch is part of what is
    undone, so that Redo leads on as it did.
    """
    with story_write(campaign_id=campaign_id, reason="goto", is_move=True) as campaign:
        require_branch(campaign, position.branch_id)
        if not 0 <= position.depth <= tip_depth(position.branch_id):
            raise InvalidError("That place is no longer in the story.", field="depth")
        move_head(campaign, position)
