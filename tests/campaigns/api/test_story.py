"""The story over HTTP: its windows, Undo, Redo, Go to."""

import pytest

from campaigns.models import Campaign, Turn
from campaigns.services import head
from tests import factories
from tests.api_client import Api, json_of, problem_of

TURN_KEYS = {
    *("id", "branch", "depth", "parent", "mode", "input", "created_at", "live_take", "take_count"),
    *("narration", "changes", "proposal_status", "proposal_way", "on_path"),
}


def test_a_turn_shows_all_of_its_parts(api: Api, base: str, campaign: Campaign) -> None:
    turn = factories.play(campaign, "I knock.", "Nobody answers.")
    story = json_of(api.get(f"{base}/story"))
    opening, told = story["turns"]
    assert set(told) == TURN_KEYS
    assert (opening["mode"], opening["input"], opening["parent"], opening["depth"]) == (None, "", None, 0)
    assert (told["mode"], told["input"], told["narration"]) == ("action", "I knock.", "Nobody answers.")
    assert (told["id"], told["parent"], told["take_count"]) == (turn.pk, opening["id"], 1)
    assert (told["proposal_status"], told["proposal_way"], told["changes"]) == ("none", None, [])
    assert told["on_path"] is True
    assert story["head"] == {"branch": turn.branch_id, "depth": 1, "turn": turn.pk}
    assert (story["can_undo"], story["can_redo"], story["has_more"]) == (True, False, False)


def test_windows_join_without_a_gap(api: Api, base: str, campaign: Campaign) -> None:
    for _ in range(6):
        factories.play(campaign)
    newest = json_of(api.get(f"{base}/story", limit=3))
    assert ([t["depth"] for t in newest["turns"]], newest["has_more"]) == ([4, 5, 6], True)
    older = json_of(api.get(f"{base}/story", limit=3, before=4))
    assert ([t["depth"] for t in older["turns"]], older["has_more"]) == ([1, 2, 3], True)
    assert older["head"] == newest["head"]
    oldest = json_of(api.get(f"{base}/story", limit=3, before=1))
    assert ([t["depth"] for t in oldest["turns"]], oldest["has_more"]) == ([0], False)
    none = json_of(api.get(f"{base}/story", before=0))
    assert (none["turns"], none["has_more"]) == ([], False)


def test_undo_and_redo_answer_as_story_does(api: Api, base: str, campaign: Campaign) -> None:
    for _ in range(3):
        factories.play(campaign)
    back = json_of(api.post(f"{base}/undo"))
    assert (back["head"]["depth"], back["can_redo"]) == (2, True)
    assert back == json_of(api.get(f"{base}/story"))
    assert json_of(api.post(f"{base}/undo", {"steps": 2}))["head"]["depth"] == 0
    at_the_end = json_of(api.post(f"{base}/undo", {}))
    assert (at_the_end["head"]["depth"], at_the_end["can_undo"]) == (0, False)
    assert json_of(api.post(f"{base}/redo", {"steps": 9}))["head"]["depth"] == 3
    assert json_of(api.post(f"{base}/redo"))["head"]["depth"] == 3
    assert Turn.objects.count() == 4


@pytest.mark.parametrize("steps", [0, -1])
@pytest.mark.parametrize("way", ["undo", "redo"])
def test_steps_below_one_are_refused(api: Api, base: str, way: str, steps: int) -> None:
    refused = problem_of(api.post(f"{base}/{way}", {"steps": steps}), 422, "invalid")
    assert refused["errors"][0]["field"] == "steps"


def test_go_to_moves_the_head(api: Api, base: str, campaign: Campaign) -> None:
    turns = [factories.play(campaign) for _ in range(3)]
    moved = json_of(api.post(f"{base}/goto", {"branch": turns[0].branch_id, "depth": 1}))
    assert moved["head"] == {"branch": turns[0].branch_id, "depth": 1, "turn": turns[0].pk}
    assert moved == json_of(api.get(f"{base}/story"))


@pytest.mark.parametrize(
    ("branch", "depth", "status", "code"),
    [
        (None, 9, 422, "invalid"),
        (None, -1, 422, "invalid"),
        (None, 10**30, 422, "invalid"),
        (10**30, 0, 404, "not_found"),
        (12345, 0, 404, "not_found"),
    ],
)
def test_a_place_that_is_none(
    api: Api, base: str, campaign: Campaign, branch: int | None, depth: int, status: int, code: str
) -> None:
    body = {"branch": branch or campaign.head.branch_id, "depth": depth}
    problem_of(api.post(f"{base}/goto", body), status, code)
    campaign.refresh_from_db()
    assert campaign.head_depth == 0


@pytest.mark.parametrize("path", ["undo", "redo", "goto"])
def test_the_head_stays_while_a_turn_is_told(api: Api, base: str, campaign: Campaign, path: str) -> None:
    factories.open_turn(campaign)
    body = {"branch": campaign.head.branch_id, "depth": 0} if path == "goto" else {}
    problem_of(api.post(f"{base}/{path}", body), 409, "turn_in_flight")
    assert json_of(api.get(f"{base}/story"))["head"]["depth"] == 0


def test_reading_another_line_shows_only_that_line(api: Api, base: str, campaign: Campaign) -> None:
    factories.play(campaign, narration="The old road.")
    old = factories.play(campaign, narration="The old inn.")
    head.undo(campaign_id=campaign.pk)
    campaign.refresh_from_db()
    factories.play(campaign, narration="The new inn.")
    told = [turn["narration"] for turn in json_of(api.get(f"{base}/story"))["turns"]]
    assert told[1:] == ["The old road.", "The new inn."]
    assert json_of(api.get(f"{base}/turns/{old.pk}"))["on_path"] is False
