"""Memories and summaries are made here, as they are in the game."""

import pytest
from pytest_django.fixtures import Settings

from campaigns.models import Campaign


@pytest.fixture(autouse=True)
def derived_work(settings: Settings) -> None:
    settings.DERIVED_WORK = True


@pytest.fixture
def quick(campaign: Campaign) -> Campaign:
    """A campaign that remembers early."""
    campaign.settings = {"memory_interval": 2, "summary_interval": 4}
    campaign.save(update_fields=["settings"])
    return campaign
