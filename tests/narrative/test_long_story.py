"""Three hundred rehearsed turns, with everything a player does on the way: at every position the state is the
one that was left there, and what is stored grows with what changed."""

import random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import Sum
from django.db.models.functions import Length

from campaigns.models import Branch, Campaign, StateVersion, Take, Turn, TurnRequest
from campaigns.services import head
from campaigns.services.requests import Submission
from narrative import live
from narrative.corrections import correct_state
from narrative.database import in_database
from narrative.editing import Edit, edit_narration
from narrative.errors import EventRefusedError
from narrative.models import PromptRecord
from narrative.prompt_records import read_record
from narrative.state.document import Document
from tests.campaigns.reading import assert_coherent, fresh
from tests.narrative.stories import begin_story
from tests.narrative.telling import breaches, state_of

pytestmark = pytest.mark.django_db(transaction=True)

TURNS = 300
PLACES = (
    "the Old Abbey",
    "the crypt",
    "the ferry",
    "the market",
    "the Crooked Lantern",
    "the mill",
    "the gate",
)
THINGS = ("lantern", "rope", "letter", "knife", "map", "coin", "book", "bell")
PEOPLE = ("Mara", "the ferryman", "the miller", "the smith", "the guard")


def deed(number: int, chance: random.Random) -> tuple[str, str]:
    place, thing, who = chance.choice(PLACES), chance.choice(THINGS), chance.choice(PEOPLE)
    return chance.choice(
        [
            ("action", f"I go to {place}."),
            ("action", f"I take the {thing}."),
            ("action", f"I give the {thing} to {who}."),
            ("action", f"I drop the {thing}."),
            ("dialogue", f"{who}, what do you know of {place}?"),
            ("direction", f"A stranger called Corvin {number} arrives."),
            ("action", f"I have to find the {thing}."),
            ("continue", ""),
        ]
    )


async def play(campaign: Campaign, mode: str, text: str) -> Turn:
    submission = Submission(kind=TurnRequest.Kind.NEW, mode=mode, text=text)
    request = await live.outcome(await live.submit(campaign_id=campaign.pk, submission=submission))
    return await Turn.objects.aget(pk=request.turn_id or 0)


def correct(campaign: Campaign, number: int) -> None:
    document = state_of(campaign)
    key = sorted(document.entities)[number % len(document.entities)]
    events: list[dict[str, Any]] = [
        {"type": "set_entity_attribute", "entity": key, "attribute": "marked", "value": number},
        {"type": "add_fact", "fact_id": f"noted-{number}", "predicate": "noted", "value": number},
    ]
    try:
        correct_state(campaign_id=campaign.pk, events=events, note="as I say")
    except EventRefusedError as error:
        raise AssertionError(error.message) from error


async def test_three_hundred_turns(owner: User) -> None:
    chance = random.Random(7)  # noqa: S311 - a fixed course, no secret
    story = await in_database(begin_story)(owner)
    left: dict[int, Document] = {}
    for number in range(TURNS):
        mode, text = deed(number, chance)
        turn = await play(story, mode, text)
        if number % 10 == 3:
            await in_database(correct)(story, number)
        if number % 25 == 11:
            await edit_narration(
                Edit(campaign_id=story.pk, turn_id=turn.pk, text=f"Told otherwise, {number}.", derive="keep")
            )
        turn = await in_database(lambda: Turn.objects.at_heads([fresh(story)]).get())()
        left[turn.pk] = await in_database(state_of)(story)
        if number % 7 == 6:
            await in_database(head.undo)(campaign_id=story.pk, steps=1 + number % 4)
            if number % 14 == 6:
                await in_database(head.redo)(campaign_id=story.pk, steps=2)
    assert await in_database(breaches)(story) == []
    await in_database(assert_coherent)(story)
    assert await Branch.objects.filter(campaign=story).acount() > 20
    await in_database(_compare)(story, left)
    await in_database(_walk_back)(story, left)
    await in_database(_sizes)(story)


def _compare(story: Campaign, left: dict[int, Document]) -> None:
    """Every turn of every line still stands on the state that was left there."""
    for turn_id, document in left.items():
        assert state_of(story, Turn.objects.get(pk=turn_id)) == document


def _walk_back(story: Campaign, left: dict[int, Document]) -> None:
    """What is read at the head is that of the turn on screen, on the way up and down again."""
    steps = fresh(story).head_depth
    for move in (head.undo, head.redo):
        for _ in range(steps):
            move(campaign_id=story.pk)
            turn = Turn.objects.at_heads([fresh(story)]).get()
            if turn.pk in left:
                assert state_of(story) == left[turn.pk]


def _sizes(story: Campaign) -> None:
    """Of what is stored: a state costs what changed, and the prompt that was sent holds the state."""
    versions = StateVersion.objects.filter(campaign=story)
    stored = versions.aggregate(bytes=Sum(Length("document")))["bytes"]
    assert stored / versions.count() < 700
    assert Take.objects.filter(turn__branch__campaign=story).count() > TURNS
    record = read_record(PromptRecord.objects.latest("pk"))
    assert "narrative_state" in {section["label"] for section in record["sections"]}
