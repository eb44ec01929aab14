"""Somebody else's things are not found, of whatever kind, however well their ids are guessed (SEC-15).

What is told asynchronously is tried in tests/narrative/test_api.py.
"""

from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User

from campaigns.models import Branch, Campaign, SavePoint, Turn, TurnRequest
from campaigns.services import requests
from campaigns.services.save_points import create_save_point
from tests import factories
from tests.api_client import Api, json_of, problem_of

CALLS = [
    ("GET", "/campaigns/{c}", None),
    ("PATCH", "/campaigns/{c}", {"title": "Mine"}),
    ("DELETE", "/campaigns/{c}?confirm=The+Crooked+Lantern", None),
    ("POST", "/campaigns/{c}/archive", None),
    ("POST", "/campaigns/{c}/unarchive", None),
    ("GET", "/campaigns/{c}/story", None),
    ("POST", "/campaigns/{c}/undo", None),
    ("POST", "/campaigns/{c}/redo", None),
    ("POST", "/campaigns/{c}/goto", {"branch": 1, "depth": 0}),
    ("GET", "/campaigns/{c}/turns/{t}", None),
    ("POST", "/campaigns/{c}/turns/{t}/takes/{k}/select", None),
    ("PUT", "/campaigns/{c}/turns/{t}/narration", {"text": "Mine."}),
    ("GET", "/campaigns/{c}/requests", None),
    ("GET", "/campaigns/{c}/branches", None),
    ("PATCH", "/campaigns/{c}/branches/{b}", {"name": "Mine"}),
    ("DELETE", "/campaigns/{c}/branches/{b}", None),
    ("POST", "/campaigns/{c}/branches/{b}/activate", None),
    ("GET", "/campaigns/{c}/tree", None),
    ("GET", "/campaigns/{c}/save-points", None),
    ("POST", "/campaigns/{c}/save-points", {"name": "Mine"}),
    ("PATCH", "/campaigns/{c}/save-points/{s}", {"name": "Mine"}),
    ("DELETE", "/campaigns/{c}/save-points/{s}", None),
    ("POST", "/campaigns/{c}/save-points/{s}/restore", None),
]
REQUEST_CALLS = [("POST", "/requests/{r}/keep"), ("POST", "/requests/{r}/discard")]


@dataclass(frozen=True)
class Things:
    """One of each kind, in one campaign."""

    ids: dict[str, int]


@pytest.fixture
def things(campaign: Campaign) -> Things:
    turn = factories.play(campaign)
    save_point = create_save_point(campaign_id=campaign.pk, name="Here")
    failed = factories.open_turn(campaign)
    requests.fail_request(request_id=failed.pk, code="interrupted", detail="Gone.", partial="Half a")
    return Things(
        {
            "c": campaign.pk,
            "t": turn.pk,
            "k": turn.live_take_id or 0,
            "b": turn.branch_id,
            "s": save_point.pk,
            "r": failed.pk,
        }
    )


def everything() -> list[object]:
    rows = (Campaign, Branch, Turn, SavePoint, TurnRequest)
    return [list(model.objects.order_by("pk").values()) for model in rows]


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_in_a_campaign_of_somebody_else(
    stranger: Api, things: Things, method: str, path: str, body: object
) -> None:
    before = everything()
    problem_of(stranger.send(method, path.format(**things.ids), body), 404, "not_found")
    assert everything() == before


@pytest.mark.parametrize(("method", "path"), REQUEST_CALLS)
def test_a_submission_of_somebody_else(stranger: Api, things: Things, method: str, path: str) -> None:
    before = everything()
    problem_of(stranger.send(method, path.format(**things.ids)), 404, "not_found")
    assert everything() == before


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [call for call in CALLS if any(kind in call[1] for kind in ("{t}", "{b}", "{s}"))],
)
def test_through_another_campaign_of_the_same_owner(
    api: Api, owner: User, things: Things, method: str, path: str, body: object
) -> None:
    other = factories.make_campaign(owner=owner, title="Another")
    before = everything()
    problem_of(api.send(method, path.format(**things.ids | {"c": other.pk}), body), 404, "not_found")
    assert everything() == before


def test_the_list_holds_only_the_callers(stranger: Api, api: Api, things: Things) -> None:
    assert json_of(stranger.get("/campaigns"))["items"] == []
    assert len(json_of(api.get("/campaigns"))["items"]) == 1


def test_go_to_a_branch_of_another_campaign(api: Api, owner: User, things: Things) -> None:
    other = factories.make_campaign(owner=owner, title="Another")
    body = {"branch": things.ids["b"], "depth": 0}
    problem_of(api.post(f"/campaigns/{other.pk}/goto", body), 404, "not_found")
