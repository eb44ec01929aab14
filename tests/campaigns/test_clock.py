"""A clock that goes back changes nothing: order is by rows, and a lease knows no time."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from campaigns import selectors
from campaigns.models import Campaign
from campaigns.services import head, save_points
from tests import factories
from tests.campaigns.reading import breaches, on_screen


def test_a_clock_that_goes_back(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.play(campaign, narration="First.")
    save_points.create_save_point(campaign_id=campaign.pk, name="Before")
    monkeypatch.setattr(timezone, "now", lambda: datetime(1999, 1, 1, tzinfo=UTC))
    turn = factories.play(campaign, narration="Second.")
    factories.retry(campaign, turn, "Second again.")
    save_points.create_save_point(campaign_id=campaign.pk, name="After")
    head.undo(campaign_id=campaign.pk)
    factories.play(campaign, narration="Another way.")
    assert on_screen(campaign)[1:] == ["First.", "Another way."]
    campaign.refresh_from_db()
    names = [row.save_point.name for row in selectors.list_save_points(campaign)]
    assert names == ["After", "Before"]
    assert breaches() == []
