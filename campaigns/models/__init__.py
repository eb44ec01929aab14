"""The story as told: campaigns, their tree of turns and takes, names for places in it, and submissions."""

from campaigns.models.campaign import Campaign, CampaignRevision
from campaigns.models.request import TurnRequest
from campaigns.models.save_point import SavePoint
from campaigns.models.tree import Branch, StateVersion, Take, Turn

__all__ = [
    "Branch",
    "Campaign",
    "CampaignRevision",
    "SavePoint",
    "StateVersion",
    "Take",
    "Turn",
    "TurnRequest",
]
