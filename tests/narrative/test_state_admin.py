"""The audit in the admin: read, linked, inert, and only one's own."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign
from narrative.models import Proposal, StateEvent
from tests import factories
from tests.narrative.stories import begin_story
from tests.narrative.telling import fact, give, tell


@pytest.fixture
def story(owner: User) -> Campaign:
    campaign = begin_story(owner)
    tell(campaign, give("mara"), fact("f", "<script>alert(1)</script>"), {"type": "<b>odd</b>"})
    return campaign


@pytest.fixture
def staff(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


@pytest.mark.parametrize("model", ["proposal", "stateevent"])
def test_the_list_and_every_row_are_readable(staff: Client, story: Campaign, model: str) -> None:
    page = staff.get(reverse(f"admin:narrative_{model}_changelist"))
    assert page.status_code == 200
    rows = Proposal.objects.all() if model == "proposal" else StateEvent.objects.all()
    for row in rows:
        page = staff.get(reverse(f"admin:narrative_{model}_change", args=[row.pk]))
        assert page.status_code == 200
        text = page.content.decode()
        assert "<script>alert" not in text
        assert "<b>odd" not in text
        assert 'name="_save"' not in text
        assert "deletelink" not in text


def test_they_are_linked(staff: Client, story: Campaign) -> None:
    event = StateEvent.objects.filter(type="set_possession").latest("pk")
    page = staff.get(reverse("admin:narrative_stateevent_change", args=[event.pk])).content.decode()
    assert reverse("admin:narrative_proposal_change", args=[event.proposal_id]) in page
    page = staff.get(reverse("admin:narrative_proposal_change", args=[event.proposal_id])).content.decode()
    assert reverse("play", args=[story.pk]) in page
    assert "the silver key: now with Mara" in page


@pytest.mark.parametrize("model", ["proposal", "stateevent"])
def test_nothing_can_be_written(staff: Client, story: Campaign, model: str) -> None:
    row = (Proposal if model == "proposal" else StateEvent).objects.latest("pk")
    assert staff.get(reverse(f"admin:narrative_{model}_add")).status_code == 403
    assert staff.post(reverse(f"admin:narrative_{model}_change", args=[row.pk]), {}).status_code == 403
    assert (
        staff.post(reverse(f"admin:narrative_{model}_delete", args=[row.pk]), {"post": "yes"}).status_code
        == 403
    )


def test_staff_see_their_own_stories_alone(story: Campaign) -> None:
    other = factories.make_owner("other")
    client = Client()
    client.force_login(other)
    page = client.get(reverse("admin:narrative_proposal_changelist"))
    assert "0 proposals" in page.content.decode()
    row = Proposal.objects.latest("pk")
    answer = client.get(reverse("admin:narrative_proposal_change", args=[row.pk]))
    assert answer.status_code == 302
