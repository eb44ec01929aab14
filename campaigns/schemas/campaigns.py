"""Campaigns, as they are sent in and shown."""

from typing import Annotated, Any

from pydantic import BaseModel, Field

from campaigns.models.campaign import Campaign
from campaigns.schemas.base import Input, JsonObject, Time
from campaigns.schemas.canon import CanonIn, canon_out
from campaigns.schemas.model_settings import ModelSettings
from campaigns.schemas.story import PlaceOut
from campaigns.selectors import CampaignRow


class ProfileIn(Input):
    genre: str | None = None
    subgenre: str | None = None
    tone: str | None = None
    style: str | None = None
    point_of_view: str | None = None
    tense: str | None = None


class ProtagonistIn(Input):
    name: str | None = None
    description: str | None = None


class CampaignPatch(Input):
    """What to change. A key that is not given, or null, leaves its part as it is."""

    title: str | None = None
    profile: ProfileIn = ProfileIn()
    protagonist: ProtagonistIn = ProtagonistIn()
    narrator_rules: list[str] | None = None
    canon: CanonIn | None = None
    authors_note: str | None = None
    settings: ModelSettings | None = None


class CampaignIn(Input):
    title: str
    opening: str
    profile: ProfileIn = ProfileIn()
    protagonist: ProtagonistIn = ProtagonistIn()
    narrator_rules: list[str] = []
    canon: CanonIn = CanonIn()
    authors_note: str = ""
    settings: ModelSettings = ModelSettings()
    initial_events: Annotated[list[JsonObject], Field(max_length=200)] = []


class ProtagonistOut(BaseModel):
    name: str
    description: str


class CampaignOut(BaseModel):
    id: int
    title: str
    status: str
    profile: dict[str, str]
    protagonist: ProtagonistOut
    narrator_rules: list[str]
    canon: dict[str, Any]
    authors_note: str
    opening: str
    settings: dict[str, Any]
    head: PlaceOut
    turn_count: int
    created_at: Time
    updated_at: Time


def campaign_out(row: CampaignRow) -> CampaignOut:
    campaign: Campaign = row.campaign
    return CampaignOut(
        id=campaign.pk,
        title=campaign.title,
        status=campaign.status,
        profile=campaign.profile,
        protagonist=ProtagonistOut(
            name=campaign.protagonist_name, description=campaign.protagonist_description
        ),
        narrator_rules=campaign.narrator_rules,
        canon=canon_out(campaign.canon),
        authors_note=campaign.authors_note,
        opening=row.opening,
        settings=campaign.settings,
        head=PlaceOut(branch=campaign.head.branch_id, depth=campaign.head.depth),
        turn_count=row.turn_count,
        created_at=campaign.created_at,
        updated_at=campaign.updated_at,
    )
