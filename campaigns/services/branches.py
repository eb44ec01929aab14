"""Naming and marking branches."""

from campaigns.models import Branch
from campaigns.services.head import require_branch
from campaigns.services.story_write import aside_write
from campaigns.texts import require_line


def update_branch(
    *,
    campaign_id: int,
    branch_id: int,
    name: str | None = None,
    is_archived: bool | None = None,
    is_kept: bool | None = None,
) -> Branch:
    """Change what is given. Renaming is free; archiving hides, keeping protects from pruning."""
    cleaned = None if name is None else require_line(name, field="name", what="The name")
    with aside_write(campaign_id=campaign_id, reason="branch") as campaign:
        branch = require_branch(campaign, branch_id)
        branch.name = branch.name if cleaned is None else cleaned
        branch.is_archived = branch.is_archived if is_archived is None else is_archived
        branch.is_kept = branch.is_kept if is_kept is None else is_kept
        branch.save(update_fields=["name", "is_archived", "is_kept"])
        return branch
