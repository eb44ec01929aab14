"""A turn from submission to commit, told by a scripted server over both APIs: nothing is ever lost."""

import asyncio
from typing import Any

import pytest

from campaigns.errors import StoppedError, TurnInFlightError
from campaigns.models import Campaign, Take, Turn, TurnRequest
from campaigns.services import head
from campaigns.services.requests import Submission
from narrative import live
from narrative.database import in_database
from narrative.errors import TurnFailedError
from narrative.inference import base
from narrative.models import PromptRecord
from narrative.prompt_records import read_record
from tests.inference_servers.scripted import Fault, Gate, Script, ScriptedServer, in_words, refusal
from tests.inference_servers.scripts import WHOLE_PROMPT
from tests.schema_changes import run_sql

pytestmark = pytest.mark.django_db(transaction=True)

STORY = "The rain stops. Somewhere below a door opens, and shuts again."


def action(text: str = "I wait.", **values: Any) -> Submission:
    return Submission(kind=TurnRequest.Kind.NEW, mode="action", text=text, **values)


async def begin(campaign: Campaign, text: str = "I wait.") -> live.Ticket:
    return await live.submit(campaign_id=campaign.pk, submission=action(text))


async def fail(campaign: Campaign) -> TurnRequest:
    with pytest.raises(TurnFailedError) as failure:
        await live.outcome(await begin(campaign))
    return failure.value.request


async def reach(gate: Gate) -> None:
    assert await asyncio.to_thread(gate.reached.wait, 5)


async def until_stored(request_id: int, text: str) -> None:
    for _ in range(100):
        if (await stored(request_id)).partial.rstrip() == text.rstrip():
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"the text never became {text!r}")


def turn_of(request: TurnRequest) -> Turn:
    assert request.turn is not None
    return request.turn


async def stored(request_id: int) -> TurnRequest:
    return await TurnRequest.objects.aget(pk=request_id)


async def turn_count(campaign: Campaign) -> int:
    return await Turn.objects.filter(branch__campaign=campaign).acount()


async def test_a_turn_is_told_stored_and_the_head_stands_on_it(
    narrator: ScriptedServer, campaign: Campaign
) -> None:
    narrator.play(STORY)
    request = await live.outcome(await begin(campaign, "I listen at the wall."))
    turn = turn_of(request)
    await campaign.arefresh_from_db()
    take = turn.live_take
    assert take is not None
    assert (turn.depth, turn.input, take.narration) == (1, "I listen at the wall.", STORY)
    assert (take.origin, take.finish, take.model) == ("generated", "complete", "scripted")
    assert take.usage["prompt_tokens"] == WHOLE_PROMPT
    assert campaign.head == turn.position


async def test_the_record_of_the_prompt_is_what_the_server_got(
    narrator: ScriptedServer, campaign: Campaign
) -> None:
    narrator.play(STORY)
    request = await live.outcome(await begin(campaign, "I listen at the wall."))
    record = await PromptRecord.objects.aget(take=request.take)
    document = await in_database(read_record)(record)
    assert document["messages"] == narrator.chats[-1].body["messages"]
    labels = [section["label"] for section in document["sections"]]
    assert labels == ["narrator", "history", "length_hint", "player_input"]
    assert document["messages"][-1]["role"] == "user"
    assert document["messages"][-1]["content"].endswith("\n\nI listen at the wall.")
    assert document["messages"][2] == {"role": "assistant", "content": "Rain drives you off the road."}


async def test_the_story_so_far_is_in_the_prompt(
    narrator: ScriptedServer, campaign: Campaign
) -> None:  # TREE-21
    narrator.play("You walk until the trees close in.", STORY)
    await live.outcome(await begin(campaign, "I go north."))
    await live.outcome(await begin(campaign, "I call out."))
    contents = [message["content"] for message in narrator.chats[-1].body["messages"]]
    assert contents[-3:-1] == ["I go north.", "You walk until the trees close in."]
    assert contents[-1].endswith("\n\nI call out.")


async def test_a_retry_is_told_without_the_take_it_replaces(
    narrator: ScriptedServer, campaign: Campaign
) -> None:
    narrator.play("A sentinel oath is sworn.", STORY)
    first = await live.outcome(await begin(campaign, "I knock."))
    again = Submission(kind=TurnRequest.Kind.RETRY, replaces_id=first.turn_id)
    second = await live.outcome(await live.submit(campaign_id=campaign.pk, submission=again))
    assert second.turn_id == first.turn_id
    assert "sentinel" not in str(narrator.chats[-1].body)
    assert await Take.objects.filter(turn=first.turn).acount() == 2


async def test_text_is_stored_before_it_is_shown(narrator: ScriptedServer, campaign: Campaign) -> None:
    gate = Gate(after=3)
    narrator.play(Script(in_words(STORY), gate=gate))
    ticket = await begin(campaign)
    shown = ""
    async for frame in live.follow(ticket.request_id):
        if frame.type == "turn.delta":
            shown += frame.text
            assert (await stored(ticket.request_id)).partial.startswith(shown)
            gate.opened.set()
    assert shown == STORY


async def test_a_follower_who_comes_late_gets_everything_once(
    narrator: ScriptedServer, campaign: Campaign
) -> None:
    gate = Gate(after=4)
    narrator.play(Script(in_words(STORY), gate=gate))
    ticket = await begin(campaign)
    await until_stored(ticket.request_id, "The rain stops. Somewhere ")
    gate.opened.set()
    texts = [f.text async for f in live.follow(ticket.request_id, shown=4) if f.type == "turn.delta"]
    assert "The " + "".join(texts) == STORY


@pytest.mark.parametrize(
    ("script", "code", "kept"),
    [
        (refusal(500, "boom"), "inference_bad_response", ""),
        (refusal(503, "server busy"), "inference_overloaded", ""),
        (refusal(404, "model 'scripted' not found"), "inference_model_missing", ""),
        (Script(in_words(STORY), fault=Fault.HANG_BEFORE), "inference_timed_out", ""),
        (Script(in_words(STORY), fault=Fault.HANG_MIDWAY, after=2), "inference_timed_out", "The rain "),
        (Script(in_words(STORY), fault=Fault.CUT_MIDWAY, after=2), "inference_bad_response", "The rain "),
        (Script(in_words(STORY), fault=Fault.ERROR_MIDWAY, after=2), "inference_bad_response", "The rain "),
        (Script(in_words(STORY), fault=Fault.NO_END), "inference_bad_response", STORY),
        (Script(in_words(STORY), fault=Fault.GARBAGE, after=2), "inference_bad_response", "The rain "),
        (Script(in_words(STORY), fault=Fault.INVALID_UTF8, after=2), "inference_bad_response", "The rain "),
        (Script(), "inference_bad_response", ""),
        (Script(thinking=("Hm. ", "Well.")), "inference_bad_response", ""),
    ],
    ids=lambda value: value.fault or value.status if isinstance(value, Script) else "",
)
async def test_a_fault_of_the_server_loses_nothing(
    narrator: ScriptedServer, settings: Any, campaign: Campaign, script: Script, code: str, kept: str
) -> None:
    settings.FIRST_TOKEN_TIMEOUT = 0.5
    settings.TOKEN_TIMEOUT = 0.5
    narrator.play(script, STORY)
    request = await fail(campaign)
    assert request.code == code
    assert request.partial == kept
    assert request.text == "I wait."
    assert len(request.detail) > 20
    await campaign.arefresh_from_db()
    assert (await turn_count(campaign), campaign.head_depth) == (1, 0)
    await live.outcome(await begin(campaign))
    assert await turn_count(campaign) == 2


@pytest.mark.parametrize(
    ("chunks", "told"),
    [
        (("A \ud83d", "\ude00 smile."), "A \U0001f600 smile."),
        (("Half \ud83d", " a smile."), "Half  a smile."),
        (("A \x00nul and \x1b[31m colour.\r\n", "Next."), "A nul and [31m colour.\nNext."),
    ],
)
async def test_what_is_told_is_what_was_shown(
    narrator: ScriptedServer, campaign: Campaign, chunks: tuple[str, ...], told: str
) -> None:
    narrator.play(Script(chunks))
    ticket = await begin(campaign)
    shown = "".join([f.text async for f in live.follow(ticket.request_id) if f.type == "turn.delta"])
    request = await live.outcome(ticket)
    assert request.take is not None
    assert request.take.narration == shown == told


@pytest.mark.parametrize("reply", ["\x00\x00", "\u200b", " \n "])
async def test_a_reply_without_anything_to_read_is_no_turn(
    narrator: ScriptedServer, campaign: Campaign, reply: str
) -> None:
    narrator.play(Script((reply,)))
    assert (await fail(campaign)).code == "inference_bad_response"
    assert await turn_count(campaign) == 1


async def test_rehearsal_tells_a_turn_in_other_words_the_second_time(campaign: Campaign) -> None:
    first = await live.outcome(await begin(campaign, "I open the door."))
    tellings = {turn_of(first).live_take.narration}  # type: ignore[union-attr]
    for _ in range(3):
        again = Submission(kind=TurnRequest.Kind.RETRY, replaces_id=turn_of(first).pk)
        told = await live.outcome(await live.submit(campaign_id=campaign.pk, submission=again))
        assert told.take is not None
        tellings.add(told.take.narration)
    assert len(tellings) == 4


async def test_a_failed_turn_can_be_told_by_the_rehearsal_narrator(
    narrator: ScriptedServer, campaign: Campaign
) -> None:
    narrator.play(refusal(500, "boom"))
    request = await fail(campaign)
    ticket = await live.resubmit(campaign_id=campaign.pk, request_id=request.pk, backend="rehearsal")
    told = await live.outcome(ticket)
    assert told.take is not None
    assert (told.take.backend, told.text) == ("rehearsal", "I wait.")
    assert len(narrator.chats) == 1


async def test_a_reply_without_an_end_is_cut_off(narrator: ScriptedServer, campaign: Campaign) -> None:
    narrator.play(Script(fault=Fault.HUGE))
    request = await fail(campaign)
    assert request.code == "inference_bad_response"
    assert 0 < len(request.partial) < 1_000_000


async def test_stop_keeps_what_had_arrived_and_closes_the_connection(
    narrator: ScriptedServer, campaign: Campaign
) -> None:
    gate = Gate(after=3)
    narrator.play(Script(in_words(STORY), gate=gate))
    ticket = await begin(campaign)
    await until_stored(ticket.request_id, "The rain stops. ")
    await live.stop(campaign_id=campaign.pk, keep=True)
    request = await live.outcome(ticket)
    turn = turn_of(request)
    assert turn.live_take is not None
    assert (turn.live_take.narration, turn.live_take.finish) == ("The rain stops.", "stopped")
    assert await asyncio.to_thread(narrator.client_closed.wait, 2)
    assert await PromptRecord.objects.filter(take=request.take).aexists()


async def test_stop_without_keeping_leaves_the_text_on_the_request(
    narrator: ScriptedServer, campaign: Campaign
) -> None:
    gate = Gate(after=3)
    narrator.play(Script(in_words(STORY), gate=gate))
    ticket = await begin(campaign)
    await until_stored(ticket.request_id, "The rain stops. ")
    await live.stop(campaign_id=campaign.pk, keep=False)
    with pytest.raises(StoppedError):
        await live.outcome(ticket)
    request = await stored(ticket.request_id)
    assert (request.status, request.partial) == ("stopped", "The rain stops.")
    assert await turn_count(campaign) == 1


async def test_stop_before_the_first_word_offers_the_input_again(
    narrator: ScriptedServer, campaign: Campaign
) -> None:
    narrator.play(Script(in_words(STORY), fault=Fault.HANG_BEFORE))
    ticket = await begin(campaign, "I run.")
    while not narrator.chats:  # noqa: ASYNC110 - the server has no event to await
        await asyncio.sleep(0.01)
    await live.stop(campaign_id=campaign.pk, keep=True)
    with pytest.raises(StoppedError):
        await live.outcome(ticket)
    assert (await stored(ticket.request_id)).text == "I run."
    assert await asyncio.to_thread(narrator.client_closed.wait, 2)


async def test_a_stopped_and_kept_retry_leaves_the_live_take(
    narrator: ScriptedServer, campaign: Campaign
) -> None:
    gate = Gate(after=3)
    narrator.play("First telling.", Script(in_words(STORY), gate=gate))
    first = await live.outcome(await begin(campaign))
    again = Submission(kind=TurnRequest.Kind.RETRY, replaces_id=first.turn_id)
    ticket = await live.submit(campaign_id=campaign.pk, submission=again)
    await until_stored(ticket.request_id, "The rain stops. ")
    await live.stop(campaign_id=campaign.pk, keep=True)
    await live.outcome(ticket)
    turn = await Turn.objects.select_related("live_take").aget(pk=turn_of(first).pk)
    assert turn.live_take is not None
    assert turn.live_take.narration == "First telling."
    assert [t.narration async for t in turn.takes.order_by("ordinal")] == [
        "First telling.",
        "The rain stops.",
    ]


async def test_one_turn_at_a_time(narrator: ScriptedServer, campaign: Campaign) -> None:
    gate = Gate()
    narrator.play(Script(in_words(STORY), gate=gate))
    ticket = await begin(campaign)
    await reach(gate)
    with pytest.raises(TurnInFlightError):
        await begin(campaign)
    with pytest.raises(TurnInFlightError):
        await in_database(head.undo)(campaign_id=campaign.pk)
    gate.opened.set()
    await live.outcome(ticket)


async def test_whoever_waits_may_go_away(narrator: ScriptedServer, campaign: Campaign) -> None:
    gate = Gate()
    narrator.play(Script(in_words(STORY), gate=gate))
    ticket = await begin(campaign)
    waiting = asyncio.create_task(live.outcome(ticket))
    await reach(gate)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    gate.opened.set()
    assert (await live.outcome(ticket)).status == "accepted"


async def test_the_same_request_id_tells_one_turn(narrator: ScriptedServer, campaign: Campaign) -> None:
    narrator.play(STORY)
    first = await live.submit(campaign_id=campaign.pk, submission=action(client_id="once"))
    await live.outcome(first)
    second = await live.submit(campaign_id=campaign.pk, submission=action(client_id="once"))
    assert (second.request_id, second.is_new) == (first.request_id, False)
    assert len(narrator.chats) == 1
    assert (await live.outcome(second)).turn_id == (await live.outcome(first)).turn_id


async def test_a_prompt_that_cannot_fit_is_not_sent(
    narrator: ScriptedServer, settings: Any, campaign: Campaign
) -> None:  # TURN-08
    settings.CONTEXT_WINDOW, settings.MAX_OUTPUT_TOKENS = 512, 4000
    request = await fail(campaign)
    assert request.code == "context_overflow"
    assert "512" in request.detail
    assert narrator.chats == []
    settings.CONTEXT_WINDOW = 8192
    await live.outcome(await begin(campaign))


COMMIT_STEPS = {
    "turn stored": "BEFORE INSERT ON campaigns_take WHEN NEW.origin = 'generated'",
    "head moved": "BEFORE UPDATE OF head_depth ON campaigns_campaign WHEN NEW.head_depth = 1",
    "request settled": "BEFORE UPDATE ON campaigns_turnrequest WHEN NEW.status = 'accepted'",
    "change counted": "BEFORE UPDATE OF change_count ON campaigns_campaign WHEN NEW.head_depth = 1",
    "record handed over": "BEFORE UPDATE ON narrative_promptrecord WHEN NEW.take_id IS NOT NULL",
}


@pytest.mark.parametrize("step", COMMIT_STEPS)
async def test_a_turn_is_committed_whole_or_not_at_all(
    narrator: ScriptedServer, campaign: Campaign, step: str
) -> None:  # TURN-01
    narrator.play(STORY)
    await in_database(run_sql)(
        f"CREATE TRIGGER fail {COMMIT_STEPS[step]} BEGIN SELECT RAISE(ABORT, 'full'); END"
    )
    try:
        request = await fail(campaign)
    finally:
        await in_database(run_sql)("DROP TRIGGER fail")
    assert (request.code, request.partial) == ("storage_failed", STORY)
    await campaign.arefresh_from_db()
    assert (await turn_count(campaign), campaign.head_depth) == (1, 0)
    assert await Take.objects.acount() == 1
    ticket = await live.resubmit(campaign_id=campaign.pk, request_id=request.pk)
    assert (await live.outcome(ticket)).status == "accepted"


async def test_an_end_that_cannot_be_stored_is_stored_when_it_can(
    narrator: ScriptedServer, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "_SETTLE_AGAIN_SECONDS", 0.1)
    narrator.play(STORY)
    await in_database(run_sql)(
        "CREATE TRIGGER fail BEFORE UPDATE ON campaigns_turnrequest WHEN NEW.status IN ('accepted', 'failed')"
        " BEGIN SELECT RAISE(ABORT, 'full'); END"
    )
    request = await fail(campaign)
    assert request.code == "storage_failed"
    await in_database(run_sql)("DROP TRIGGER fail")
    for _ in range(100):
        if (await stored(request.pk)).status == "failed":
            break
        await asyncio.sleep(0.05)
    assert (await stored(request.pk)).partial == STORY
    await live.outcome(await begin(campaign))


async def test_a_fault_of_the_program_frees_the_campaign(
    campaign: Campaign, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.INFERENCE_API = "no such thing"
    request = await fail(campaign)
    assert request.code == "internal_error"
    settings.INFERENCE_API = "rehearsal"
    assert (await live.outcome(await begin(campaign))).status == "accepted"


def test_every_typed_error_has_its_code() -> None:
    codes = {error.code for error in base.InferenceError.__subclasses__()}
    assert codes == {
        "unreachable", "refused_by_policy", "model_missing", "context_exceeded", "bad_response", "timed_out",
        "overloaded",
    }  # fmt: skip
