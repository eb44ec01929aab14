"""Campaigns, as they are sent in and shown."""

from typing import Annotated

from pydantic import BaseModel, Field

from campaigns.models.campaign import Campaign
from campaigns.schemas.base import Input, JsonObject, Time
from campaigns.schemas.canon import CanonIn, CanonOut
from campaigns.schemas.model_settings import ModelSettings, ModelSettingsOut
from campaigns.schemas.story import HeadOut
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
    profile: ProfileIn | None = None
    protagonist: ProtagonistIn | None = None
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


class ProfileOut(BaseModel):
    genre: str
    subgenre: str
    tone: str
    style: str
    point_of_view: str
    tense: str


class ProtagonistOut(BaseModel):
    name: str
    description: str


class CampaignOut(BaseModel):
    id: int
    title: str
    status: str
    profile: ProfileOut
    protagonist: ProtagonistOut
    narrator_rules: list[str]
    canon: CanonOut
    authors_note: str
    opening: str
    settings: ModelSettingsOut
    head: HeadOut
    turn_count: int
    created_at: Time
    updated_at: Time


def campaign_out(row: CampaignRow) -> CampaignOut:
    campaign: Campaign = row.campaign
    return CampaignOut(
        id=campaign.pk,
        title=campaign.title,
        status=campaign.status,
        profile=ProfileOut(**campaign.profile),
        protagonist=ProtagonistOut(
            name=campaign.protagonist_name, description=campaign.protagonist_description
        ),
        narrator_rules=campaign.narrator_rules,
        canon=CanonOut.model_validate(campaign.canon),
        authors_note=campaign.authors_note,
        opening=row.opening,
        settings=ModelSettings.model_construct(**campaign.settings),
        head=HeadOut(branch=campaign.head.branch_id, depth=campaign.head.depth, turn=row.head_turn_id),
        turn_count=row.turn_count,
        created_at=campaign.created_at,
        updated_at=campaign.updated_at,
    )
