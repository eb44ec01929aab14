"""A real model proposes, by both ways. One this small gets most of it wrong; the game must not care."""

import io
import os

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from pytest_django.fixtures import Settings

from campaigns.models import Campaign, StateVersion, TurnRequest
from campaigns.services.requests import Submission
from campaigns.services.state_versions import read_document
from narrative import live
from narrative.database import in_database
from narrative.state.document import damaged_sections
from tests.model.fixtures import SmallModel
from tests.narrative.stories import begin_story
from tests.narrative.telling import breaches, state_of

pytestmark = [pytest.mark.model, pytest.mark.django_db(transaction=True)]

WORDS = (
    "I give Mara the silver key.",
    "I ask Mara about the Old Abbey.",
    "I take the lantern from the wall.",
    "I go to the Old Abbey.",
    "I push open the door.",
    "I call out for Edrin.",
)
PROTOCOL = ("```state", '"events"', '{"type"', "[Now close")


@pytest.mark.parametrize(
    ("way", "api", "turns"),
    [("call", "ollama", 6), ("block", "openai", 6), ("call", "openai", 1), ("block", "ollama", 1)],
)
async def test_turns_run_and_the_document_stays_well_formed(
    owner: User, settings: Settings, small_model: SmallModel, way: str, api: str, turns: int
) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = api, small_model.url
    settings.INFERENCE_MODEL = small_model.name
    settings.EVENTS, settings.CONTEXT_WINDOW, settings.MAX_OUTPUT_TOKENS = way, 2800, 60
    # Most answers of a model this slow are let go then; with more time they come.
    settings.SETTLE_TIMEOUT = float(os.environ.get("STORYTELLER_TEST_SETTLE_SECONDS", "12"))
    story = await in_database(begin_story)(owner)
    for words in WORDS[:turns]:
        await _tell(story, words)
        assert await in_database(_damage)(story) == []
    assert await in_database(breaches)(story) == []
    assert "aldric" in (await in_database(state_of)(story)).entities
    printed = io.StringIO()
    await in_database(call_command)("proposals", str(story.pk), stdout=printed)
    assert printed.getvalue().count("\nturn ") == turns
    print(f"\n{way} over {api}\n{printed.getvalue()}")  # noqa: T201 - to be read with -s


def _damage(story: Campaign) -> list[object]:
    return [
        section
        for version in StateVersion.objects.filter(campaign=story)
        for section in damaged_sections(read_document(version))
    ]


async def _tell(story: Campaign, words: str) -> None:
    """A turn, with nothing on screen that was meant for the game."""
    submission = Submission(kind=TurnRequest.Kind.NEW, mode="action", text=words)
    ticket = await live.submit(campaign_id=story.pk, submission=submission)
    shown = ""
    async for frame in live.follow(ticket.request_id):
        if frame.type == "turn.delta":
            shown += frame.text
            assert not any(sign in shown for sign in PROTOCOL)
    request = await live.outcome(ticket)
    assert request.take is not None
    assert request.take.narration == shown.strip() != ""
