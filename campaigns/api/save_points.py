"""Save Points: durable names for places in the story."""

from django.http import HttpRequest
from ninja import Router, Status

from campaigns.api.caller import Id, own_campaign
from campaigns.api.paging import DEFAULT_LIMIT, Cursor, Limit, page_of
from campaigns.api.story import story_now
from campaigns.schemas.base import Page
from campaigns.schemas.story import StoryOut
from campaigns.schemas.tree import SavePointIn, SavePointOut, SavePointPatch, save_point_out
from campaigns.selectors import list_save_points
from campaigns.services import save_points as services
from campaigns.services.head import restore_save_point

router = Router(tags=["save points"])


@router.get("/campaigns/{campaign_id}/save-points", response=Page[SavePointOut])
def save_points_list(
    request: HttpRequest, campaign_id: Id, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[SavePointOut]:
    """Save Points, newest first."""
    rows = list_save_points(own_campaign(request, campaign_id), before=cursor, limit=limit + 1)
    return page_of(request, rows, limit=limit, show=save_point_out)


@router.post("/campaigns/{campaign_id}/save-points", response={201: SavePointOut})
def save_point_create(request: HttpRequest, campaign_id: Id, payload: SavePointIn) -> Status[SavePointOut]:
    """Name the place where the story is being read."""
    campaign = own_campaign(request, campaign_id)
    made = services.create_save_point(campaign_id=campaign.pk, name=payload.name, note=payload.note)
    return Status(201, _shown(request, campaign_id, made.pk))


@router.patch("/campaigns/{campaign_id}/save-points/{save_point_id}", response=SavePointOut)
def save_point_change(
    request: HttpRequest, campaign_id: Id, save_point_id: Id, payload: SavePointPatch
) -> SavePointOut:
    campaign = own_campaign(request, campaign_id)
    changed = services.update_save_point(
        campaign_id=campaign.pk, save_point_id=save_point_id, name=payload.name, note=payload.note
    )
    return _shown(request, campaign_id, changed.pk)


@router.delete("/campaigns/{campaign_id}/save-points/{save_point_id}", response={204: None})
def save_point_delete(request: HttpRequest, campaign_id: Id, save_point_id: Id) -> Status[None]:
    """Delete the name. The story that it named stays."""
    campaign = own_campaign(request, campaign_id)
    services.delete_save_point(campaign_id=campaign.pk, save_point_id=save_point_id)
    return Status(204, None)


@router.post("/campaigns/{campaign_id}/save-points/{save_point_id}/restore", response=StoryOut)
def save_point_restore(request: HttpRequest, campaign_id: Id, save_point_id: Id) -> StoryOut:
    """Read the story where the Save Point is."""
    campaign = own_campaign(request, campaign_id)
    restore_save_point(campaign_id=campaign.pk, save_point_id=save_point_id)
    return story_now(request, campaign_id)


def _shown(request: HttpRequest, campaign_id: int, save_point_id: int) -> SavePointOut:
    [row] = list_save_points(own_campaign(request, campaign_id), before=save_point_id + 1, limit=1)
    return save_point_out(row)
