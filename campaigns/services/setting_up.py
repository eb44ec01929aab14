"""Making the state of turn 0 from what a campaign was created with.

What an event is, is known higher up: the implementation is named in the settings.
"""

from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from campaigns.models import Campaign, Turn


class CampaignSetup(Protocol):
    def __call__(self, campaign: Campaign, opening: Turn) -> None: ...


def settle_setup(campaign: Campaign, opening: Turn) -> None:
    """Review the campaign's initial events and give the opening the state that they make. Raises what the
    implementation raises where one is refused. Call it inside the transaction that creates the campaign."""
    if campaign.initial_events:
        implementation: CampaignSetup = import_string(settings.CAMPAIGN_SETUP)
        implementation(campaign, opening)
