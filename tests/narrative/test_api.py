"""Telling turns over HTTP, by rehearsal, or by a scripted server where the narrator has to misbehave."""

import asyncio
import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.test import AsyncClient

from campaigns.models import Campaign, Take, Turn, TurnRequest
from campaigns.services import head, requests
from tests import factories
from tests.api_client import bearer, json_of, problem_of
from tests.inference_servers.scripted import Gate, Script, ScriptedServer, in_words, refusal

pytestmark = pytest.mark.django_db(transaction=True)

STORY = "The rain stops. Somewhere below a door opens, and shuts again."
ACTION = {"mode": "action", "text": "I wait."}
# One for all tests, since each loads every middleware anew. With a token it keeps nothing between calls.
_CLIENT = AsyncClient()


class AsyncApi:
    def __init__(self, headers: dict[str, str]) -> None:
        self.headers = headers

    async def get(self, path: str) -> Any:
        return await self.send("GET", path)

    async def send(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        data = "" if body is None else json.dumps(body)
        return await _CLIENT.generic(
            method, f"/api/v1{path}", data, "application/json", headers=self.headers | headers
        )

    async def post(self, path: str, body: object = None, **headers: str) -> Any:
        return await self.send("POST", path, body, **headers)


@pytest.fixture
def api(owner: User) -> AsyncApi:
    return AsyncApi(bearer(owner))


@pytest.fixture
def stranger(db: None) -> AsyncApi:
    return AsyncApi(bearer(factories.make_owner("stranger")))


@pytest.fixture
def base(campaign: Campaign) -> str:
    return f"/campaigns/{campaign.pk}"


def fail(campaign: Campaign, *, partial: str = "Half a sentence", text: str = "I wait.") -> TurnRequest:
    request = factories.open_turn(campaign, text)
    requests.fail_request(
        request_id=request.pk, code="inference_unreachable", detail="Gone.", partial=partial
    )
    return request


async def reach(gate: Gate) -> None:
    assert await asyncio.to_thread(gate.reached.wait, 5)


async def test_a_turn_is_told(api: AsyncApi, base: str) -> None:
    told = json_of(await api.post(f"{base}/turns", {"mode": "dialogue", "text": " Who’s there?\x00 "}), 201)
    assert (told["depth"], told["mode"], told["input"], told["on_path"]) == (
        1,
        "dialogue",
        "Who’s there?",
        True,
    )
    assert told["narration"]
    story = json_of(await api.get(f"{base}/story"))
    assert story["turns"][-1] == told
    assert story["head"]["turn"] == told["id"]


async def test_continue_takes_no_text(api: AsyncApi, base: str) -> None:
    assert json_of(await api.post(f"{base}/turns", {"mode": "continue", "text": " "}), 201)["input"] == ""
    problem_of(await api.post(f"{base}/turns", {"mode": "continue", "text": "On."}), 422, "invalid")


async def test_the_same_request_id_tells_nothing_twice(api: AsyncApi, base: str) -> None:
    body = ACTION | {"request_id": "one"}
    first = json_of(await api.post(f"{base}/turns", body), 201)
    assert json_of(await api.post(f"{base}/turns", body), 200) == first
    assert await Turn.objects.acount() == 2


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"mode": "action"}, "text"),
        ({"text": "I wait."}, "mode"),
        ({"mode": "sing", "text": "I wait."}, "mode"),
        ({"mode": 1, "text": "I wait."}, "mode"),
        ({"mode": "action", "text": 3}, "text"),
        ({"mode": "action", "text": "\ud800"}, "text"),
        ({"mode": "action", "text": "\x00 \x07"}, "text"),
        ({"mode": "action", "text": "x" * 20_001}, "text"),
        (ACTION | {"request_id": ""}, "request_id"),
        (ACTION | {"request_id": "x" * 65}, "request_id"),
        (ACTION | {"request_id": 7}, "request_id"),
        (ACTION | {"branch": 1}, "branch"),
    ],
)
async def test_a_submission_that_cannot_be(api: AsyncApi, base: str, body: object, field: str) -> None:
    refused = problem_of(await api.post(f"{base}/turns", body), 422, "invalid")
    assert refused["errors"][0]["field"] == field
    assert not await TurnRequest.objects.aexists()


async def test_a_retry_adds_a_take(api: AsyncApi, base: str) -> None:
    told = json_of(await api.post(f"{base}/turns", ACTION), 201)
    again = json_of(await api.post(f"{base}/turns/{told['id']}/retry"), 201)
    assert (again["id"], again["take_count"]) == (told["id"], 2)
    body = {"request_id": "twice"}
    third = json_of(await api.post(f"{base}/turns/{told['id']}/retry", body), 201)
    assert json_of(await api.post(f"{base}/turns/{told['id']}/retry", body), 200) == third


async def test_the_opening_cannot_be_told_again(api: AsyncApi, base: str) -> None:
    opening = await Turn.objects.aget(depth=0)
    problem_of(await api.post(f"{base}/turns/{opening.pk}/retry"), 422, "invalid")
    problem_of(await api.send("PUT", f"{base}/turns/{opening.pk}/input", ACTION), 422, "invalid")
    problem_of(await api.post(f"{base}/turns/99999999999999999999/retry"), 404, "not_found")


async def test_other_words_are_another_turn(api: AsyncApi, base: str) -> None:
    told = json_of(await api.post(f"{base}/turns", ACTION), 201)
    body = {"mode": "dialogue", "text": "Who is there?"}
    other = json_of(await api.send("PUT", f"{base}/turns/{told['id']}/input", body), 201)
    assert other["id"] != told["id"]
    assert (other["depth"], other["input"]) == (1, "Who is there?")
    assert json_of(await api.get(f"{base}/turns/{told['id']}"))["on_path"] is False


async def test_a_line_that_is_not_being_read(api: AsyncApi, base: str, campaign: Campaign) -> None:
    told = json_of(await api.post(f"{base}/turns", ACTION), 201)
    await sync_to_async(head.undo)(campaign_id=campaign.pk)
    refused = problem_of(await api.post(f"{base}/turns/{told['id']}/retry"), 409, "head_moved")
    assert (refused["branch"], refused["depth"]) == (told["branch"], 1)


async def test_the_frames_are_sent_while_it_is_told(api: AsyncApi, base: str) -> None:
    answer = await api.post(f"{base}/turns", ACTION, Accept="text/event-stream")
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/event-stream")
    events = await events_of(answer)
    names = [name for name, _ in events]
    assert names[0] == "turn.started"
    assert names[-2:] == ["turn.settling", "turn.accepted"]
    assert set(names[1:-2]) <= {"turn.delta", "turn.reasoning"}
    text = "".join(data["text"] for name, data in events if name == "turn.delta")
    accepted = events[-1][1]["turn"]
    assert text.strip() == accepted["narration"]
    assert json_of(await api.get(f"{base}/story"))["turns"][-1] == accepted
    assert all(data["type"] == name for name, data in events)


async def test_json_is_preferred_where_anything_goes(api: AsyncApi, base: str) -> None:
    json_of(await api.post(f"{base}/turns", ACTION, Accept="*/*"), 201)
    json_of(await api.post(f"{base}/turns", ACTION, Accept="application/json, text/event-stream;q=0.5"), 201)


async def test_a_submission_refused_before_its_first_frame_is_a_problem(api: AsyncApi, base: str) -> None:
    answer = await api.post(f"{base}/turns", {"mode": "sing"}, Accept="text/event-stream")
    problem_of(answer, 422, "invalid")


async def test_a_failed_turn_keeps_its_words(narrator: ScriptedServer, api: AsyncApi, base: str) -> None:
    narrator.play(refusal(503, "server busy"))
    body = ACTION | {"request_id": "one"}
    failed = problem_of(await api.post(f"{base}/turns", body), 502, "inference_overloaded")
    assert (failed["request"]["text"], failed["request"]["status"]) == ("I wait.", "failed")
    assert json_of(await api.get(f"{base}/requests?status=failed"))["items"] == [failed["request"]]
    problem_of(await api.post(f"{base}/turns", body), 409, "request_failed")


async def test_a_prompt_that_does_not_fit_is_not_sent(api: AsyncApi, base: str) -> None:
    limits = {"settings": {"context_window": 512, "max_output_tokens": 2000}}
    json_of(await api.send("PATCH", base, limits))
    refused = problem_of(await api.post(f"{base}/turns", ACTION), 422, "context_overflow")
    assert refused["request"]["text"] == "I wait."


@pytest.mark.parametrize("keep", [True, False, None])
async def test_stop(narrator: ScriptedServer, api: AsyncApi, base: str, keep: bool | None) -> None:
    gate = Gate(after=3)
    narrator.play(Script(in_words(STORY), gate=gate))
    submission = asyncio.create_task(api.post(f"{base}/turns", ACTION | {"request_id": "one"}))
    await reach(gate)
    problem_of(await api.post(f"{base}/turns", ACTION), 409, "turn_in_flight")
    problem_of(await api.post(f"{base}/turns", ACTION | {"request_id": "one"}), 409, "turn_in_flight")
    [running] = json_of(await api.get(f"{base}/requests?status=queued&status=streaming"))["items"]
    problem_of(await api.post(f"/requests/{running['id']}/keep"), 409, "turn_in_flight")
    problem_of(await api.post(f"/requests/{running['id']}/discard"), 409, "turn_in_flight")
    await asyncio.sleep(0.3)  # until the words are stored
    stopped = await api.post(f"{base}/stop", None if keep is None else {"keep": keep})
    assert (stopped.status_code, stopped.content) == (202, b"")
    if keep is False:
        problem_of(await submission, 409, "stopped")
        assert not await Turn.objects.filter(depth=1).aexists()
    else:
        told = json_of(await submission, 201)
        assert STORY.startswith(told["narration"])
        assert await Take.objects.filter(turn_id=told["id"], finish="stopped").aexists()
    gate.opened.set()
    problem_of(await api.post(f"{base}/stop"), 409, "nothing_running")


async def test_a_failed_submission_is_kept(api: AsyncApi, base: str, campaign: Campaign) -> None:
    failed = await sync_to_async(fail)(campaign)
    kept = json_of(await api.post(f"/requests/{failed.pk}/keep"), 201)
    assert (kept["narration"], kept["input"], kept["on_path"]) == ("Half a sentence", "I wait.", True)
    for way in ("keep", "retry", "discard"):
        problem_of(await api.post(f"/requests/{failed.pk}/{way}"), 422, "invalid")


async def test_a_failed_submission_is_retried(api: AsyncApi, base: str, campaign: Campaign) -> None:
    failed = await sync_to_async(fail)(campaign, text="I knock.")
    told = json_of(await api.post(f"/requests/{failed.pk}/retry"), 201)
    assert (told["input"], told["depth"]) == ("I knock.", 1)
    problem_of(await api.post(f"/requests/{failed.pk}/retry"), 422, "invalid")


async def test_a_failed_submission_is_discarded(api: AsyncApi, base: str, campaign: Campaign) -> None:
    failed = await sync_to_async(fail)(campaign)
    assert (await api.post(f"/requests/{failed.pk}/discard")).status_code == 204
    assert json_of(await api.get(f"{base}/requests?status=failed&status=stopped"))["items"] == []
    [row] = json_of(await api.get(f"{base}/requests"))["items"]
    assert (row["status"], row["partial"]) == ("discarded", "Half a sentence")


async def test_nothing_to_keep(api: AsyncApi, base: str, campaign: Campaign) -> None:
    failed = await sync_to_async(fail)(campaign, partial="")
    problem_of(await api.post(f"/requests/{failed.pk}/keep"), 422, "invalid")


async def test_keep_and_retry_need_the_head_where_it_was_made(
    api: AsyncApi, base: str, campaign: Campaign
) -> None:
    told = json_of(await api.post(f"{base}/turns", ACTION), 201)
    failed = await sync_to_async(fail)(campaign)
    await sync_to_async(head.undo)(campaign_id=campaign.pk)
    for way in ("keep", "retry"):
        refused = problem_of(await api.post(f"/requests/{failed.pk}/{way}"), 409, "head_moved")
        assert (refused["branch"], refused["depth"]) == (told["branch"], 1)


async def test_submissions_are_listed_newest_first_and_paged(
    api: AsyncApi, base: str, campaign: Campaign
) -> None:
    made = [(await sync_to_async(fail)(campaign)).pk for _ in range(3)]
    page = json_of(await api.get(f"{base}/requests?status=failed&status=stopped&limit=2"))
    assert page["next"].startswith(f"http://testserver/api/v1{base}/requests?")
    rest = json_of(await api.get(page["next"].removeprefix("http://testserver/api/v1")))
    assert [item["id"] for item in page["items"] + rest["items"]] == made[::-1]
    assert rest["next"] is None
    assert json_of(await api.get(f"{base}/requests?status=stopped"))["items"] == []
    for query in ("status=failed,stopped", "status=stopped,accepted&status=failed", ""):
        assert len(json_of(await api.get(f"{base}/requests?{query}"))["items"]) == 3


async def test_what_a_killed_process_left_is_failed_and_offered(
    api: AsyncApi, base: str, campaign: Campaign
) -> None:
    request = await sync_to_async(factories.open_turn)(campaign)
    await TurnRequest.objects.filter(pk=request.pk).aupdate(holder="gone", partial="Half a sentence")
    kept = json_of(await api.post(f"/requests/{request.pk}/keep"), 201)
    assert kept["narration"] == "Half a sentence"


async def test_somebody_elses_story_is_not_found(
    api: AsyncApi, stranger: AsyncApi, base: str, campaign: Campaign
) -> None:
    told = json_of(await api.post(f"{base}/turns", ACTION), 201)
    failed = await sync_to_async(fail)(campaign)
    for method, path, body in (
        ("POST", f"{base}/turns", ACTION),
        ("POST", f"{base}/turns/{told['id']}/retry", None),
        ("PUT", f"{base}/turns/{told['id']}/input", ACTION),
        ("POST", f"{base}/stop", None),
        ("POST", f"/requests/{failed.pk}/retry", None),
    ):
        problem_of(await stranger.send(method, path, body), 404, "not_found")
    assert await Turn.objects.acount() == 2
    other = await sync_to_async(factories.make_campaign)(owner=await User.objects.aget(username="owner"))
    problem_of(await api.post(f"/campaigns/{other.pk}/turns/{told['id']}/retry"), 404, "not_found")


async def events_of(answer: Any) -> list[tuple[str, Any]]:
    text = b"".join([part async for part in answer.streaming_content]).decode()
    events = []
    for block in text.removesuffix("\n\n").split("\n\n"):
        name, data = block.split("\n")
        events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return events
