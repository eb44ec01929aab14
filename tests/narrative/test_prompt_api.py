"""Prompts over REST: what was sent, and what would be sent now."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaigns.models import Campaign, Take, TurnRequest
from campaigns.services import head
from campaigns.services.requests import Submission
from narrative import live
from narrative.database import in_database
from narrative.models import PromptRecord, PromptText
from narrative.prompt_records import read_record
from narrative.remembering import add_memory, write_summary
from tests import big_stories, factories
from tests.api_client import bearer, json_of, problem_of
from tests.inference_servers.scripted import ScriptedServer

pytestmark = pytest.mark.django_db(transaction=True)

STORY = "The rain stops. Somewhere below a door opens, and shuts again."


@pytest.fixture
def api(owner: User) -> Client:
    return Client(headers={"host": "localhost", **bearer(owner)})


def ahead(api: Client, campaign: Campaign, **query: str) -> Any:
    return api.get(f"/api/v1/campaigns/{campaign.pk}/prompt", query)


async def tell(campaign: Campaign, text: str, *, mode: str = "action") -> TurnRequest:
    submission = Submission(kind=TurnRequest.Kind.NEW, mode=mode, text=text)
    return await live.outcome(await live.submit(campaign_id=campaign.pk, submission=submission))


def rows() -> tuple[int, ...]:
    return tuple(model.objects.count() for model in (TurnRequest, PromptRecord, PromptText, Take))


@pytest.mark.parametrize("mode", ["action", "dialogue", "direction", "continue"])
async def test_the_dry_run_is_the_next_prompt(
    api: Client, campaign: Campaign, narrator: ScriptedServer, mode: str
) -> None:  # CTX-30
    narrator.play(STORY)
    await tell(campaign, "I go north.")
    await in_database(add_memory)(campaign_id=campaign.pk, text="Mara keeps the brass key.")
    await in_database(write_summary)(campaign_id=campaign.pk, text="A courier came to the inn.")
    before = await in_database(rows)()
    text = "" if mode == "continue" else "I ask for the brass key."
    shown = json_of(await in_database(ahead)(api, campaign, mode=mode, text=text))
    assert await in_database(rows)() == before
    request = await tell(campaign, text, mode=mode)
    record = await PromptRecord.objects.aget(take=request.take)
    stored = await in_database(read_record)(record)
    for name in ("sections", "messages", "tokens", "history", "summary", "memories", "budget", "model"):
        assert shown[name] == stored[name], name
    assert shown["messages"] == narrator.chats[-1].body["messages"]
    assert {"story_summary", "memories"} <= {each["label"] for each in shown["sections"]}


async def test_the_record_of_a_turn_has_everything(
    api: Client, campaign: Campaign, narrator: ScriptedServer
) -> None:  # CTX-27, CTX-28
    narrator.play("Mara shrugs. The key hangs behind her.", STORY)
    await tell(campaign, "I ask Mara about the key.")
    request = await tell(campaign, "I wait for her answer.")
    turn = request.turn
    assert turn is not None
    path = f"/api/v1/campaigns/{campaign.pk}/turns/{turn.pk}/prompt"
    record = json_of(await in_database(api.get)(path))
    history = next(each for each in record["sections"] if each["label"] == "history")
    assert "I ask Mara about the key." in history["text"]
    assert "Mara shrugs." in history["text"]
    assert all(isinstance(each["tokens"], int) and each["reason"] for each in record["sections"])
    assert record["history"] == {"included": 2, "total": 2, "from": 0}
    assert record["model"] == "scripted"
    assert record["options"]["max_output_tokens"] == 600
    assert record["usage"]["prompt_tokens"] > 0
    assert record["tokens"]["prefix_reused"] > 0
    assert [part["part"] for part in record["budget"]["parts"]] == ["state", "summary", "memories"]
    assert set(record["knowledge"]) >= {"query", "considered", "used", "set_aside", "over_budget", "semantic"}
    await in_database(head.undo)(campaign_id=campaign.pk)
    await Take.objects.filter(pk=request.take_id or 0).aupdate(narration="Changed.")
    assert json_of(await in_database(api.get)(path)) == record  # CTX-29


async def test_a_prompt_that_cannot_be_is_said_so(api: Client, campaign: Campaign) -> None:  # CTX-04
    campaign.settings = {"context_window": 1024, "max_output_tokens": 900}
    await campaign.asave()
    problem = problem_of(await in_database(ahead)(api, campaign), 422, "context_overflow")
    assert "1,024" in problem["detail"]


@pytest.mark.parametrize(("query", "field"), [({"mode": "sing"}, "mode"), ({"text": "x" * 20_001}, "text")])
def test_what_cannot_be_asked_with(
    api: Client, campaign: Campaign, query: dict[str, str], field: str
) -> None:
    assert field in str(problem_of(ahead(api, campaign, **query), 422, "invalid")["errors"])


def test_what_was_not_told_has_no_prompt(api: Client, campaign: Campaign) -> None:
    turn = factories.play(campaign)
    path = f"/api/v1/campaigns/{campaign.pk}/turns"
    assert "no prompt" in problem_of(api.get(f"{path}/{turn.pk}/prompt"), 404, "not_found")["detail"]
    problem_of(api.get(f"{path}/{turn.pk}/prompt?take=999999"), 404, "not_found")
    problem_of(api.get(f"{path}/999999/prompt"), 404, "not_found")


def test_nobody_reads_anothers_prompts(campaign: Campaign) -> None:
    stranger = Client(headers={"host": "localhost", **bearer(factories.make_owner("stranger"))})
    problem_of(ahead(stranger, campaign), 404, "not_found")


def test_the_dry_run_asks_as_often_for_a_long_story(api: Client, owner: User) -> None:  # PERF-01 to PERF-03
    counts = []
    for turns in (600, 4_000):
        campaign = big_stories.make_straight_story(owner=owner, turns=turns)
        for number in range(turns // 20):
            add_memory(campaign_id=campaign.pk, text=f"Milestone {number} stands in the marsh.")
            write_summary(campaign_id=campaign.pk, text=f"The courier passed {number} milestones.")
        with CaptureQueriesContext(connection) as queries:
            assert ahead(api, campaign, text="I look for milestone 2.").status_code == 200
        counts.append(len(queries))
    assert counts[1] <= counts[0] + 2
