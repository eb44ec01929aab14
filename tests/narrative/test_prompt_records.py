"""Prompt records: what was stored comes back exactly, whatever happens to the story, and costs little."""

import json
import zlib
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from campaigns.models import Campaign, Take, TurnRequest
from campaigns.services import deletion, head
from narrative.models import PromptRecord, PromptText
from narrative.prompt_records import read_record, store_record, sweep_texts
from tests import factories

LONG = "The rain goes on over the roofs of the town. "


def document(*turns: tuple[str, str], state: str = "[State] lantern lit", **more: Any) -> dict[str, Any]:
    """A record as the builder makes it."""
    system = [
        ("narrator", "You are the narrator. " * 5),
        ("campaign_canon", "Canon: the dead stay dead. " * 3),
    ]
    live = [("narrative_state", state), ("player_input", "I look around the cellar for the other door.")]
    history = [text for turn in turns for text in turn]
    sections = [*system, *([("history", "\n\n".join(history))] if history else []), *live]
    return {
        "version": 2,
        "sections": [{"label": a, "text": b, "tokens": 5, "reason": "so"} for a, b in sections],
        "messages": [
            {"role": "system", "content": "\n\n".join(text for _, text in system)},
            *({"role": "user", "content": text} for text in history),
            {"role": "user", "content": "\n\n".join(text for _, text in live)},
        ],
        "tokens": {"total": 100, "ratio": 1.07},
        **more,
    }


def store(campaign: Campaign, what: dict[str, Any]) -> PromptRecord:
    request = factories.open_turn(campaign)
    TurnRequest.objects.filter(pk=request.pk).update(status=TurnRequest.Status.DISCARDED)
    return PromptRecord.objects.get(pk=store_record(what, request=request).pk)


def told(count: int) -> list[tuple[str, str]]:
    return [(f"I walk on along the road, mile {n}.", f"{LONG}Mile {n}. " * 6) for n in range(count)]


def test_what_was_stored_comes_back_exactly(campaign: Campaign) -> None:
    whole = document(*told(5), options={"temperature": 0.8}, summary=None)
    assert read_record(store(campaign, whole)) == whole


def test_a_prompt_that_is_put_together_otherwise_comes_back_as_well(campaign: Campaign) -> None:
    whole = document(*told(3))
    whole["messages"][0]["content"] += " And more."
    whole["messages"][-1]["content"] = "Something else altogether, which no section says."
    whole["sections"][2]["text"] = "Not what the messages say."
    assert read_record(store(campaign, whole)) == whole


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(st.lists(st.text(max_size=80), max_size=7), st.lists(st.text(max_size=80), min_size=1, max_size=7))
def test_any_texts_come_back(campaign: Campaign, sections: list[str], messages: list[str]) -> None:
    storable = [text.encode("utf-8", "ignore").decode() for text in sections]
    whole = {
        "version": 2,
        "sections": [{"label": "history", "text": text} for text in storable],
        "messages": [{"content": text.encode("utf-8", "ignore").decode()} for text in messages],
    }
    assert read_record(store(campaign, whole)) == whole


def test_a_record_of_an_earlier_version_can_be_read(campaign: Campaign) -> None:
    old = {"sections": [{"label": "narrator", "text": LONG}], "messages": [{"role": "user", "content": LONG}]}
    record = store(campaign, document())
    PromptRecord.objects.filter(pk=record.pk).update(document=zlib.compress(json.dumps(old).encode()))
    assert read_record(PromptRecord.objects.get(pk=record.pk)) == old


def test_a_text_is_stored_once_however_often_it_is_sent(campaign: Campaign) -> None:
    turns = told(12)
    store(campaign, document(*turns[:10]))
    before = PromptText.objects.count()
    record = store(campaign, document(*turns))
    assert PromptText.objects.count() == before + 2  # two narrations; short inputs are in the record
    assert len(record.document) < 1_200


@pytest.mark.parametrize("turns", [2, 60])
def test_storing_and_reading_ask_as_often_for_a_long_prompt(campaign: Campaign, turns: int) -> None:
    request = factories.open_turn(campaign)
    with CaptureQueriesContext(connection) as queries:
        record = store_record(document(*told(turns)), request=request)
    assert len(queries) == 3
    with CaptureQueriesContext(connection) as queries:
        read_record(record)
    assert len(queries) == 1


def test_campaigns_share_nothing(campaign: Campaign) -> None:
    other = factories.make_campaign(owner=campaign.owner)
    for each in (campaign, other):
        store(each, document(*told(2)))
    counts = [PromptText.objects.filter(campaign=each).count() for each in (campaign, other)]
    assert counts[0] == counts[1] > 0


def test_a_record_outlives_every_change_of_the_story(campaign: Campaign) -> None:  # CTX-29
    turn = factories.play(campaign, "I search the floor.", LONG)
    record = store(campaign, document(("I search the floor.", LONG)))
    before = read_record(record)
    Take.objects.filter(turn=turn).update(narration="Something else.")
    head.undo(campaign_id=campaign.pk)
    sweep_texts(campaign.pk)
    assert read_record(record) == before


@pytest.mark.django_db(transaction=True)
def test_what_a_deleted_branch_sent_is_gone_with_it(campaign: Campaign) -> None:
    kept = store(campaign, document(*told(2)))
    factories.play(campaign, "I stay.")
    head.undo(campaign_id=campaign.pk)
    factories.play(campaign, "I leave.")
    left = campaign.branches.order_by("pk").last()
    assert left is not None
    store(campaign, document(("I open the sealed letter, slowly, by candle light.", "A secret. " * 30)))
    TurnRequest.objects.filter(prompt_record=PromptRecord.objects.latest("pk")).update(branch=left)
    first = campaign.branches.order_by("pk").first()
    assert first is not None
    head.activate_branch(campaign_id=campaign.pk, branch_id=first.pk)
    before = PromptText.objects.count()
    deletion.delete_branch(campaign_id=campaign.pk, branch_id=left.pk)
    assert PromptText.objects.count() == before - 2
    assert read_record(kept)["tokens"]["total"] == 100


def test_a_damaged_record_says_so(campaign: Campaign) -> None:
    record = store(campaign, document(*told(2)))
    PromptText.objects.all().delete()
    with pytest.raises(ValueError, match="has lost its texts"):
        read_record(record)
