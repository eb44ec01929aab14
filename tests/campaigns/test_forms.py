"""Where a page shows what a service refused."""

import pytest

from campaigns.errors import InvalidError
from campaigns.forms import NewCampaignForm
from campaigns.models import Campaign
from campaigns.services.campaigns import create_campaign

FILLED = {"title": "A", "opening": "B"}


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"protagonist_name": "x" * 20_001}, "protagonist_name"),
        ({"protagonist_description": "x" * 20_001}, "protagonist_description"),
        ({"tone": "x" * 501}, "tone"),
        ({"canon_rules": "x" * 2_001}, "canon_rules"),
        # The canon as a whole is no field of the page.
        ({"canon_rules": "\n".join(["x" * 2_000] * 40)}, "__all__"),
    ],
)
def test_what_a_service_refuses_stands_beside_its_field(
    campaign: Campaign, typed: dict[str, str], field: str
) -> None:
    form = NewCampaignForm(FILLED | typed)
    assert form.is_valid()
    with pytest.raises(InvalidError) as refused:
        create_campaign(owner_id=campaign.owner_id, new=form.as_new_campaign())
    form.blame(refused.value)
    assert form.errors == {field: [refused.value.message]}
