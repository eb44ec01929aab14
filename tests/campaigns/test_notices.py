"""What is said after something was done, and the Undo that comes with it."""

from html.parser import HTMLParser

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from campaigns.models import Branch, Campaign, SavePoint
from campaigns.selectors import list_takes
from campaigns.services import head
from campaigns.services.save_points import create_save_point
from tests import factories


class _Forms(HTMLParser):
    """The forms of notices on a page: their address, and their fields in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, list[tuple[str, str]]]] = []
        self._is_inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._is_inside = "data-undo" in given
            if self._is_inside:
                self.found.append((given["action"], []))
        elif tag == "input" and self._is_inside and given["name"] != "csrfmiddlewaretoken":
            self.found[-1][1].append((given["name"], given["value"]))


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def do(page: Client, name: str, /, *ids: int, **data: str) -> str:
    response = page.post(reverse(name, args=ids), data, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def undo(page: Client, text: str) -> str:
    """Press the one Undo of a page, and return the page that it leads to."""
    (form,) = _Forms(text).found
    address, fields = form
    data: dict[str, list[str]] = {}
    for name, value in fields:
        data.setdefault(name, []).append(value)
    response = page.post(address, data, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def head_of(campaign: Campaign) -> tuple[int | None, int]:
    campaign.refresh_from_db()
    return (campaign.active_branch_id, campaign.head_depth)


def test_archiving_and_its_undo(page: Client, campaign: Campaign) -> None:
    text = undo(page, do(page, "archive-campaign", campaign.pk))
    campaign.refresh_from_db()
    assert campaign.status == Campaign.Status.ACTIVE
    assert "It is back" in text
    undo(page, text)
    campaign.refresh_from_db()
    assert campaign.status == Campaign.Status.ARCHIVED


def test_a_move_names_the_place_it_left(page: Client, campaign: Campaign) -> None:
    factories.play_turns(campaign, 3)
    create_save_point(campaign_id=campaign.pk, name="Here")
    left = head_of(campaign)
    text = do(page, "go-to", campaign.pk, campaign.head.branch_id, 1)
    assert "You were in “Main”, at turn 3." in text
    assert head_of(campaign) != left
    text = undo(page, text)
    assert head_of(campaign) == left
    assert _Forms(text).found == []


def test_a_move_to_where_one_is_says_nothing(page: Client, campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    text = do(page, "go-to", campaign.pk, campaign.head.branch_id, 2)
    assert "You were in" not in text


def test_restoring_and_opening_lead_back_to_the_branch_that_was_read(
    page: Client, campaign: Campaign
) -> None:
    factories.play_turns(campaign, 3)
    main = campaign.active_branch_id or 0
    point = create_save_point(campaign_id=campaign.pk, name="Before the fork")
    fork = factories.fork_at(campaign, 1)
    # On what the two have in common, with the fork as the branch that Redo follows.
    head.go_to(campaign_id=campaign.pk, branch_id=fork.pk, depth=1)
    left = head_of(campaign)
    assert left == (fork.pk, 1)
    undo(page, do(page, "restore-save-point", campaign.pk, point.pk))
    assert head_of(campaign) == left
    undo(page, do(page, "activate-branch", campaign.pk, main))
    assert head_of(campaign) == left


def test_a_place_that_is_gone_cannot_be_returned_to(page: Client, campaign: Campaign) -> None:
    factories.play(campaign)
    here = head_of(campaign)
    assert "no longer in the story" in do(page, "return-to", campaign.pk, campaign.head.branch_id, 9)
    assert head_of(campaign) == here
    assert page.post(reverse("return-to", args=[campaign.pk, 987, 0])).status_code == 404


def test_choosing_a_take_and_its_undo(page: Client, campaign: Campaign) -> None:
    turn = factories.play(campaign, narration="First telling.")
    factories.retry(campaign, turn, "Second telling.")
    first = list_takes(turn)[0]
    text = do(page, "select-take", campaign.pk, turn.pk, first.pk)
    assert "Turn 1 is told this way now." in text
    assert "Second telling." in undo(page, text)
    turn.refresh_from_db()
    assert turn.live_take_id != first.pk


def test_choosing_a_take_below_a_continuation_leads_back_to_the_old_line(
    page: Client, campaign: Campaign
) -> None:
    turn = factories.play(campaign, narration="First telling.")
    factories.retry(campaign, turn, "Second telling.")
    factories.play(campaign)
    left = head_of(campaign)
    text = do(page, "select-take", campaign.pk, turn.pk, list_takes(turn)[0].pk)
    assert "on a branch of its own" in text
    undo(page, text)
    assert head_of(campaign) == left
    assert Branch.objects.filter(campaign=campaign).count() == 2  # nothing is lost by it


def test_names_come_back(page: Client, campaign: Campaign) -> None:
    branch = campaign.active_branch_id or 0
    text = do(page, "rename-branch", campaign.pk, branch, name="The cellar road", panel="branches")
    assert "“Main” is now “The cellar road”." in text
    text = undo(page, text)
    assert Branch.objects.get(pk=branch).name == "Main"
    assert 'data-panel="branches"' in text  # where it was asked
    point = create_save_point(campaign_id=campaign.pk, name="Door", note="Shut")
    ids = (campaign.pk, point.pk)
    undo(page, do(page, "update-save-point", *ids, name="Gate", note="Open", panel="save-points"))
    assert SavePoint.objects.values_list("name", "note").get() == ("Door", "Shut")
    assert "is now" not in do(page, "update-save-point", *ids, name="Door", note="Ajar")


def test_what_cannot_be_undone_offers_no_undo(page: Client, campaign: Campaign) -> None:
    point = create_save_point(campaign_id=campaign.pk, name="Here")
    text = do(page, "delete-save-point", campaign.pk, point.pk)
    assert "has been deleted" in text
    assert _Forms(text).found == []


def test_hostile_names_stay_words(page: Client, campaign: Campaign) -> None:
    hostile = '"><img src=x onerror=alert(1)>'
    branch = campaign.active_branch_id or 0
    do(page, "rename-branch", campaign.pk, branch, name=hostile)
    text = do(page, "rename-branch", campaign.pk, branch, name="Main")
    assert "<img" not in text
    undo(page, text)
    assert Branch.objects.get(pk=branch).name == hostile


def test_a_notice_is_said_once(page: Client, campaign: Campaign) -> None:
    assert "Archived. It is under" in do(page, "archive-campaign", campaign.pk)
    assert "Archived. It is under" not in page.get(reverse("campaigns")).content.decode()
