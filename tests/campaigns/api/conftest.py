"""The owner's token, somebody else's, and addresses in the owner's campaign."""

import pytest
from django.contrib.auth.models import User

from campaigns.models import Campaign
from tests import factories
from tests.api_client import Api


@pytest.fixture
def api(owner: User) -> Api:
    return Api(owner)


@pytest.fixture
def stranger(db: None) -> Api:
    return Api(factories.make_owner("stranger"))


@pytest.fixture
def base(campaign: Campaign) -> str:
    """The campaign's address."""
    return f"/campaigns/{campaign.pk}"
