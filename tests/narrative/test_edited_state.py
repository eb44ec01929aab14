"""What an edited narration makes of the state: from the one before the turn, and by whom it was asked."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from campaigns.errors import InvalidError
from campaigns.models import Campaign, Take, Turn
from campaigns.services import head
from narrative.corrections import correct_state
from narrative.database import in_database
from narrative.editing import Edit, Edited, ask_again, edit_narration
from narrative.models import Proposal
from tests.inference_servers.scripted import Script, ScriptedServer, in_words, refusal
from tests.narrative.stories import begin_story
from tests.narrative.telling import breaches, fact, give, state_of, tell

pytestmark = pytest.mark.django_db(transaction=True)

CLOAK = {"type": "set_entity_attribute", "entity": "mara", "attribute": "cloak", "value": "green"}
WORDS = "  Mara wears a *green* cloak,\n\tand says nothing.  "
BLOCK = '```state\n{"events": [%s]}\n```'


@pytest.fixture
def story(owner: User) -> Campaign:
    campaign = begin_story(owner)
    tell(campaign, {"type": "create_entity", "entity": "edrin", "name": "Edrin"}, narration="Edrin comes in.")
    tell(campaign, give("mara"), fact("f", 1), narration="You give Mara the key.")
    return campaign


async def edit(campaign: Campaign, text: str = WORDS, **values: Any) -> Edited:
    turn = values.pop("turn", None) or await in_database(last_turn)(campaign)
    return await edit_narration(Edit(campaign_id=campaign.pk, turn_id=turn.pk, text=text, **values))


def last_turn(campaign: Campaign) -> Turn:
    return Turn.objects.at_heads([Campaign.objects.get(pk=campaign.pk)]).get()


async def live(turn: Turn) -> Take:
    return await Take.objects.select_related("turn").aget(turn=turn, pk=turn.live_take_id or 0)


async def test_a_block_rules_and_the_words_stay_as_they_were_written(story: Campaign) -> None:
    block = (
        BLOCK % '{"type": "set_entity_attribute", "entity": "mara", "attribute": "cloak", "value": "green"}'
    )
    edited = await edit(story, f"{WORDS.rstrip()}\n\n{block}", derive="model")
    take = await live(edited.turn)
    assert (take.narration, take.origin) == (WORDS.rstrip(), "edited")
    document = await in_database(state_of)(story)
    assert document.entities["mara"].attributes == {"cloak": "green"}
    # What the turn changed before is gone, what the turn before changed is not.
    assert (document.facts, document.possessions) == ((), {"silver-key": "aldric"})
    assert "edrin" in document.entities
    made = await Proposal.objects.aget(take=take)
    assert (made.source, made.way, made.status) == ("narrator_edit", "edit", "accepted")
    assert await in_database(breaches)(story) == []


async def test_events_of_an_edit_are_reviewed(story: Campaign) -> None:
    block = (
        BLOCK
        % '{"type": "execute_shell"}, {"type": "set_possession", "item": "silver-key", "owner": "nobody"}'
    )
    edited = await edit(story, f"{WORDS}{block}")
    made = await Proposal.objects.aget(take_id=edited.turn.live_take_id or 0)
    assert [each["layer"] for each in made.refused] == ["allowlist", "references"]
    assert (await in_database(state_of)(story)).possessions == {"silver-key": "aldric"}


@pytest.mark.parametrize("text", ["Words.\n```state\n{oh no\n```", '```state\n{"events": []}\n```', "   "])
async def test_an_edit_that_cannot_be_changes_nothing(story: Campaign, text: str) -> None:
    before = await in_database(state_of)(story)
    with pytest.raises(InvalidError):
        await edit(story, text)
    assert await in_database(state_of)(story) == before
    assert await Take.objects.filter(origin="edited").acount() == 0


async def test_own_has_no_events(story: Campaign) -> None:
    edited = await edit(story, derive="own")
    take = await live(edited.turn)
    assert (take.narration, take.changes, take.proposal_status) == (WORDS, [], "accepted")
    document = await in_database(state_of)(story)
    assert (document.possessions, document.facts) == ({"silver-key": "aldric"}, ())


async def test_keep_keeps_the_events_of_the_take_and_its_corrections(story: Campaign) -> None:
    withdraw = {"type": "invalidate_fact", "fact_id": "f", "reason": "never"}
    await in_database(correct_state)(campaign_id=story.pk, events=[withdraw])
    before = await in_database(state_of)(story)
    edited = await edit(story, derive="keep")
    document = await in_database(state_of)(story)
    assert document.possessions == before.possessions
    assert (document.facts[0].status, document.facts[0].invalidated_by) == (
        "invalidated",
        "manual_correction",
    )
    assert edited.kept == ""
    assert await in_database(breaches)(story) == []


async def test_without_a_model_the_state_is_kept_and_says_so(story: Campaign) -> None:
    before = await in_database(state_of)(story)
    edited = await edit(story)
    assert "kept" in edited.kept
    assert (await in_database(state_of)(story)).possessions == before.possessions


async def test_a_connected_model_is_asked_about_the_players_words(
    narrator: ScriptedServer, story: Campaign
) -> None:
    narrator.answer_changes([CLOAK])
    edited = await edit(story)
    [asked] = narrator.extractions
    messages = asked.body["messages"]
    assert messages[-2] == {"role": "assistant", "content": WORDS}
    assert "You give Mara the key." not in str(messages)
    assert narrator.chats == []
    document = await in_database(state_of)(story)
    assert document.entities["mara"].attributes == {"cloak": "green"}
    assert document.facts == ()
    made = await Proposal.objects.aget(take_id=edited.turn.live_take_id or 0)
    assert (made.source, made.way, made.model) == ("narrator_edit", "call", "scripted")
    assert await in_database(breaches)(story) == []


async def test_a_model_that_does_not_answer_leaves_the_state_kept(
    narrator: ScriptedServer, story: Campaign
) -> None:
    narrator.answer_changes(refusal(500, "crashed"))
    before = await in_database(state_of)(story)
    edited = await edit(story, derive="model")
    assert edited.kept
    assert (await live(edited.turn)).narration == WORDS
    assert (await in_database(state_of)(story)).possessions == before.possessions


async def test_with_a_future_below_it_forks_from_the_state_before(story: Campaign) -> None:
    first = await Turn.objects.aget(branch__campaign=story, depth=1)
    last = await in_database(last_turn)(story)
    edited = await edit(story, "Nobody comes in.", derive="own", turn=first)
    assert edited.turn.pk != first.pk
    assert "edrin" not in (await in_database(state_of)(story)).entities
    old = await in_database(state_of)(story, last)
    assert ("edrin" in old.entities, old.possessions) == (True, {"silver-key": "mara"})
    assert await in_database(breaches)(story) == []


async def test_what_was_before_is_that_of_the_position(story: Campaign) -> None:
    first = await Turn.objects.aget(branch__campaign=story, depth=1)
    block = BLOCK % '{"type": "set_possession", "item": "silver-key", "owner": "mara"}'
    edited = await edit(story, f"Mara has it. {block}", turn=first)
    made = await Proposal.objects.prefetch_related("events").aget(take_id=edited.turn.live_take_id or 0)
    assert [event.before for event in made.events.all()] == ["aldric"]


async def test_an_edit_of_a_take_that_is_not_live_is_another_take(story: Campaign) -> None:
    turn = await in_database(last_turn)(story)
    first = await live(turn)
    await edit(story, "Second.", derive="own")
    edited = await edit(story, "Third.", derive="keep", take_id=first.pk)
    assert await Take.objects.filter(turn=turn).acount() == 3
    assert edited.turn.pk == turn.pk
    assert (await in_database(state_of)(story)).possessions == {"silver-key": "mara"}


async def test_asking_again_adds_what_was_missed(narrator: ScriptedServer, story: Campaign) -> None:
    turn = await in_database(last_turn)(story)
    narrator.answer_changes(Script(in_words("no JSON")))
    assert await ask_again(campaign_id=story.pk, turn_id=turn.pk) != ""
    narrator.answer_changes([give("mara"), fact("g", 2)])
    assert await ask_again(campaign_id=story.pk, turn_id=turn.pk) == ""
    document = await in_database(state_of)(story)
    assert [each.id for each in document.facts] == ["f", "g"]
    await in_database(head.undo)(campaign_id=story.pk)
    with pytest.raises(InvalidError):
        await ask_again(campaign_id=story.pk, turn_id=turn.pk)
    assert await in_database(breaches)(story) == []


async def test_the_settings_are_the_campaigns_own(story: Campaign, settings: Settings) -> None:
    """An edit on a server that is set but has no model is kept, like one without a server."""
    settings.INFERENCE_API, settings.INFERENCE_MODEL = "ollama", ""
    edited = await edit(story)
    assert "kept" in edited.kept
