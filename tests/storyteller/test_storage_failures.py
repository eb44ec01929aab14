"""A database that cannot be written is said so on every surface, and what was typed is not swallowed."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import ProtectedError
from django.test import Client

from campaigns.models import Campaign
from tests.api_client import Api


@pytest.fixture
def full_disk(db: None) -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TRIGGER full BEFORE INSERT ON campaigns_savepoint BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
        yield
        cursor.execute("DROP TRIGGER full")


@pytest.mark.usefixtures("full_disk")
def test_the_api_answers_503(campaign: Campaign) -> None:
    answer = Api(campaign.owner).post(f"/campaigns/{campaign.pk}/save-points", {"name": "Here"})
    assert (answer.status_code, answer["Content-Type"]) == (503, "application/problem+json")
    assert answer.json()["code"] == "storage_failed"
    assert "disk" in answer.json()["detail"]


@pytest.mark.usefixtures("full_disk")
def test_a_page_shows_what_was_typed(campaign: Campaign) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(campaign.owner)
    address = f"/campaigns/{campaign.pk}/save-points/"
    answer = client.post(address, {"name": "The <quay>", "note": "Before dawn"})
    page = answer.content.decode()
    assert answer.status_code == 503
    assert "disk may be full" in page
    assert "The &lt;quay&gt;" in page
    assert "Before dawn" in page


def test_an_account_with_stories_cannot_be_deleted(owner: User, campaign: Campaign) -> None:
    with pytest.raises(ProtectedError):
        owner.delete()
