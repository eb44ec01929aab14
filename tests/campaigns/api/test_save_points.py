"""Save Points over HTTP."""

from campaigns.models import Campaign, SavePoint
from campaigns.services import head
from campaigns.services.save_points import create_save_point
from tests import factories
from tests.api_client import Api, json_of, problem_of


def test_a_save_point_names_the_place_of_the_head(api: Api, base: str, campaign: Campaign) -> None:
    turn = factories.play(campaign)
    body = {"name": " Before the  ledger ", "note": "Ask Mara."}
    made = json_of(api.post(f"{base}/save-points", body), 201)
    created_at = made.pop("created_at")
    assert created_at.endswith("Z")
    assert made == {
        "id": SavePoint.objects.get().pk,
        "name": "Before the ledger",
        "note": "Ask Mara.",
        "branch": turn.branch_id,
        "depth": 1,
        "turn": turn.pk,
        "on_path": True,
    }


def test_newest_first_and_paged(api: Api, base: str, campaign: Campaign) -> None:
    made = [create_save_point(campaign_id=campaign.pk, name="Here").pk for _ in range(5)]
    page = json_of(api.get(f"{base}/save-points", limit=3))
    rest = json_of(api.follow(page))
    assert [item["id"] for item in page["items"] + rest["items"]] == made[::-1]
    assert rest["next"] is None


def test_renaming_and_deleting(api: Api, base: str, campaign: Campaign) -> None:
    address = f"{base}/save-points/{create_save_point(campaign_id=campaign.pk, name='A', note='n').pk}"
    changed = json_of(api.patch(address, {"name": "B"}))
    assert (changed["name"], changed["note"]) == ("B", "n")
    assert json_of(api.patch(address, {"note": ""}))["note"] == ""
    assert api.delete(address).status_code == 204
    problem_of(api.delete(address), 404, "not_found")
    problem_of(api.patch(address, {"name": "C"}), 404, "not_found")
    problem_of(api.post(f"{address}/restore"), 404, "not_found")


def test_restore_answers_as_story_does(api: Api, base: str, campaign: Campaign) -> None:
    factories.play(campaign)
    save_point = create_save_point(campaign_id=campaign.pk, name="Here")
    factories.play(campaign)
    restored = json_of(api.post(f"{base}/save-points/{save_point.pk}/restore"))
    assert (restored["head"]["depth"], restored["can_redo"]) == (1, True)
    assert restored == json_of(api.get(f"{base}/story"))


def test_a_place_off_the_path_says_so(api: Api, base: str, campaign: Campaign) -> None:
    factories.play(campaign)
    create_save_point(campaign_id=campaign.pk, name="Here")
    head.undo(campaign_id=campaign.pk)
    [shown] = json_of(api.get(f"{base}/save-points"))["items"]
    assert shown["on_path"] is False


def test_a_position_cannot_be_given(api: Api, base: str) -> None:
    refused = problem_of(api.post(f"{base}/save-points", {"name": "A", "depth": 0}), 422, "invalid")
    assert refused["errors"] == [{"field": "depth", "detail": "“depth” is not known here."}]


def test_none_is_made_or_restored_while_a_turn_is_told(api: Api, base: str, campaign: Campaign) -> None:
    save_point = create_save_point(campaign_id=campaign.pk, name="Here")
    factories.open_turn(campaign)
    problem_of(api.post(f"{base}/save-points", {"name": "A"}), 409, "turn_in_flight")
    problem_of(api.post(f"{base}/save-points/{save_point.pk}/restore"), 409, "turn_in_flight")
