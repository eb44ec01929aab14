"""Single turns over HTTP: takes, and editing the narration."""

import pytest

from campaigns.models import Branch, Campaign, Take
from campaigns.services import head
from tests import factories
from tests.api_client import Api, json_of, problem_of


def test_a_turn_with_its_takes(api: Api, base: str, campaign: Campaign) -> None:
    turn = factories.play(campaign, narration="One.")
    factories.retry(campaign, turn, "Two.")
    shown = json_of(api.get(f"{base}/turns/{turn.pk}"))
    assert [(t["ordinal"], t["narration"], t["live"]) for t in shown["takes"]] == [
        (0, "One.", False),
        (1, "Two.", True),
    ]
    assert set(shown["takes"][0]) == {
        *("id", "ordinal", "narration", "reasoning", "origin", "finish", "model", "created_at", "live")
    }
    assert (shown["take_count"], shown["narration"]) == (2, "Two.")
    assert shown["live_take"] == shown["takes"][1]["id"]
    [_, listed] = json_of(api.get(f"{base}/story"))["turns"]
    assert listed == {name: value for name, value in shown.items() if name != "takes"}


def test_selecting_a_take_at_the_tip(api: Api, base: str, campaign: Campaign) -> None:
    turn = factories.play(campaign, narration="One.")
    factories.retry(campaign, turn, "Two.")
    first = Take.objects.get(turn=turn, ordinal=0)
    selected = json_of(api.post(f"{base}/turns/{turn.pk}/takes/{first.pk}/select"))
    assert (selected["id"], selected["narration"], selected["live_take"]) == (turn.pk, "One.", first.pk)


def test_selecting_a_take_below_a_continuation_forks(api: Api, base: str, campaign: Campaign) -> None:
    turn = factories.play(campaign, narration="One.")
    factories.retry(campaign, turn, "Two.")
    factories.play(campaign)
    first = Take.objects.get(turn=turn, ordinal=0)
    selected = json_of(api.post(f"{base}/turns/{turn.pk}/takes/{first.pk}/select"))
    assert selected["id"] != turn.pk
    assert (selected["narration"], selected["on_path"]) == ("One.", True)
    assert Branch.objects.count() == 2


@pytest.mark.django_db(transaction=True)  # an edit is served from the event loop
def test_an_edit_at_the_tip_is_another_take(api: Api, base: str, campaign: Campaign) -> None:
    turn = factories.play(campaign, narration="One.")
    words = "  Two,\n\tbut better.  "
    edited = json_of(api.put(f"{base}/turns/{turn.pk}/narration", {"text": words, "derive": "keep"}), 201)
    assert (edited["id"], edited["narration"], edited["take_count"]) == (turn.pk, words, 2)
    assert Take.objects.get(turn=turn, ordinal=0).narration == "One."


@pytest.mark.django_db(transaction=True)  # an edit is served from the event loop
def test_an_edit_with_a_future_below_forks(api: Api, base: str, campaign: Campaign) -> None:
    turn = factories.play(campaign)
    factories.play(campaign)
    live = turn.live_take_id
    edited = json_of(api.put(f"{base}/turns/{turn.pk}/narration", {"text": "Other.", "take": live}), 201)
    assert edited["id"] != turn.pk
    assert json_of(api.get(f"{base}/story"))["head"]["turn"] == edited["id"]


@pytest.mark.django_db(transaction=True)  # an edit is served from the event loop
def test_edits_that_cannot_be(api: Api, base: str, campaign: Campaign) -> None:
    turn = factories.play(campaign)
    other = factories.play(campaign)
    address = f"{base}/turns/{turn.pk}/narration"
    problem_of(api.put(address, {"text": "Words.", "take": other.live_take_id}), 404, "not_found")
    problem_of(api.put(address, {"text": "Words.", "take": 10**30}), 404, "not_found")
    problem_of(api.put(address, {"text": "Words.", "derive": "guess"}), 422, "invalid")
    problem_of(api.put(address, {"text": " \n "}), 422, "invalid")
    problem_of(api.put(address, {"text": "x" * 100_001}), 422, "invalid")
    problem_of(api.put(f"{base}/turns/999/narration", {"text": "Words."}), 404, "not_found")
    assert Take.objects.count() == 3


@pytest.mark.django_db(transaction=True)  # an edit is served from the event loop
def test_writing_to_a_line_that_is_not_being_read_names_the_place(
    api: Api, base: str, campaign: Campaign
) -> None:
    turn = factories.play(campaign)
    head.undo(campaign_id=campaign.pk)
    place = {"branch": turn.branch_id, "depth": turn.depth}
    for refused in (
        api.put(f"{base}/turns/{turn.pk}/narration", {"text": "Words."}),
        api.post(f"{base}/turns/{turn.pk}/takes/{turn.live_take_id}/select"),
    ):
        problem = problem_of(refused, 409, "head_moved")
        assert {name: problem[name] for name in place} == place


def test_a_take_of_another_turn_is_not_found(api: Api, base: str, campaign: Campaign) -> None:
    turn, other = factories.play(campaign), factories.play(campaign)
    problem_of(api.post(f"{base}/turns/{other.pk}/takes/{turn.live_take_id}/select"), 404, "not_found")


@pytest.mark.django_db(transaction=True)  # an edit is served from the event loop
def test_takes_stay_while_a_turn_is_told(api: Api, base: str, campaign: Campaign) -> None:
    turn = factories.play(campaign)
    factories.open_turn(campaign)
    problem_of(api.put(f"{base}/turns/{turn.pk}/narration", {"text": "W."}), 409, "turn_in_flight")
    problem_of(api.post(f"{base}/turns/{turn.pk}/takes/{turn.live_take_id}/select"), 409, "turn_in_flight")
