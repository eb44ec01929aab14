"""The WebSocket through the real application: every frame, two tabs, and sockets that go away."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client

from campaigns.changes import StoryChange
from campaigns.models import Campaign, TurnRequest
from campaigns.services import head, requests
from narrative import live
from narrative.database import in_database
from narrative.watching import story_changed
from storyteller.asgi import application
from tests import factories
from tests.inference_servers.scripted import Fault, Gate, Script, ScriptedServer, in_words
from tests.schema_changes import run_sql

pytestmark = pytest.mark.django_db(transaction=True)

STORY = "The rain stops. Somewhere below a door opens, and shuts again."
Frame = dict[str, Any]


class Tab:
    """A browser tab, as far as its socket goes."""

    def __init__(self, campaign_id: int, user: User | None) -> None:
        headers = [(b"host", b"localhost:8000"), (b"origin", b"http://localhost:8000")]
        if user is not None:
            client = Client()
            client.force_login(user)
            cookie = client.cookies["storyteller_session"].value
            headers.append((b"cookie", f"storyteller_session={cookie}".encode()))
        self.socket = WebsocketCommunicator(application, f"/ws/campaigns/{campaign_id}/", headers=headers)

    async def send(self, **frame: Any) -> None:
        await self.socket.send_json_to(frame)

    async def until(self, kind: str) -> Frame:
        """The next frame of a kind; others in between are passed over."""
        return (await self.all_until(kind))[-1]

    async def all_until(self, kind: str) -> list[Frame]:
        frames: list[Frame] = []
        while not frames or frames[-1]["type"] != kind:
            frames.append(await self.socket.receive_json_from(timeout=30))
        return frames


@asynccontextmanager
async def open_tab(campaign: Campaign, user: User | None) -> AsyncIterator[Tab]:
    tab = await in_database(Tab)(campaign.pk, user)
    connected, _ = await tab.socket.connect(timeout=30)
    assert connected
    yield tab
    await tab.socket.disconnect()


async def test_hello_tells_where_the_story_stands(campaign: Campaign, owner: User) -> None:
    async with open_tab(campaign, owner) as tab:
        hello = await tab.until("hello")
    assert hello["head"]["depth"] == 0
    assert (hello["can_undo"], hello["can_redo"], hello["active_request"]) == (False, False, None)


async def test_a_turn_from_submission_to_acceptance(
    campaign: Campaign, owner: User, narrator: ScriptedServer
) -> None:
    narrator.play(STORY)
    async with open_tab(campaign, owner) as tab:
        await tab.until("hello")
        await tab.send(type="turn.submit", request_id="r1", mode="action", text="I listen.")
        frames = await tab.all_until("turn.accepted")
        moved = [f for f in frames if f["type"] == "head.moved"] or [await tab.until("head.moved")]
    kinds = [f["type"] for f in frames if f["type"].startswith("turn.") and f["type"] != "turn.delta"]
    assert kinds == ["turn.started", "turn.settling", "turn.accepted"]
    started = next(f for f in frames if f["type"] == "turn.started")["request"]
    assert (started["mode"], started["text"]) == ("action", "I listen.")
    assert "".join(f["text"] for f in frames if f["type"] == "turn.delta") == STORY
    turn = frames[-1]["turn"]
    assert (turn["narration"], turn["input"], turn["depth"]) == (STORY, "I listen.", 1)
    assert moved[0]["head"] == {"branch": turn["branch"], "depth": 1, "turn": turn["id"]}


async def test_reasoning_is_kept_apart(campaign: Campaign, owner: User, narrator: ScriptedServer) -> None:
    narrator.play(Script(in_words(STORY), thinking=("A door ", "would do.")))
    async with open_tab(campaign, owner) as tab:
        await tab.send(type="turn.submit", request_id="r1", mode="action", text="I listen.")
        frames = await tab.all_until("turn.accepted")
    assert "".join(f["text"] for f in frames if f["type"] == "turn.reasoning") == "A door would do."
    assert frames[-1]["turn"]["narration"] == STORY


async def test_a_second_tab_follows_live(campaign: Campaign, owner: User, narrator: ScriptedServer) -> None:
    gate = Gate(after=3)
    narrator.play(Script(in_words(STORY), gate=gate))
    async with open_tab(campaign, owner) as first, open_tab(campaign, owner) as second:
        await second.until("hello")
        await first.send(type="turn.submit", request_id="r1", mode="action", text="I listen.")
        await second.until("turn.delta")
        gate.opened.set()
        assert (await second.until("turn.accepted"))["turn"]["narration"] == STORY


async def test_a_tab_that_comes_in_the_middle_gets_what_was_and_then_the_rest(
    campaign: Campaign, owner: User, narrator: ScriptedServer
) -> None:
    gate = Gate(after=3)
    narrator.play(Script(in_words(STORY), gate=gate))
    async with open_tab(campaign, owner) as tab:
        await tab.send(type="turn.submit", request_id="r1", mode="action", text="I listen.")
        await tab.until("turn.delta")
        await until_partial(campaign, "The rain stops.")
    async with open_tab(campaign, owner) as tab:
        hello = await tab.until("hello")
        assert hello["active_request"]["text"] == "I listen."
        gate.opened.set()
        frames = await tab.all_until("turn.accepted")
    rest = "".join(f["text"] for f in frames if f["type"] == "turn.delta")
    assert hello["active_request"]["partial"] + rest == STORY


async def test_the_browser_vanishing_does_not_end_the_turn(
    campaign: Campaign, owner: User, narrator: ScriptedServer
) -> None:
    gate = Gate(after=3)
    narrator.play(Script(in_words(STORY), gate=gate))
    async with open_tab(campaign, owner) as tab:
        await tab.send(type="turn.submit", request_id="r1", mode="action", text="I listen.")
        started = await tab.until("turn.started")
    gate.opened.set()
    request = await live.outcome(live.Ticket(started["request"]["id"], is_new=True))
    assert request.status == "accepted"


async def test_a_frame_sent_at_once_is_heard_after_the_greeting(
    campaign: Campaign, owner: User, narrator: ScriptedServer
) -> None:
    narrator.play(STORY)
    async with open_tab(campaign, owner) as tab:
        await tab.send(type="turn.submit", request_id="r1", mode="action", text="I listen.")
        frames = await tab.all_until("turn.accepted")
        await tab.send(type="ping")
        frames += await tab.all_until("pong")
    kinds = [frame["type"] for frame in frames]
    assert (kinds[0], kinds.count("turn.started"), kinds.count("turn.accepted")) == ("hello", 1, 1)
    assert "".join(frame["text"] for frame in frames if frame["type"] == "turn.delta") == STORY


@pytest.mark.parametrize(("keep", "narration"), [(True, "The rain stops."), (False, None)])
async def test_stop_is_heard_while_text_streams(
    campaign: Campaign, owner: User, narrator: ScriptedServer, *, keep: bool, narration: str | None
) -> None:
    narrator.play(Script(in_words(STORY), gate=Gate(after=3)))
    async with open_tab(campaign, owner) as tab:
        await tab.send(type="turn.submit", request_id="r1", mode="action", text="I listen.")
        await until_partial(campaign, "The rain stops.")
        await tab.send(type="turn.stop", keep=keep)
        stopped = await tab.until("turn.stopped")
    assert (stopped["turn"] and stopped["turn"]["narration"]) == narration


async def test_a_failure_is_told_with_its_text(
    campaign: Campaign, owner: User, narrator: ScriptedServer
) -> None:
    narrator.play(Script(in_words(STORY), fault=Fault.CUT_MIDWAY, after=2))
    async with open_tab(campaign, owner) as tab:
        await tab.send(type="turn.submit", request_id="r1", mode="action", text="I listen.")
        failed = await tab.until("turn.failed")
    assert (failed["code"], failed["partial"]) == ("inference_bad_response", "The rain ")


async def test_retry_over_the_socket(campaign: Campaign, owner: User, narrator: ScriptedServer) -> None:
    narrator.play("First.", STORY)
    async with open_tab(campaign, owner) as tab:
        await tab.send(type="turn.submit", request_id="r1", mode="action", text="I listen.")
        turn = (await tab.until("turn.accepted"))["turn"]
        await tab.send(type="turn.retry", request_id="r2", turn=turn["id"])
        again = (await tab.until("turn.accepted"))["turn"]
    assert (again["id"], again["take_count"], again["narration"]) == (turn["id"], 2, STORY)


async def test_a_second_submission_is_refused_while_one_runs(
    campaign: Campaign, owner: User, narrator: ScriptedServer
) -> None:
    gate = Gate(after=3)
    narrator.play(Script(in_words(STORY), gate=gate))
    async with open_tab(campaign, owner) as first, open_tab(campaign, owner) as second:
        await second.until("hello")
        await first.send(type="turn.submit", request_id="r1", mode="action", text="I listen.")
        await second.until("turn.started")
        await second.send(type="turn.submit", request_id="r2", mode="action", text="I shout.")
        assert (await second.until("error"))["code"] == "turn_in_flight"
        gate.opened.set()
        await first.until("turn.accepted")
    assert await TurnRequest.objects.acount() == 1


@pytest.mark.parametrize(
    "frame",
    [
        "{",
        '{"type": "no.such"}',
        '{"type": "turn.submit", "mode": "sing", "text": "La."}',
        '{"type": "turn.submit", "mode": "action", "text": ""}',
        '{"type": "turn.submit", "mode": "action", "text": "Go.", "surplus": 1}',
        '{"type": "turn.retry", "turn": "first"}',
        '["turn.stop"]',
    ],
)
async def test_what_cannot_be_understood_is_said_so(campaign: Campaign, owner: User, frame: str) -> None:
    async with open_tab(campaign, owner) as tab:
        await tab.until("hello")
        await tab.socket.send_to(text_data=frame)
        error = await tab.until("error")
        assert error["code"] == "invalid"
        assert error["detail"]
        await tab.send(type="ping")
        await tab.until("pong")


async def test_nothing_to_stop_and_nobodys_turn(campaign: Campaign, owner: User) -> None:
    async with open_tab(campaign, owner) as tab:
        await tab.send(type="turn.stop", keep=True)
        assert (await tab.until("error"))["code"] == "nothing_running"
        await tab.send(type="turn.retry", request_id="r", turn=999_999)
        assert (await tab.until("error"))["code"] == "not_found"


async def test_a_moved_head_is_told_to_every_tab(campaign: Campaign, owner: User) -> None:
    await in_database(factories.play)(campaign)
    async with open_tab(campaign, owner) as first, open_tab(campaign, owner) as second:
        await first.until("hello")
        await second.until("hello")
        await in_database(head.undo)(campaign_id=campaign.pk)
        for tab in (first, second):
            moved = await tab.until("head.moved")
            assert (moved["head"]["depth"], moved["reason"]) == (0, "undo")
            await tab.until("story.changed")


async def test_what_another_process_did_is_noticed(campaign: Campaign, owner: User) -> None:
    await in_database(factories.play)(campaign)
    async with open_tab(campaign, owner) as tab:
        await tab.until("hello")
        await asyncio.sleep(0.2)  # the first look at the change count
        await in_database(move_elsewhere)(campaign)
        moved = await tab.until("head.moved")
    assert (moved["head"]["depth"], moved["reason"]) == (0, "elsewhere")


async def test_a_turn_of_another_process_is_followed(campaign: Campaign, owner: User) -> None:
    request = await in_database(factories.open_turn)(campaign, "I listen.")
    async with open_tab(campaign, owner) as tab:
        assert (await tab.until("hello"))["active_request"]["id"] == request.pk
        await in_database(requests.save_partial)(request_id=request.pk, text="The rain ", reasoning="")
        assert (await tab.until("turn.delta"))["text"] == "The rain "
        await in_database(requests.accept_request)(request_id=request.pk, narration=factories.narrate(STORY))
        assert (await tab.until("turn.accepted"))["turn"]["narration"] == STORY


async def test_signing_out_ends_the_socket(campaign: Campaign, owner: User) -> None:
    async with open_tab(campaign, owner) as tab:
        await tab.until("hello")
        await in_database(Session.objects.all().delete)()
        await tab.send(type="turn.submit", request_id="r1", mode="action", text="I listen.")
        closing = await tab.socket.receive_output(timeout=30)
    assert (closing["type"], closing["code"]) == ("websocket.close", 4401)
    assert not await TurnRequest.objects.aexists()


async def test_a_frame_that_cannot_be_stored_is_answered(campaign: Campaign, owner: User) -> None:
    async with open_tab(campaign, owner) as tab:
        await tab.until("hello")
        await in_database(run_sql)(
            "CREATE TRIGGER full BEFORE INSERT ON campaigns_turnrequest"
            " BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
        try:
            await tab.send(type="turn.submit", request_id="r1", mode="action", text="I listen.")
            assert (await tab.until("error"))["code"] == "storage_failed"
        finally:
            await in_database(run_sql)("DROP TRIGGER full")


async def test_a_socket_that_breaks_off_is_closed(campaign: Campaign, owner: User) -> None:
    async with open_tab(campaign, owner) as tab:
        await tab.until("hello")
        async with hidden("campaigns_turn"):
            story_changed(StoryChange(campaign.pk, 99, "test", is_head_moved=False))
            closing = await tab.socket.receive_output(timeout=30)
    assert (closing["type"], closing["code"]) == ("websocket.close", 1011)


async def test_a_look_that_fails_does_not_end_the_looking(campaign: Campaign, owner: User) -> None:
    await in_database(factories.play)(campaign)
    async with open_tab(campaign, owner) as tab:
        await tab.until("hello")
        async with hidden("campaigns_campaign"):
            await asyncio.sleep(1.2)
        await in_database(move_elsewhere)(campaign)
        assert (await tab.until("head.moved"))["reason"] == "elsewhere"


@asynccontextmanager
async def hidden(table: str) -> AsyncIterator[None]:
    """A database that cannot be read, for as long as the block runs."""
    await in_database(run_sql)(f"ALTER TABLE {table} RENAME TO hidden")
    try:
        yield
    finally:
        await in_database(run_sql)(f"ALTER TABLE hidden RENAME TO {table}")


@pytest.mark.parametrize("who", ["nobody", "stranger"])
async def test_a_stranger_is_shown_nothing(campaign: Campaign, who: str) -> None:
    stranger = await in_database(factories.make_owner)("stranger") if who == "stranger" else None
    async with open_tab(campaign, stranger) as tab:
        closing = await tab.socket.receive_output(timeout=30)
    assert closing["type"] == "websocket.close"
    assert closing["code"] in (4401, 4404)


def move_elsewhere(campaign: Campaign) -> None:
    """Undo as another process does it: the rows change and nobody here is told."""
    Campaign.objects.filter(pk=campaign.pk).update(head_depth=0, change_count=campaign.change_count + 10)


async def until_partial(campaign: Campaign, text: str) -> None:
    for _ in range(200):
        if await TurnRequest.objects.filter(campaign=campaign, partial=text.rstrip()).aexists():
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"the text never became {text!r}")
