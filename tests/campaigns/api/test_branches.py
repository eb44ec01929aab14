"""Branches and the map over HTTP."""

import pytest

from campaigns.models import Branch, Campaign, Turn
from campaigns.services import head
from campaigns.services.save_points import create_save_point
from tests import factories
from tests.api_client import Api, json_of, problem_of


@pytest.fixture
def fork(campaign: Campaign) -> Branch:
    """A branch that leaves the first one at depth 1, and is being read at depth 2."""
    for _ in range(3):
        factories.play(campaign)
    head.undo(campaign_id=campaign.pk, steps=2)
    return factories.play(campaign, "I take the other road.").branch


def test_the_list_tells_all_of_a_branch(api: Api, base: str, fork: Branch) -> None:
    first, second = json_of(api.get(f"{base}/branches"))["items"]
    assert set(first) == {
        *("id", "name", "parent", "fork_depth", "tip_depth", "departed_depth", "departed_at", "archived"),
        *("kept", "active", "on_path", "save_points", "created_at"),
    }
    assert (first["parent"], first["fork_depth"], first["tip_depth"]) == (None, None, 3)
    assert (first["departed_depth"], first["active"], first["on_path"]) == (1, False, True)
    assert first["departed_at"].endswith("Z")
    assert (second["id"], second["parent"], second["fork_depth"]) == (fork.pk, first["id"], 1)
    assert (second["name"], second["tip_depth"], second["active"]) == ("I take the other road.", 2, True)


def test_the_list_is_paged(api: Api, base: str, fork: Branch) -> None:
    page = json_of(api.get(f"{base}/branches", limit=1))
    assert len(page["items"]) == 1
    rest = json_of(api.follow(page))
    assert ([item["id"] for item in rest["items"]], rest["next"]) == ([fork.pk], None)


def test_a_branch_is_renamed_archived_and_kept(api: Api, base: str, fork: Branch) -> None:
    address = f"{base}/branches/{fork.pk}"
    changed = json_of(api.patch(address, {"name": " The other  road ", "kept": True}))
    assert (changed["name"], changed["kept"], changed["archived"]) == ("The other road", True, False)
    assert json_of(api.patch(address, {"archived": True}))["archived"] is True
    problem_of(api.patch(address, {"name": "x" * 201}), 422, "invalid")


def test_activate_reads_the_tip_and_answers_as_story_does(api: Api, base: str, fork: Branch) -> None:
    moved = json_of(api.post(f"{base}/branches/{fork.parent_id}/activate"))
    assert (moved["head"]["branch"], moved["head"]["depth"]) == (fork.parent_id, 3)
    assert moved == json_of(api.get(f"{base}/story"))


def test_deleting_a_branch(api: Api, base: str, fork: Branch) -> None:
    address = f"{base}/branches/{fork.pk}"
    problem_of(api.delete(f"{base}/branches/{fork.parent_id}"), 409, "branch_in_use")
    problem_of(api.delete(address), 409, "branch_in_use")
    made = json_of(api.post(f"{base}/save-points", {"name": "At the ford"}), 201)
    json_of(api.post(f"{base}/branches/{fork.parent_id}/activate"))
    assert "At the ford" in problem_of(api.delete(address), 409, "save_point_in_branch")["detail"]
    assert api.delete(f"{base}/save-points/{made['id']}").status_code == 204
    assert api.delete(address).status_code == 204
    problem_of(api.delete(address), 404, "not_found")
    assert Turn.objects.count() == 4


def test_branches_stay_while_a_turn_is_told(api: Api, base: str, fork: Branch, campaign: Campaign) -> None:
    factories.open_turn(campaign)
    address = f"{base}/branches/{fork.parent_id}"
    problem_of(api.post(f"{address}/activate"), 409, "turn_in_flight")
    problem_of(api.delete(address), 409, "turn_in_flight")


def test_the_map(api: Api, base: str, fork: Branch, campaign: Campaign) -> None:
    save_point = create_save_point(campaign_id=campaign.pk, name="Here")
    tree = json_of(api.get(f"{base}/tree"))
    assert [branch["id"] for branch in tree["branches"]] == [fork.parent_id, fork.pk]
    assert tree["branches"] == json_of(api.get(f"{base}/branches"))["items"]
    assert tree["forks"] == [{"branch": fork.parent_id, "depth": 1, "branches": [fork.pk]}]
    assert [point["id"] for point in tree["save_points"]] == [save_point.pk]
    assert tree["head"] == json_of(api.get(f"{base}/story"))["head"]


def test_prune_counts_unless_it_is_told_to_delete(api: Api, base: str, fork: Branch) -> None:
    counted = json_of(api.post(f"{base}/prune"))
    assert counted == {
        "turns": 2,
        "takes": 2,
        "branches": 0,
        "lines": [{"branch": fork.parent_id, "name": "Main", "first": 2, "turns": 2, "whole": False}],
        "passed_over": [],
    }
    assert json_of(api.post(f"{base}/prune", {"dry_run": True})) == counted
    assert Turn.objects.count() == 5
    assert json_of(api.post(f"{base}/prune", {"dry_run": False})) == counted
    assert Turn.objects.count() == 3
    problem_of(api.post(f"{base}/prune", {"dry": True}), 422, "invalid")


def test_prune_tells_what_it_passes_over(
    api: Api, base: str, fork: Branch, campaign: Campaign, stranger: Api
) -> None:
    json_of(api.patch(f"{base}/branches/{fork.parent_id}", {"kept": True}))
    (row,) = json_of(api.post(f"{base}/prune", {"dry_run": False}))["passed_over"]
    assert row == {"branch": fork.parent_id, "name": "Main", "reason": "“Main” is kept.", "turns": 2}
    problem_of(stranger.post(f"{base}/prune", {"dry_run": False}), 404, "not_found")
    factories.open_turn(campaign)
    problem_of(api.post(f"{base}/prune", {"dry_run": False}), 409, "turn_in_flight")
