"""The campaigns as a shelf: found, sorted, and a part at a time."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaigns.forms.shelf import ShelfView
from campaigns.models import Campaign
from campaigns.services.campaigns import (
    CampaignChanges,
    NewCampaign,
    archive_campaign,
    create_campaign,
    update_campaign,
)
from campaigns.shelf import PAGE, read_shelf
from tests import factories


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def titles(page: Client, query: str = "") -> list[str]:
    text = page.get(reverse("campaigns") + query).content.decode()
    return re.findall(r'<h[23](?: id="lead")?>(?:<a [^>]*>)?([^<]+)', text)


def make(owner: User, title: str, **profile: str) -> Campaign:
    new = NewCampaign(title=title, opening="You wake.", profile=profile, protagonist_name="Wren")
    return create_campaign(owner_id=owner.pk, new=new)


def make_many(owner: User, count: int) -> None:
    for number in range(count):
        make(owner, f"Story {number:03}")


@pytest.fixture
def three(owner: User) -> list[Campaign]:
    stories = [
        make(owner, "salt road", genre="Western", tone="Bleak"),
        make(owner, "Émigré", genre="Historical"),
        make(owner, "Court of Ash", subgenre="Court intrigue", tone="Wry"),
    ]
    factories.play_turns(stories[1], 3)
    factories.play_turns(stories[0], 1)
    return stories


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?q=salt", ["salt road"]),
        ("?q=WESTERN+bleak", ["salt road"]),
        ("?q=ÉMIGRÉ", ["Émigré"]),
        ("?q=intrigue", ["Court of Ash"]),
        ("?q=western+wry", []),
        ("?q=%25", []),
        ("?q=wren", ["salt road", "Émigré", "Court of Ash"]),
    ],
)
def test_every_word_must_be_found(page: Client, three: list[Campaign], query: str, found: list[str]) -> None:
    assert titles(page, query) == found


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("played", ["salt road", "Émigré", "Court of Ash"]),
        ("title", ["Court of Ash", "salt road", "Émigré"]),
        ("longest", ["Émigré", "salt road", "Court of Ash"]),
        ("newest", ["Court of Ash", "Émigré", "salt road"]),
        ("none-such", ["salt road", "Émigré", "Court of Ash"]),
    ],
)
def test_sorting(page: Client, three: list[Campaign], sort: str, order: list[str]) -> None:
    assert titles(page, f"?sort={sort}") == order


def test_counts_and_an_empty_result_say_what_to_do(page: Client, three: list[Campaign]) -> None:
    archive_campaign(campaign_id=three[2].pk)
    text = page.get(reverse("campaigns"), {"q": "road"}).content.decode()
    assert "1 of 2 campaigns" in text
    assert 'Playing <span class="count">2</span>' in text
    assert 'Archived <span class="count">1</span>' in text
    text = page.get(reverse("campaigns"), {"q": "<b>lighthouse"}).content.decode()
    assert "No campaign has “&lt;b&gt;lighthouse”" in text
    assert "Show them all" in text
    assert titles(page, "?status=archived") == ["Court of Ash"]
    assert titles(page, "?status=archived&q=salt") == []


def test_the_shelf_shows_what_a_story_is(page: Client, three: list[Campaign]) -> None:
    text = " ".join(page.get(reverse("campaigns")).content.decode().split())
    assert "Western · Bleak" in text
    assert "4 turns" in text
    assert "<span>Historical</span>" in text


def test_a_part_at_a_time(page: Client, owner: User) -> None:
    make_many(owner, PAGE + 5)
    first, second = titles(page), titles(page, "?page=2")
    assert (len(first), len(second)) == (PAGE, 5)
    assert sorted(first + second) == [f"Story {number:03}" for number in range(PAGE + 5)]
    text = page.get(reverse("campaigns")).content.decode()
    assert 'href="/?page=2"' in text
    text = page.get(reverse("campaigns") + "?page=2&sort=title").content.decode()
    assert 'href="/?sort=title"' in text
    assert "data-more" not in text
    for wild in ("?page=99", "?page=-1", "?page=x", f"?page={'9' * 30}"):
        assert titles(page, wild)


def test_two_hundred_campaigns_cost_no_more_queries(page: Client, owner: User) -> None:
    counts = []
    for more in (3, 197):
        make_many(owner, more)
        for query in ("", "?q=story&sort=title", "?page=2"):
            with CaptureQueriesContext(connection) as queries:
                page.get(reverse("campaigns") + query)
            counts.append(len(queries))
    assert counts[:3] == counts[3:]
    assert max(counts) <= 6


def test_a_large_canon_is_not_read_for_the_shelf(owner: User) -> None:
    campaign = make(owner, "Heavy")
    update_campaign(campaign_id=campaign.pk, changes=CampaignChanges(canon={"rules": ["Nobody flies."]}))
    with CaptureQueriesContext(connection) as queries:
        read_shelf(owner_id=owner.pk, status=Campaign.Status.ACTIVE)
    assert len(queries) == 3
    assert not any("canon" in query["sql"] for query in queries)


def test_archiving_leads_back_to_the_same_view(page: Client, three: list[Campaign]) -> None:
    text = page.get(reverse("campaigns"), {"q": "wren", "sort": "title"}).content.decode()
    assert 'name="view" value="q=wren&amp;sort=title"' in text
    response = page.post(
        reverse("archive-campaign", args=[three[0].pk]), {"view": "q=wren&sort=title&status=//evil"}
    )
    assert response["Location"] == "/?q=wren&sort=title"
    assert page.get(response["Location"]).content.decode().count("data-undo") == 1


@pytest.mark.parametrize("query", ["", "q=a+b&sort=title&page=3", "status=archived&q=%26"])
def test_an_address_reads_as_it_was_written(query: str) -> None:
    assert ShelfView.read_address(query).address() == query


def test_the_shelf_is_the_owners(page: Client, three: list[Campaign], django_user_model: type[User]) -> None:
    make(django_user_model.objects.create_user("stranger"), "Somebody's own")
    assert "Somebody's own" not in titles(page, "?q=own")
