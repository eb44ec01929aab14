"""What a told turn does to the state: both ways to events, over both APIs, never failing a turn for it."""

import asyncio
import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from campaigns.models import Campaign, Take, Turn, TurnRequest
from campaigns.services import head
from campaigns.services.requests import Submission
from narrative import live
from narrative.database import in_database
from narrative.errors import TurnFailedError
from narrative.models import PromptRecord, Proposal, StateEvent
from narrative.prompt_records import read_record
from narrative.state.document import Document
from narrative.state_history import read_state_at
from narrative.verification import CHECKS
from tests.inference_servers.scripted import Fault, Gate, Script, ScriptedServer, in_words, refusal
from tests.narrative.stories import begin_story

pytestmark = pytest.mark.django_db(transaction=True)

STORY = "Mara takes the silver key from you and turns it over in the firelight."
GIVE = {"type": "set_possession", "item": "silver-key", "owner": "mara"}
BLOCK = "```state\n{}\n```"


@pytest.fixture
def story(owner: User) -> Campaign:
    return begin_story(owner)


async def play(campaign: Campaign, text: str = "I give Mara the key.") -> Turn:
    submission = Submission(kind=TurnRequest.Kind.NEW, mode="action", text=text)
    return await _told(campaign, submission)


async def retry(campaign: Campaign, turn: Turn) -> Turn:
    return await _told(campaign, Submission(kind=TurnRequest.Kind.RETRY, replaces_id=turn.pk))


async def _told(campaign: Campaign, submission: Submission) -> Turn:
    request = await live.outcome(await live.submit(campaign_id=campaign.pk, submission=submission))
    turn: Turn = await Turn.objects.select_related("live_take").aget(pk=request.turn_id or 0)
    return turn


async def state(campaign: Campaign) -> Document:
    fresh = await Campaign.objects.aget(pk=campaign.pk)
    return (await in_database(read_state_at)(fresh)).document


async def proposal(turn: Turn) -> Proposal:
    return await Proposal.objects.filter(take__turn=turn).alatest("pk")


async def assert_whole(campaign: Campaign) -> None:
    def find() -> list[Any]:
        return [breach for check in CHECKS for breach in check.find(campaign.pk)]

    assert await in_database(find)() == []


def block(*events: dict[str, Any]) -> str:
    return f"{STORY}\n\n{BLOCK.format(json.dumps({'events': events}))}"


async def test_a_call_asks_on_the_narrators_own_prompt(narrator: ScriptedServer, story: Campaign) -> None:
    narrator.play(STORY)
    narrator.answer_changes([GIVE])
    turn = await play(story)
    [told], [asked] = narrator.chats, narrator.extractions
    sent, added = asked.body["messages"][: len(told.body["messages"])], asked.body["messages"][-2:]
    assert sent == told.body["messages"]
    assert added[0] == {"role": "assistant", "content": STORY}
    assert "state" not in {key for message in sent for key in message if key != "role"} - {"content"}
    assert "```state" not in json.dumps(sent)
    schema = asked.body.get("format") or asked.body["response_format"]["json_schema"]["schema"]
    assert "silver-key" in json.dumps(schema)
    if "options" in told.body:
        assert asked.body["options"]["num_ctx"] == told.body["options"]["num_ctx"]
        assert asked.body["think"] is False
    assert (await state(story)).possessions == {"silver-key": "mara"}
    take = turn.live_take
    assert take is not None
    assert (take.narration, take.changes) == (STORY, ["the silver key: now with Mara"])
    assert (take.proposal_status, take.proposal_way) == ("accepted", "call")
    await assert_whole(story)


async def test_a_block_is_taken_off_the_prose_and_no_call_is_made(
    narrator: ScriptedServer, story: Campaign
) -> None:
    narrator.play(block(GIVE))
    turn = await play(story)
    assert narrator.extractions == []
    made = await proposal(turn)
    assert turn.live_take is not None
    assert turn.live_take.narration == STORY
    assert (made.way, made.status, made.model) == ("block", "accepted", "scripted")
    assert "```state" in made.raw[0]
    assert (await state(story)).possessions == {"silver-key": "mara"}


async def test_in_the_block_way_the_narrator_is_told_how(
    narrator: ScriptedServer, story: Campaign, settings: Settings
) -> None:
    settings.EVENTS = "block"
    narrator.play(block(GIVE))
    await play(story)
    messages = narrator.chats[0].body["messages"]
    assert "fenced block labelled state" in messages[0]["content"]
    assert "set_possession: item, owner" in messages[0]["content"]
    assert "[Now close with the state block" in messages[-1]["content"]
    assert messages[-1]["content"].endswith("I give Mara the key.")
    await play(story, "I wait.")
    replayed = json.dumps(narrator.chats[1].body["messages"][1:-1])
    assert STORY in replayed
    assert "set_possession" not in replayed
    assert "events" not in replayed


@pytest.mark.parametrize("reply", [STORY, f"{STORY}\n\n```state\n{{oh no\n```"])
async def test_in_the_block_way_a_missing_or_broken_block_leads_to_the_call(
    narrator: ScriptedServer, story: Campaign, settings: Settings, reply: str
) -> None:
    settings.EVENTS = "block"
    narrator.play(reply)
    narrator.answer_changes([GIVE])
    turn = await play(story)
    made = await proposal(turn)
    assert (made.way, made.status) == ("call", "accepted")
    assert len(made.raw) == (1 if reply == STORY else 2)
    assert turn.live_take is not None
    assert turn.live_take.narration == STORY


async def test_an_answer_that_does_not_fit_is_asked_for_once_more(
    narrator: ScriptedServer, story: Campaign
) -> None:
    narrator.play(STORY)
    narrator.answer_changes("I would say that Mara has the key.", [GIVE])
    turn = await play(story)
    assert len(narrator.extractions) == 2
    made = await proposal(turn)
    assert (made.status, len(made.raw)) == ("accepted", 2)
    assert (await state(story)).possessions == {"silver-key": "mara"}


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("nothing but prose", "unparseable"),
        ('{"events": [{"type": "set_po', "unparseable"),
        (refusal(500, "the model has crashed"), "none"),
        (Script(in_words("{"), fault=Fault.NO_END), "none"),
        (Script(raw=b"\xff\xfe garbage"), "none"),
        ('"a text"', "rejected"),
        ('{"events": "none"}', "rejected"),
        ("{}", "accepted"),
    ],
)
async def test_a_turn_never_fails_for_what_it_changed(
    narrator: ScriptedServer, story: Campaign, answer: Script | str, status: str
) -> None:
    narrator.play(STORY)
    narrator.answer_changes(answer)
    turn = await play(story)
    assert turn.live_take is not None
    assert (turn.live_take.narration, turn.live_take.changes) == (STORY, [])
    made = await proposal(turn)
    assert made.status == turn.live_take.proposal_status == status
    assert (made.note != "") is (status == "none")
    assert (await state(story)).possessions == {"silver-key": "aldric"}
    await assert_whole(story)


async def test_what_takes_too_long_is_let_go(
    narrator: ScriptedServer, story: Campaign, settings: Settings
) -> None:
    settings.SETTLE_TIMEOUT = 0.3
    narrator.play(STORY)
    narrator.answer_changes(Script(in_words("{ }"), fault=Fault.HANG_BEFORE))
    turn = await play(story)
    made = await proposal(turn)
    assert (made.status, made.way) == ("none", "")
    assert "in time" in made.note
    assert turn.live_take is not None
    assert turn.live_take.narration == STORY


async def test_a_stop_while_settling_skips_the_call_and_keeps_the_turn(
    narrator: ScriptedServer, story: Campaign
) -> None:
    gate = Gate(after=1)
    narrator.play(STORY)
    narrator.answer_changes(Script(in_words('{ "events": [] }'), gate=gate))
    submission = Submission(kind=TurnRequest.Kind.NEW, mode="action", text="I wait.")
    ticket = await live.submit(campaign_id=story.pk, submission=submission)
    assert await asyncio.to_thread(gate.reached.wait, 10)
    request = await TurnRequest.objects.aget(pk=ticket.request_id)
    assert (request.status, request.partial) == ("settling", STORY)
    await live.stop(campaign_id=story.pk, keep=False)
    told = await live.outcome(ticket)
    take = await Take.objects.aget(pk=told.take_id or 0)
    assert (take.narration, take.finish, take.proposal_status) == (STORY, "complete", "none")
    gate.opened.set()


async def test_settling_is_told_after_the_whole_text(narrator: ScriptedServer, story: Campaign) -> None:
    narrator.play(block(GIVE))
    submission = Submission(kind=TurnRequest.Kind.NEW, mode="action", text="I wait.")
    ticket = await live.submit(campaign_id=story.pk, submission=submission)
    frames = [frame async for frame in live.frames(ticket)]
    kinds = [frame.type for frame in frames]
    assert kinds[0] == "turn.started"
    assert kinds[-2:] == ["turn.settling", "turn.accepted"]
    shown = "".join(frame.text for frame in frames if frame.type == "turn.delta")
    assert shown.rstrip() == STORY


async def test_a_reply_without_prose_fails_and_leaves_nothing(
    narrator: ScriptedServer, story: Campaign
) -> None:
    narrator.play(BLOCK.format('{"events": []}'))
    with pytest.raises(TurnFailedError) as failure:
        await play(story)
    assert failure.value.request.code == "inference_bad_response"
    assert await Turn.objects.filter(branch__campaign=story).acount() == 1
    assert await Proposal.objects.filter(campaign=story).acount() == 1  # of the beginning


async def test_what_was_refused_is_told_once(narrator: ScriptedServer, story: Campaign) -> None:
    narrator.play(STORY)
    nowhere = {"type": "set_current_location", "entity": "mara", "location": "nowhere"}
    narrator.answer_changes([nowhere, GIVE], [])
    turn = await play(story)
    made = await proposal(turn)
    assert made.status == "partially_accepted"
    assert made.refused[0]["layer"] == "references"
    await play(story, "I wait.")
    await play(story, "I wait on.")
    first, second, third = (each.body["messages"][-1]["content"] for each in narrator.extractions)
    assert "nowhere" not in first
    assert "there is no entity “nowhere”" in second
    assert "nowhere" not in third
    assert "nowhere" not in json.dumps([chat.body["messages"] for chat in narrator.chats])


async def test_in_the_block_way_the_narrator_is_told_what_was_refused(
    narrator: ScriptedServer, story: Campaign, settings: Settings
) -> None:
    settings.EVENTS = "block"
    events = [{"type": "execute_shell", "command": "ls"} for _ in range(9)]
    narrator.play(block(*events), STORY)
    await play(story)
    await play(story, "I wait.")
    last = narrator.chats[1].body["messages"][-1]["content"]
    start = last.index("[Of the changes proposed last")
    note = last[start : last.index("]", start)]
    assert len(note.splitlines()) <= 6
    assert "execute_shell" in note
    assert "command" not in note.replace("commands", "")


async def test_the_state_is_in_the_prompt_and_the_reply_of_the_model_is_not(
    narrator: ScriptedServer, story: Campaign
) -> None:
    narrator.play(STORY)
    narrator.answer_changes([GIVE])
    await play(story)
    await play(story, "I wait.")
    record = await PromptRecord.objects.alatest("pk")
    sections = {each["label"]: each for each in (await in_database(read_record)(record))["sections"]}
    text = sections["narrative_state"]["text"]
    assert "- silver-key: the silver key, item; held by mara" in text
    assert "- reach-the-abbey: Get to the Old Abbey before dawn" in text
    assert "\n\n" not in text
    assert "The status “dead” never becomes “active”." in sections["campaign_canon"]["text"]
    assert text in narrator.chats[1].body["messages"][-1]["content"]


async def test_a_retry_starts_from_the_state_before_the_turn(
    narrator: ScriptedServer, story: Campaign
) -> None:
    def tally(value: int) -> dict[str, Any]:
        return {"type": "add_fact", "fact_id": f"tally-{value}", "predicate": "tally", "value": value}

    narrator.play(STORY)
    narrator.answer_changes([tally(10)], [tally(20)], [tally(30)])
    turn = await play(story)
    again = await retry(story, turn)
    assert again.pk == turn.pk
    assert [fact.value for fact in (await state(story)).facts] == [20]
    await play(story, "I go on.")
    assert [fact.value for fact in (await state(story)).facts] == [20, 30]
    await in_database(head.undo)(campaign_id=story.pk, steps=2)
    assert (await state(story)).facts == ()
    await in_database(head.redo)(campaign_id=story.pk, steps=2)
    assert [fact.value for fact in (await state(story)).facts] == [20, 30]
    await assert_whole(story)


@pytest.mark.parametrize(
    ("demand", "owner_after", "status"),
    [("mark", "edrin", "accepted"), ("refuse", "aldric", "partially_accepted"), ("off", "edrin", "accepted")],
)
async def test_what_the_text_does_not_say_is_marked_or_refused(
    narrator: ScriptedServer, story: Campaign, settings: Settings, demand: str, owner_after: str, status: str
) -> None:
    settings.EVIDENCE = demand
    edrin = {"type": "create_entity", "entity": "edrin", "name": "Edrin", "entity_type": "character"}
    narrator.play(STORY, "The fire sinks.")
    narrator.answer_changes([], [edrin, {**GIVE, "owner": "edrin"}, {"type": "set_scene", "mood": "still"}])
    await play(story)
    turn = await play(story, "I wait.")
    assert (await state(story)).possessions["silver-key"] == owner_after
    made = await proposal(turn)
    assert made.status == status
    marks = [
        each.is_unsupported async for each in StateEvent.objects.filter(proposal=made).order_by("sequence")
    ]
    assert marks == {"mark": [True, True, False], "refuse": [False], "off": [False] * 3}[demand]


async def test_the_old_relative_form_changes_nothing(narrator: ScriptedServer, story: Campaign) -> None:
    narrator.play(f'{STORY}\n```state\n{{"player.hp": -80}}\n```')
    turn = await play(story)
    made = await proposal(turn)
    assert (made.status, made.way) == ("accepted", "block")
    assert "player.hp" in made.raw[0]
    assert not await StateEvent.objects.filter(proposal=made).aexists()
    assert turn.live_take is not None
    assert turn.live_take.narration == STORY


async def test_a_model_that_names_a_shell_reaches_nothing(narrator: ScriptedServer, story: Campaign) -> None:
    narrator.play(STORY)
    narrator.answer_changes([{"type": "execute_shell", "command": "touch /tmp/reached"}, GIVE])
    turn = await play(story)
    made = await proposal(turn)
    assert [each["layer"] for each in made.refused] == ["allowlist"]
    assert [each.type async for each in StateEvent.objects.filter(proposal=made)] == ["set_possession"]


async def test_no_room_in_the_window_skips_the_call(
    narrator: ScriptedServer, story: Campaign, settings: Settings
) -> None:
    settings.CONTEXT_WINDOW, settings.MAX_OUTPUT_TOKENS = 2600, 200
    narrator.play(" ".join(["Rain falls on the road."] * 400))
    turn = await play(story)
    made = await proposal(turn)
    assert (made.status, narrator.extractions) == ("none", [])
    assert "no room" in made.note


async def test_rehearsal_grows_the_state(story: Campaign) -> None:
    await play(story, "I go to the Old Abbey.")
    document = await state(story)
    assert document.entities["aldric"].location == "old-abbey"
    await assert_whole(story)


@pytest.mark.parametrize("way", ["call", "block"])
async def test_both_ways_of_rehearsal_say_the_same(owner: User, settings: Settings, way: str) -> None:
    settings.EVENTS = way
    story = await in_database(begin_story)(owner)
    turn = await play(story, "I take the lantern and go to the Old Abbey.")
    made = await proposal(turn)
    assert made.way == way
    held = (await state(story)).possessions
    assert "aldric" in held.values()
    assert (await state(story)).entities["aldric"].location == "old-abbey"
    assert turn.live_take is not None
    assert "```" not in turn.live_take.narration
