"""Memories and summaries over REST, and what their lists cost."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from campaigns.models import Campaign
from campaigns.services import head
from narrative.models import DerivedStatus, Memory, Summary
from tests import factories


@pytest.fixture
def client(owner: User) -> Client:
    client = Client(headers={"host": "localhost:8000"})
    client.force_login(owner)
    return client


def send(client: Client, method: str, path: str, body: Any = None) -> Any:
    return client.generic(method, f"/api/v1{path}", _json(body), content_type="application/json")


def _json(body: Any) -> str:
    return "" if body is None else json.dumps(body)


def test_a_memory_from_writing_to_deleting(client: Client, campaign: Campaign) -> None:
    path = f"/campaigns/{campaign.pk}/memories"
    factories.play(campaign)
    written = send(client, "POST", path, {"text": " Mara  keeps the key. ", "importance": 5})
    assert written.status_code == 201
    memory = written.json()
    assert set(memory) == {
        *("id", "text", "type", "authority", "importance", "pinned", "forgotten", "eligible", "source"),
        "created_at",
    }
    assert (memory["text"], memory["importance"], memory["eligible"]) == ("Mara keeps the key.", 5, True)
    assert memory["source"] == {"branch": campaign.head.branch_id, "from": 1, "to": 1}
    one = f"{path}/{memory['id']}"
    changed = send(client, "PATCH", one, {"pinned": True, "text": "Mara may have the key."}).json()
    assert (changed["pinned"], changed["authority"], changed["type"]) == (True, "heuristic", "heuristic")
    assert send(client, "PATCH", one, {"forgotten": True}).json()["forgotten"] is True
    head.undo(campaign_id=campaign.pk)
    (listed,) = send(client, "GET", path).json()["items"]
    assert (listed["eligible"], listed["forgotten"]) == (False, True)
    assert send(client, "GET", f"{path}?on_path=true").json() == {"items": [], "next": None}
    assert send(client, "DELETE", one).status_code == 204
    assert send(client, "DELETE", one).status_code == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"text": ""}, "text"),
        ({"text": "x" * 1_001}, "text"),
        ({"text": "Fine.", "type": "rumour"}, "type"),
        ({"text": "Fine.", "importance": 6}, "importance"),
        ({"text": "Fine.", "weight": 3}, "weight"),
        ({}, "text"),
    ],
)
def test_a_memory_that_cannot_be_kept(client: Client, campaign: Campaign, body: Any, field: str) -> None:
    answer = send(client, "POST", f"/campaigns/{campaign.pk}/memories", body)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert field in str(answer.json()["errors"])
    assert Memory.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_a_summary_of_ones_own(client: Client, campaign: Campaign) -> None:  # SUM-07
    path = f"/campaigns/{campaign.pk}/summaries"
    factories.play_turns(campaign, 2)
    written = send(client, "POST", path, {"text": "The courier came."})
    assert written.status_code == 201
    summary = written.json()
    assert set(summary) == {
        *("id", "text", "type", "trigger", "eligible", "source", "model", "created_at"),
    }
    assert (summary["type"], summary["trigger"], summary["model"]) == ("manual", "manual", "")
    assert summary["source"] == {"branch": campaign.head.branch_id, "from": 0, "to": 2}
    assert send(client, "POST", path, {"text": "The courier came."}).json()["id"] == summary["id"]
    assert Summary.objects.count() == 1
    one = f"{path}/{summary['id']}"
    assert send(client, "PATCH", one, {"cleared": True}).json()["eligible"] is False
    assert send(client, "PATCH", one, {"cleared": False, "text": "He came."}).json()["eligible"] is True
    head.undo(campaign_id=campaign.pk, steps=2)
    factories.play(campaign, "I go elsewhere.")
    (listed,) = send(client, "GET", path).json()["items"]
    assert (listed["text"], listed["eligible"]) == ("He came.", False)
    assert send(client, "DELETE", one).status_code == 204


@pytest.mark.parametrize(
    "body",
    [
        {"type": "manual"},
        {"type": "rolling", "text": "No."},
        {"type": "turn_range", "from": 1},
        {"type": "turn_range", "from": 3, "to": 1},
        {"type": "turn_range", "from": 0, "to": 99},
        {"text": "No.", "surplus": 1},
    ],
)
@pytest.mark.django_db(transaction=True)
def test_a_summary_that_cannot_be_had(client: Client, campaign: Campaign, body: Any) -> None:
    factories.play_turns(campaign, 4)
    answer = send(client, "POST", f"/campaigns/{campaign.pk}/summaries", body)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert Summary.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_a_summary_that_is_asked_for(client: Client, campaign: Campaign) -> None:
    factories.play_turns(campaign, 4)
    path = f"/campaigns/{campaign.pk}/summaries"
    part = send(client, "POST", path, {"type": "turn_range", "from": 1, "to": 3})
    assert part.status_code == 201
    assert (part.json()["type"], part.json()["source"]["from"], part.json()["model"]) == (
        "turn_range",
        1,
        "rehearsal",
    )
    whole = send(client, "POST", path, {"type": "campaign"}).json()
    assert (whole["type"], whole["source"]["to"]) == ("campaign", 4)


@pytest.mark.django_db(transaction=True)
def test_how_it_goes_and_having_it_done_now(client: Client, campaign: Campaign, settings: Settings) -> None:
    path = f"/campaigns/{campaign.pk}/derived"
    fresh = send(client, "GET", path).json()["items"]
    assert [(each["kind"], each["status"], each["failures"]) for each in fresh] == [
        ("memory", "idle", 0),
        ("summary", "idle", 0),
    ]
    DerivedStatus.objects.create(
        campaign=campaign, kind="memory", status="failed", detail="The server is unreachable.", failures=3
    )
    failing = send(client, "GET", path).json()["items"][0]
    assert (failing["status"], failing["detail"], failing["failures"]) == (
        "failed",
        "The server is unreachable.",
        3,
    )
    assert send(client, "POST", f"{path}/run").status_code == 202


def test_nobody_sees_anothers(campaign: Campaign) -> None:
    stranger = Client(headers={"host": "localhost:8000"})
    stranger.force_login(factories.make_owner("stranger"))
    for path in ("memories", "summaries", "derived"):
        assert send(stranger, "GET", f"/campaigns/{campaign.pk}/{path}").status_code == 404


@pytest.mark.parametrize("path", ["memories", "summaries", "derived"])
def test_lists_ask_as_often_for_many(client: Client, campaign: Campaign, path: str) -> None:  # PERF-04
    counts = []
    for number in (3, 33):
        for index in range(number):
            text = f"Milestone {number} {index} stands in the marsh."
            send(client, "POST", f"/campaigns/{campaign.pk}/memories", {"text": text})
            send(client, "POST", f"/campaigns/{campaign.pk}/summaries", {"text": text})
        with CaptureQueriesContext(connection) as queries:
            assert send(client, "GET", f"/campaigns/{campaign.pk}/{path}").status_code == 200
        counts.append(len(queries))
    assert counts[1] <= counts[0]
