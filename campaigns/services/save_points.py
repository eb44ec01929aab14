"""Names for the head's position."""

from campaigns.errors import NotFoundError
from campaigns.models import Campaign, SavePoint
from campaigns.path import Position
from campaigns.positions import owner_at
from campaigns.services.head import move_to
from campaigns.services.story_write import aside_write, story_write
from campaigns.texts import limit_text, require_line


def create_save_point(*, campaign_id: int, name: str, note: str = "") -> SavePoint:
    """Name the position that the head stands at. Takes the turn lock, so that the head cannot be moving."""
    name = require_line(name, field="name", what="The name")
    note = limit_text(note, field="note", what="The note")
    with story_write(campaign_id=campaign_id, reason="save") as campaign:
        return _name_head(campaign, name=name, note=note)


def name_place(*, campaign_id: int, branch_id: int, depth: int, name: str, note: str = "") -> SavePoint:
    """Go to a position and name it, in one: a Save Point always names where the story is read."""
    name = require_line(name, field="name", what="The name")
    note = limit_text(note, field="note", what="The note")
    with story_write(campaign_id=campaign_id, reason="save") as campaign:
        move_to(campaign, Position(branch_id, depth))
        return _name_head(campaign, name=name, note=note)


def update_save_point(
    *, campaign_id: int, save_point_id: int, name: str | None = None, note: str | None = None
) -> SavePoint:
    """Change what is given. The place it names stays."""
    new_name = None if name is None else require_line(name, field="name", what="The name")
    new_note = None if note is None else limit_text(note, field="note", what="The note")
    with aside_write(campaign_id=campaign_id, reason="save"):
        save_point = require_save_point(campaign_id, save_point_id)
        save_point.name = save_point.name if new_name is None else new_name
        save_point.note = save_point.note if new_note is None else new_note
        save_point.save(update_fields=["name", "note"])
        return save_point


def delete_save_point(*, campaign_id: int, save_point_id: int) -> None:
    with aside_write(campaign_id=campaign_id, reason="save"):
        require_save_point(campaign_id, save_point_id).delete()


def require_save_point(campaign_id: int, save_point_id: int) -> SavePoint:
    save_point = SavePoint.objects.filter(campaign_id=campaign_id, pk=save_point_id).first()
    if save_point is None:
        raise NotFoundError("There is no such Save Point in this campaign.")
    return save_point


def _name_head(campaign: Campaign, *, name: str, note: str) -> SavePoint:
    return SavePoint.objects.create(
        campaign=campaign,
        branch_id=owner_at(campaign.head) or campaign.head.branch_id,
        depth=campaign.head_depth,
        name=name,
        note=note,
    )
