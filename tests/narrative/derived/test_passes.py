"""Memories and summaries as they are made: when, of what, and what becomes of them on other lines."""

import asyncio
from typing import Any

import pytest
from django.contrib.auth.models import User

from campaigns.models import Campaign, Take, Turn, TurnRequest
from campaigns.services import head
from campaigns.services.requests import Submission
from narrative import live
from narrative.database import in_database
from narrative.derived import running
from narrative.derived.status import list_statuses
from narrative.memory_lists import list_memories, list_summaries, read_summary_in_force
from narrative.models import DerivedStatus, Memory, PromptRecord, Summary
from narrative.prompt_records import read_record
from narrative.remembering import SummaryChange, change_summary, delete_memory
from narrative.state_history import read_state_at
from tests import factories
from tests.inference_servers.scripted import Gate, Script, ScriptedServer, in_words, refusal

pytestmark = pytest.mark.django_db(transaction=True)

SENTINEL = "Vermilion Cathedral of Onions"


def action(text: str = "I go on.") -> Submission:
    return Submission(kind=TurnRequest.Kind.NEW, mode="action", text=text)


async def tell(campaign: Campaign, text: str = "I go on.") -> TurnRequest:
    """A turn, told and with everything made that was due after it."""
    request = await live.outcome(await live.submit(campaign_id=campaign.pk, submission=action(text)))
    await running.settle()
    return request


def fresh(campaign: Campaign) -> Campaign:
    return Campaign.objects.get(pk=campaign.pk)


@in_database
def in_force(campaign: Campaign) -> Summary | None:
    return read_summary_in_force(fresh(campaign))


@in_database
def eligible_memories(campaign: Campaign) -> list[Memory]:
    return [row.memory for row in list_memories(fresh(campaign)) if row.is_eligible]


@in_database
def last_record(campaign: Campaign) -> dict[str, Any]:
    return read_record(PromptRecord.objects.filter(request__campaign=campaign).latest("pk"))


@in_database
def statuses(campaign: Campaign) -> dict[str, DerivedStatus]:
    return {row.kind: row for row in list_statuses(campaign.pk)}


async def undo_all(campaign: Campaign) -> None:
    while (await in_database(fresh)(campaign)).head_depth > 0:
        await in_database(head.undo)(campaign_id=campaign.pk)


async def test_when_a_memory_is_due(campaign: Campaign) -> None:  # MEM-01
    counts = []
    for _ in range(13):
        await tell(campaign)
        counts.append(await Memory.objects.filter(campaign=campaign).acount())
    # Turns 0 to 3 are settled when turn 5 is told, 4 to 7 with turn 9.
    assert counts == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3]
    rows = [row async for row in Memory.objects.filter(campaign=campaign).order_by("pk")]
    assert [(row.first_depth, row.depth) for row in rows] == [(0, 3), (4, 7), (8, 11)]
    assert all(len(row.takes) == 4 and row.model == "rehearsal" for row in rows)


async def test_when_a_summary_is_due(campaign: Campaign) -> None:  # SUM-01, SUM-09
    for _ in range(8):
        await tell(campaign)
    assert await in_force(campaign) is None
    assert (await statuses(campaign))["summary"].status == "idle"
    await tell(campaign)
    first = await in_force(campaign)
    assert first is not None
    assert (first.first_depth, first.depth, first.type, first.trigger) == (0, 7, "rolling", "interval")
    for _ in range(8):
        await tell(campaign)
    second = await in_force(campaign)
    assert second is not None
    assert (second.first_depth, second.depth, second.goes_on_from_id) == (0, 15, first.pk)
    assert len(second.takes) == 8


async def test_a_summary_of_one_line_is_built_of_nothing_of_another(
    quick: Campaign, narrator: ScriptedServer
) -> None:  # SUM-06, SUM-12
    narrator.answer_notes(lambda messages: messages[-1]["content"][-600:].replace("\n", " "))
    narrator.play(f"You stand before the {SENTINEL}. It hums.")
    for _ in range(12):
        await tell(quick, "I look up.")
    of_a = await in_force(quick)
    assert of_a is not None
    assert SENTINEL in of_a.text
    assert any(SENTINEL in section["text"] for section in (await last_record(quick))["sections"])
    await undo_all(quick)
    asked_before = len(narrator.requests)
    narrator.play("You stand in an empty field. A crow calls.")
    for _ in range(12):
        await tell(quick, "I walk the other way.")
    of_b = await in_force(quick)
    assert of_b is not None
    assert of_b.pk != of_a.pk
    assert SENTINEL not in of_b.text
    assert not any(SENTINEL in memory.text for memory in await eligible_memories(quick))
    sent = [str(request.body) for request in narrator.requests[asked_before:]]
    assert any("[Summarize]" in body for body in sent)
    assert not any(SENTINEL in body for body in sent)
    assert SENTINEL not in str(await last_record(quick))
    assert await Summary.objects.filter(pk=of_a.pk).aexists()  # SUM-04
    await in_database(head.activate_branch)(
        campaign_id=quick.pk, branch_id=(await Turn.objects.aget(live_take=of_a.takes[-1])).branch_id
    )
    back = await in_force(quick)  # SUM-13
    assert back is not None
    assert SENTINEL in back.text


async def test_undo_and_redo_decide_what_is_eligible(quick: Campaign) -> None:  # SUM-02, SUM-05, MEM-03
    for _ in range(8):
        await tell(quick)
    whole = await in_force(quick)
    memories = [memory.pk for memory in await eligible_memories(quick)]
    assert whole is not None
    assert memories
    await undo_all(quick)
    assert await in_force(quick) is None
    assert await eligible_memories(quick) == []
    while (await in_database(fresh)(quick)).head_depth < 8:
        await in_database(head.redo)(campaign_id=quick.pk)
    assert await in_force(quick) == whole
    assert [memory.pk for memory in await eligible_memories(quick)] == memories


async def test_a_take_that_was_replaced_takes_its_rows_with_it(campaign: Campaign) -> None:  # I6
    await in_database(factories.play_turns)(campaign, 8)
    await running.run_due(campaign.pk)
    memory = await Memory.objects.aget(campaign=campaign)

    def told_otherwise() -> None:
        turn = Turn.objects.get(live_take=memory.takes[1])
        other = Take.objects.get(pk=memory.takes[1])
        other.pk, other.ordinal = None, 1
        other.save()
        Turn.objects.filter(pk=turn.pk).update(live_take=other)

    await in_database(told_otherwise)()
    assert await eligible_memories(campaign) == []
    await running.run_due(campaign.pk)  # and its stretch is due again
    (again,) = await eligible_memories(campaign)
    assert (again.first_depth, again.depth) == (0, 3)
    assert again.pk != memory.pk


async def test_failure_is_soft_seen_and_cleared(quick: Campaign, narrator: ScriptedServer) -> None:
    """DRV-01, DRV-02, DRV-03, SUM-11"""
    narrator.answer_notes(lambda messages: refusal(503, "server busy"))
    for _ in range(7):
        await tell(quick)
    failed = (await statuses(quick))["memory"]
    assert (failed.status, failed.failures >= 1) == ("failed", True)
    assert failed.detail
    assert await Memory.objects.acount() == 0
    assert (await in_database(fresh)(quick)).head_depth == 7
    assert (await last_record(quick))["derived"][0]["status"] == "failed"
    narrator.answer_notes(lambda messages: "Mara kept the brass key.")
    await tell(quick)
    healed = (await statuses(quick))["memory"]
    assert (healed.status, healed.failures) == ("ok", 0)
    assert healed.last_success_at is not None
    success = healed.last_success_at
    await running.run_due(quick.pk)
    idle = (await statuses(quick))["memory"]
    assert (idle.status, idle.last_success_at) == ("idle", success)  # DRV-04


@pytest.mark.parametrize("answer", ["", "…", '```state\n{"events": []}\n```'])
async def test_an_answer_without_words_is_a_failure(
    quick: Campaign, narrator: ScriptedServer, answer: str
) -> None:
    narrator.answer_notes(lambda messages: answer)
    for _ in range(6):
        await tell(quick)
    assert (await statuses(quick))["memory"].status == "failed"
    assert await Memory.objects.acount() == 0


async def test_it_waits_while_a_turn_is_told_and_gives_way(quick: Campaign, narrator: ScriptedServer) -> None:
    gate = Gate(after=0)
    narrator.answer_notes(lambda messages: Script(in_words("Mara kept the brass key."), gate=gate))
    for _ in range(4):
        await tell(quick)
    request = await live.outcome(await live.submit(campaign_id=quick.pk, submission=action()))
    assert request.status == "accepted"
    assert await asyncio.to_thread(gate.reached.wait, 5)  # the memory is being asked for
    narrator.client_closed.clear()
    await live.outcome(await live.submit(campaign_id=quick.pk, submission=action("I act at once.")))
    assert await asyncio.to_thread(narrator.client_closed.wait, 5)
    gate.opened.set()
    await running.settle()
    assert await Memory.objects.filter(campaign=quick).acount() >= 1  # and was asked for again


async def test_what_was_cut_short_is_caught_up_with(campaign: Campaign) -> None:  # RST-03
    await in_database(factories.play_turns)(campaign, 20)
    await running.run_due(campaign.pk)
    rows = [row async for row in Memory.objects.order_by("pk")]
    assert [(row.first_depth, row.depth) for row in rows] == [(0, 3), (4, 7), (8, 11), (12, 15)]
    assert await Summary.objects.acount() == 2 or await Summary.objects.acount() == 1
    whole = await in_force(campaign)
    assert whole is not None
    assert whole.depth >= 15


async def test_two_at_once_write_nothing_twice(campaign: Campaign) -> None:  # DRV-10
    await in_database(factories.play_turns)(campaign, 20)
    running.wake(campaign.pk)
    running.wake(campaign.pk)
    await asyncio.gather(running.settle(), running.run_due(campaign.pk))
    depths = [row.depth async for row in Memory.objects.order_by("depth")]
    assert depths == [3, 7, 11, 15]


async def test_everything_can_be_dropped_and_made_again(campaign: Campaign) -> None:  # DRV-06, I9
    for _ in range(10):
        await tell(campaign)
    before = await in_database(lambda: (fresh(campaign).head, read_state_at(fresh(campaign)).document))()
    told = [text async for text in Take.objects.order_by("pk").values_list("narration", flat=True)]
    await Memory.objects.all().adelete()
    await Summary.objects.all().adelete()
    assert (
        before == await in_database(lambda: (fresh(campaign).head, read_state_at(fresh(campaign)).document))()
    )
    assert told == [text async for text in Take.objects.order_by("pk").values_list("narration", flat=True)]
    await tell(campaign)
    await tell(campaign)
    labels = [section["label"] for section in (await last_record(campaign))["sections"]]
    assert {"story_summary", "memories"} <= set(labels)


async def test_settings_can_do_without(campaign: Campaign) -> None:
    campaign.settings = {"memory_top_k": 0, "shares": {"summary": 0.0}}
    await campaign.asave()
    await in_database(factories.play_turns)(campaign, 20)
    await running.run_due(campaign.pk)
    assert await Memory.objects.acount() + await Summary.objects.acount() == 0
    assert {row.status for row in (await statuses(campaign)).values()} == {"disabled"}


async def test_a_forgotten_memory_stays_away_and_a_deleted_one_comes_back(campaign: Campaign) -> None:
    await in_database(factories.play_turns)(campaign, 6)
    await running.run_due(campaign.pk)
    memory = await Memory.objects.aget()
    memory.is_forgotten = True
    await memory.asave()
    await running.run_due(campaign.pk)
    assert await Memory.objects.acount() == 1
    await in_database(delete_memory)(campaign_id=campaign.pk, memory_id=memory.pk)
    await running.run_due(campaign.pk)
    assert await Memory.objects.filter(is_forgotten=False).acount() == 1


async def test_nothing_is_built_on_a_summary_that_was_cleared(campaign: Campaign) -> None:
    for _ in range(9):
        await tell(campaign)
    first = await in_force(campaign)
    assert first is not None
    clear = SummaryChange(cleared=True)
    await in_database(change_summary)(campaign_id=campaign.pk, summary_id=first.pk, change=clear)
    assert await in_force(campaign) is None
    for _ in range(8):
        await tell(campaign)
    second = await in_force(campaign)
    assert second is not None
    assert (second.goes_on_from_id, len(second.takes)) == (None, 16)


async def test_a_summary_that_was_asked_for(campaign: Campaign, owner: User) -> None:
    await in_database(factories.play_turns)(campaign, 6)
    part = await running.summarize(campaign.pk, kind=Summary.Type.TURN_RANGE, first=2, last=4)
    assert (part.first_depth, part.depth, part.trigger, len(part.takes)) == (2, 4, "manual", 3)
    assert await in_force(campaign) is None  # a stretch is no summary of the story
    whole = await running.summarize(campaign.pk, kind=Summary.Type.CAMPAIGN, first=0, last=6)
    assert (whole.first_depth, whole.depth) == (0, 6)
    assert await in_force(campaign) == whole
    rows = await in_database(lambda: list_summaries(fresh(campaign)))()
    assert [(row.is_eligible, row.is_in_force) for row in rows] == [(True, True), (True, False)]
