"""A person's words, answered by a real model: the wiring, never the wording."""

import pytest
from pytest_django.fixtures import Settings

from campaigns.models import Campaign, TurnRequest
from campaigns.services.requests import Submission
from narrative import live
from narrative.database import in_database
from narrative.models import PromptRecord
from narrative.prompt_records import read_record
from tests.model.fixtures import SmallModel

pytestmark = [pytest.mark.model, pytest.mark.django_db(transaction=True)]


@pytest.fixture(params=["ollama", "openai"])
def real_narrator(request: pytest.FixtureRequest, settings: Settings, small_model: SmallModel) -> str:
    settings.INFERENCE_API = request.param
    settings.INFERENCE_URL = small_model.url
    settings.INFERENCE_MODEL = small_model.name
    settings.CONTEXT_WINDOW = 2048
    settings.MAX_OUTPUT_TOKENS = 40
    return str(request.param)


async def test_two_turns_and_a_retry(real_narrator: str, campaign: Campaign) -> None:
    first = await tell(campaign, "I push open the door of the inn.")
    await tell(campaign, "I ask for a bed.")
    retry = Submission(kind=TurnRequest.Kind.RETRY, replaces_id=first.turn_id)
    again = await live.outcome(await live.submit(campaign_id=campaign.pk, submission=retry))
    assert first.take is not None
    assert again.take is not None
    await campaign.arefresh_from_db()
    assert (again.take.backend, again.take.model != "") == (real_narrator, True)
    assert again.turn_id != first.turn_id  # the first telling has a continuation, which stays
    assert campaign.head_depth == 1
    document = await in_database(read_record)(await PromptRecord.objects.aget(take=first.take))
    reported = first.take.usage["prompt_tokens"]
    assert 0.5 < reported / document["tokens"]["total"] < 2


async def test_stop_keeps_what_the_model_had_written(
    real_narrator: str, campaign: Campaign, settings: Settings
) -> None:
    settings.MAX_OUTPUT_TOKENS = 600
    submission = Submission(
        kind=TurnRequest.Kind.NEW, mode="action", text="I tell the whole story of my life."
    )
    ticket = await live.submit(campaign_id=campaign.pk, submission=submission)
    shown = ""
    async for frame in live.follow(ticket.request_id):
        if frame.type == "turn.delta":
            shown += frame.text
            if len(shown) > 20:
                await live.stop(campaign_id=campaign.pk, keep=True)
    request = await live.outcome(ticket)
    assert request.take is not None
    assert request.take.finish == "stopped"
    assert request.take.narration == shown.strip()


async def tell(campaign: Campaign, text: str) -> TurnRequest:
    submission = Submission(kind=TurnRequest.Kind.NEW, mode="action", text=text)
    ticket = await live.submit(campaign_id=campaign.pk, submission=submission)
    shown = "".join([f.text async for f in live.follow(ticket.request_id) if f.type == "turn.delta"])
    request = await live.outcome(ticket)
    assert request.take is not None
    assert request.take.narration == shown.strip() != ""
    return request
