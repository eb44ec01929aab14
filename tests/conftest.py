"""Fixtures for every suite."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User

from campaigns.models import Campaign
from tests import factories

pytest_plugins = ["tests.inference_servers.fixtures", "tests.model.fixtures"]


@pytest.fixture(autouse=True)
def _no_campaign_left_running() -> Iterator[None]:
    """Every test begins with no turn in this process's hands."""
    from narrative import live, narrator_status, warming

    yield
    live.forget_all()
    narrator_status.forget_status()
    warming.forget_warming()


@pytest.fixture
def owner(db: None) -> User:
    return factories.make_owner()


@pytest.fixture
def campaign(owner: User) -> Campaign:
    return factories.make_campaign(owner=owner)
