"""Campaigns: making, changing, archiving and deleting them."""

from typing import Literal

from django.http import HttpRequest
from ninja import Router, Status

from campaigns.api.caller import Id, own_campaign, owner_id
from campaigns.api.paging import DEFAULT_LIMIT, Cursor, Limit, page_of
from campaigns.models import Campaign
from campaigns.schemas.base import Page
from campaigns.schemas.campaigns import CampaignIn, CampaignOut, CampaignPatch, ProtagonistIn, campaign_out
from campaigns.selectors import describe_campaigns, list_campaigns
from campaigns.services import campaigns as services
from campaigns.services.deletion import delete_campaign

# By alias: “from” is a key of the canon and a word of Python.
router = Router(tags=["campaigns"], by_alias=True)


@router.get("/campaigns", response=Page[CampaignOut])
def campaigns_list(
    request: HttpRequest,
    status: Literal["active", "archived"] | None = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[CampaignOut]:
    """Your campaigns, oldest first."""
    rows = list_campaigns(owner_id=owner_id(request), status=status, after=cursor or 0, limit=limit + 1)
    return page_of(request, rows, limit=limit, show=campaign_out)


@router.post("/campaigns", response={201: CampaignOut})
def campaigns_create(request: HttpRequest, payload: CampaignIn) -> Status[CampaignOut]:
    """Begin a campaign. The opening is its turn 0."""
    new = services.NewCampaign(
        title=payload.title,
        opening=payload.opening,
        profile=payload.profile.model_dump(exclude_none=True),
        protagonist_name=payload.protagonist.name or "",
        protagonist_description=payload.protagonist.description or "",
        narrator_rules=tuple(payload.narrator_rules),
        canon=payload.canon.as_stored(),
        authors_note=payload.authors_note,
        settings=payload.settings.model_dump(exclude_none=True),
        initial_events=tuple(payload.initial_events),
    )
    return Status(201, _shown(services.create_campaign(owner_id=owner_id(request), new=new)))


@router.get("/campaigns/{campaign_id}", response=CampaignOut)
def campaign_read(request: HttpRequest, campaign_id: Id) -> CampaignOut:
    return _shown(own_campaign(request, campaign_id))


@router.patch("/campaigns/{campaign_id}", response=CampaignOut)
def campaign_change(request: HttpRequest, campaign_id: Id, payload: CampaignPatch) -> CampaignOut:
    """Change what is given. Profile, protagonist, canon and settings merge their keys."""
    rules, profile = payload.narrator_rules, payload.profile
    protagonist = payload.protagonist or ProtagonistIn()
    changes = services.CampaignChanges(
        title=payload.title,
        profile=None if profile is None else profile.model_dump(exclude_none=True),
        protagonist_name=protagonist.name,
        protagonist_description=protagonist.description,
        narrator_rules=None if rules is None else tuple(rules),
        canon=None if payload.canon is None else payload.canon.as_stored(),
        authors_note=payload.authors_note,
        settings=None if payload.settings is None else payload.settings.model_dump(exclude_unset=True),
    )
    campaign = own_campaign(request, campaign_id)
    return _shown(services.update_campaign(campaign_id=campaign.pk, changes=changes))


@router.delete("/campaigns/{campaign_id}", response={204: None})
def campaign_delete(request: HttpRequest, campaign_id: Id, confirm: str = "") -> Status[None]:
    """Delete a campaign and everything in it, for good. `confirm` is its exact title."""
    delete_campaign(campaign_id=own_campaign(request, campaign_id).pk, confirmation=confirm)
    return Status(204, None)


@router.post("/campaigns/{campaign_id}/archive", response=CampaignOut)
def campaign_archive(request: HttpRequest, campaign_id: Id) -> CampaignOut:
    return _shown(services.archive_campaign(campaign_id=own_campaign(request, campaign_id).pk))


@router.post("/campaigns/{campaign_id}/unarchive", response=CampaignOut)
def campaign_unarchive(request: HttpRequest, campaign_id: Id) -> CampaignOut:
    return _shown(services.unarchive_campaign(campaign_id=own_campaign(request, campaign_id).pk))


def _shown(campaign: Campaign) -> CampaignOut:
    [row] = describe_campaigns([campaign])
    return campaign_out(row)
