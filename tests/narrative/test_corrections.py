"""The player's word: it is applied whole or not at all, belongs to its position, and outranks the story."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from campaigns.errors import InvalidError, NotFoundError, TurnInFlightError
from campaigns.models import Branch, Campaign, Take, Turn
from campaigns.selectors import list_takes, narration_of
from campaigns.services import head
from campaigns.services.save_points import create_save_point
from campaigns.services.writing import select_take
from narrative.corrections import MOST_EVENTS, correct_state, take_back
from narrative.errors import EventRefusedError
from narrative.models import Proposal, StateEvent
from narrative.state.events import WITHDRAWN
from narrative.state_history import EventFilter, list_events, list_proposals
from tests import factories
from tests.campaigns.reading import fresh, on_screen
from tests.narrative.stories import begin_story
from tests.narrative.telling import breaches, fact, give, settle, state_of, tell

KNOWS = fact("mara-knows", "where the key was found", subject="mara", predicate="knows")
WITHDRAW = {"type": "invalidate_fact", "fact_id": "mara-knows", "reason": "Mara never learned it"}


@pytest.fixture
def story(owner: User) -> Campaign:
    return begin_story(owner)


def correct(campaign: Campaign, *events: dict[str, Any], note: str = "") -> Any:
    return correct_state(campaign_id=campaign.pk, events=events, note=note)


def statuses(campaign: Campaign) -> dict[str, str]:
    return {each.id: each.status for each in state_of(campaign).facts}


def test_a_fact_is_withdrawn_and_nothing_of_the_story_is_touched(story: Campaign) -> None:
    tell(story, KNOWS, narration="Mara knows.")
    before = on_screen(story)
    corrected = correct(story, WITHDRAW, note="I decide that")
    assert corrected.document == state_of(story)
    [known] = state_of(story).facts
    assert (known.status, known.invalidated_by, known.invalidated_reason) == (
        "invalidated",
        "manual_correction",
        "Mara never learned it",
    )
    assert on_screen(story) == before
    [made] = Proposal.objects.filter(source="manual_correction")
    assert (made.note, made.way, made.status) == ("I decide that", "correction", "accepted")
    assert Branch.objects.filter(campaign=story).count() == 1
    assert breaches(story) == []


def test_what_the_player_withdrew_the_story_cannot_assert_again(story: Campaign) -> None:
    tell(story, KNOWS)
    correct(story, WITHDRAW)
    for _ in range(3):
        turn = factories.play(story)
        review = settle(turn, {**KNOWS, "fact_id": "once-more"})
        assert [each.reason for each in review.refused] == ["player_correction"]
    assert statuses(story) == {"mara-knows": "invalidated"}
    # The player may change their mind.
    correct(story, {"type": "set_fact_status", "fact_id": "mara-knows", "status": "active"})
    assert statuses(story) == {"mara-knows": "active"}
    assert breaches(story) == []


def test_one_refused_event_means_that_nothing_changes(story: Campaign) -> None:
    nowhere = {"type": "set_current_location", "entity": "mara", "location": "nowhere"}
    with pytest.raises(EventRefusedError) as refused:
        correct(story, give("mara"), nowhere)
    assert "nowhere" in refused.value.message
    assert [each.layer for each in refused.value.refused] == ["references"]
    assert state_of(story).possessions == {"silver-key": "aldric"}
    assert not Proposal.objects.filter(source="manual_correction").exists()


@pytest.mark.parametrize(("count", "is_allowed"), [(0, False), (1, True), (MOST_EVENTS, True), (21, False)])
def test_how_many_events_a_correction_has(story: Campaign, count: int, *, is_allowed: bool) -> None:
    events = [fact(f"f-{number}", number) for number in range(count)]
    if is_allowed:
        assert len(correct(story, *events).review.accepted) == count
    else:
        with pytest.raises(InvalidError):
            correct(story, *events)


def test_what_holds_already_is_no_change(story: Campaign) -> None:
    version = Take.objects.get(turn__depth=0).state_version_id
    corrected = correct(story, give("aldric"))
    assert (len(corrected.review.redundant), corrected.review.accepted) == (1, ())
    assert Take.objects.get(turn__depth=0).state_version_id == version
    assert not Proposal.objects.filter(source="manual_correction").exists()


def test_it_belongs_to_its_position(story: Campaign) -> None:
    tell(story, KNOWS)
    tell(story)
    point = create_save_point(campaign_id=story.pk, name="Here", note="")
    correct(story, give("mara"))
    head.undo(campaign_id=story.pk)
    assert state_of(story).possessions == {"silver-key": "aldric"}
    head.redo(campaign_id=story.pk)
    assert state_of(story).possessions == {"silver-key": "mara"}
    head.undo(campaign_id=story.pk, steps=2)
    head.restore_save_point(campaign_id=story.pk, save_point_id=point.pk)
    assert state_of(story).possessions == {"silver-key": "mara"}


def test_it_shows_under_its_turn_and_leaves_what_the_story_proposed(story: Campaign) -> None:
    turn = tell(story, KNOWS)
    correct(story, give("mara"))
    take = Take.objects.get(turn=turn)
    assert take.changes == [
        "Established: Mara knows where the key was found",
        "the silver key: now with Mara",
    ]
    assert (take.proposal_status, take.proposal_way) == ("accepted", "block")


def test_above_a_retained_future_it_forks_and_the_old_future_keeps_its_state(story: Campaign) -> None:
    turn = tell(story, KNOWS, narration="Mara knows.")
    below = tell(story, give("mara"), narration="You give it up.")
    head.undo(campaign_id=story.pk)
    corrected = correct(story, WITHDRAW)
    told = Turn.objects.select_related("live_take").get(pk=corrected.turn_id)
    assert (told.pk != turn.pk, told.depth, told.input) == (True, turn.depth, turn.input)
    assert told.live_take is not None
    assert (told.live_take.origin, narration_of(told)) == ("corrected", "Mara knows.")
    assert statuses(story) == {"mara-knows": "invalidated"}
    assert state_of(story, turn).facts[0].status == "active"
    old = state_of(story, below)
    assert (old.facts[0].status, old.possessions) == ("active", {"silver-key": "mara"})
    # The line that was left is there as it was.
    head.activate_branch(campaign_id=story.pk, branch_id=turn.branch_id)
    assert state_of(story) == old
    assert breaches(story) == []


def test_a_take_that_is_selected_later_carries_its_correction(story: Campaign) -> None:
    turn = tell(story, KNOWS)
    correct(story, give("mara"))
    factories.retry(story, turn, "Otherwise.")
    first = list_takes(turn)[0]
    assert state_of(story).possessions == {"silver-key": "aldric"}
    select_take(campaign_id=story.pk, turn_id=turn.pk, take_id=first.pk)
    assert state_of(story).possessions == {"silver-key": "mara"}
    tell(story)
    again = factories.retry(story, fresh_turn(turn), "Once more.")
    tell(story)
    carried = select_take(campaign_id=story.pk, turn_id=again.pk, take_id=list_takes(again)[-1].pk)
    assert carried.pk == again.pk
    assert breaches(story) == []


def fresh_turn(turn: Turn) -> Turn:
    return Turn.objects.get(pk=turn.pk)


def test_a_carried_take_has_the_history_of_what_it_was_carried_from(story: Campaign) -> None:
    turn = tell(story, KNOWS)
    correct(story, give("mara"))
    factories.retry(story, turn, "Otherwise.")
    tell(story)
    carried = select_take(campaign_id=story.pk, turn_id=turn.pk, take_id=list_takes(turn)[0].pk)
    assert carried.pk != turn.pk
    assert state_of(story).possessions == {"silver-key": "mara"}
    rows = list_events(fresh(story), EventFilter(turn=carried.pk))
    assert [row.event.type for row in rows] == ["set_possession", "add_fact"]
    assert all(row.is_on_path for row in rows)
    about = list_events(fresh(story), EventFilter(entity="silver-key", is_on_path=True))
    assert [row.event.payload["owner"] for row in about if "owner" in row.event.payload] == ["mara", "aldric"]
    assert len(list_proposals(fresh(story), turn_id=carried.pk)) == 2
    assert breaches(story) == []


def test_a_correction_waits_for_no_turn(story: Campaign) -> None:
    factories.open_turn(story)
    with pytest.raises(TurnInFlightError):
        correct(story, give("mara"))


@pytest.mark.parametrize(
    "event",
    [
        {"type": "set_entity_status", "entity": "mara", "status": "active"},
        {"type": "set_entity_status", "entity": "mara", "status": "Alive"},
    ],
)
def test_canon_holds_for_corrections_too(story: Campaign, event: dict[str, Any]) -> None:
    correct(story, {"type": "set_entity_status", "entity": "mara", "status": "dead"})
    correct(story, {"type": "set_entity_status", "entity": "mara", "status": "unknown"})
    with pytest.raises(EventRefusedError, match="canon forbids"):
        correct(story, event)


# --- taking back -------------------------------------------------------------------------------------------


def event_of(campaign: Campaign, kind: str) -> StateEvent:
    return StateEvent.objects.filter(campaign=campaign, type=kind).latest("pk")


def test_what_was_invented_is_taken_back_and_stays_away(story: Campaign) -> None:
    vale = {"type": "create_entity", "entity": "vale", "name": "Captain Vale", "entity_type": "character"}
    tell(story, vale)
    take_back(campaign_id=story.pk, event_id=event_of(story, "create_entity").pk, note="only a rumour")
    assert state_of(story).entities["vale"].status == WITHDRAWN
    turn = factories.play(story)
    review = settle(turn, vale, give("vale"))
    assert {each.reason for each in review.refused} == {"player_correction"}
    assert breaches(story) == []


def test_a_death_that_never_was_can_be_taken_back_though_canon_forbids_the_way(story: Campaign) -> None:
    tell(story, {"type": "set_entity_status", "entity": "mara", "status": "dead"})
    take_back(campaign_id=story.pk, event_id=event_of(story, "set_entity_status").pk)
    mara = state_of(story).entities["mara"]
    assert (mara.status, mara.earlier_statuses) == ("active", [])
    tell(story, {"type": "set_entity_status", "entity": "mara", "status": "inactive"})
    tell(story, {"type": "set_entity_status", "entity": "mara", "status": "active"})
    assert state_of(story).entities["mara"].status == "active"
    assert breaches(story) == []


def test_every_kind_of_change_has_its_way_back(story: Campaign) -> None:
    edrin = {"type": "create_entity", "entity": "edrin", "name": "Edrin"}
    before = state_of(story)
    changes: list[dict[str, Any]] = [
        {"type": "set_entity_description", "entity": "mara", "description": "tired"},
        {"type": "set_entity_attribute", "entity": "mara", "attribute": "cloak", "value": "green"},
        {"type": "set_entity_conditions", "entity": "mara", "conditions": ["wet"]},
        {"type": "set_current_location", "entity": "mara", "location": "old-abbey"},
        {"type": "set_current_location", "entity": "silver-key", "location": "old-abbey"},
        give("mara"),
        {"type": "clear_possession", "item": "silver-key"},
        {"type": "set_scene", "mood": "still", "present": ["mara"]},
    ]
    for change in changes:
        tell(story, change)
        take_back(campaign_id=story.pk, event_id=event_of(story, change["type"]).pk)
        now = state_of(story)
        assert now.entities["mara"].attributes == before.entities["mara"].attributes
        assert now.entities["mara"].conditions == []
        assert now.entities["mara"].location == "crooked-lantern"
        assert now.entities["silver-key"].location is None
        assert now.possessions == before.possessions
        assert (now.scene.mood, now.scene.present) == ("", [])
    tell(
        story,
        fact("f", 1),
        {"type": "add_relationship", "source": "mara", "target": "aldric", "relationship": "trusts"},
    )
    take_back(campaign_id=story.pk, event_id=event_of(story, "add_fact").pk, note="no")
    take_back(campaign_id=story.pk, event_id=event_of(story, "add_relationship").pk)
    now = state_of(story)
    assert (now.facts[0].status, now.facts[0].invalidated_reason) == ("invalidated", "no")
    assert now.relationships[0].status == "ended"
    tell(story, edrin, {"type": "open_story_thread", "thread": "t", "title": "Find Edrin"})
    take_back(campaign_id=story.pk, event_id=event_of(story, "open_story_thread").pk)
    assert state_of(story).threads["t"].status == "abandoned"
    assert breaches(story) == []


def test_what_has_changed_again_is_left_alone(story: Campaign) -> None:
    tell(story, give("mara"))
    first = event_of(story, "set_possession")
    tell(story, {"type": "clear_possession", "item": "silver-key"})
    with pytest.raises(InvalidError, match="changed again"):
        take_back(campaign_id=story.pk, event_id=first.pk)
    assert state_of(story).possessions == {}


def test_another_campaigns_change_is_not_found(story: Campaign, owner: User) -> None:
    other = begin_story(owner)
    tell(other, give("mara"))
    with pytest.raises(NotFoundError):
        take_back(campaign_id=story.pk, event_id=event_of(other, "set_possession").pk)
