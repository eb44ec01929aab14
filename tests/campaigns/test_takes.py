"""Retry and the takes of a turn: what is told again, what is kept, and when the line forks."""

import pytest

from campaigns.errors import HeadMovedError, InvalidError, NotFoundError
from campaigns.models import Campaign, Take, Turn
from campaigns.selectors import told_takes
from campaigns.services import head, requests, writing
from tests import factories
from tests.campaigns.reading import (
    assert_coherent,
    branch_count,
    head_of,
    live_words,
    main_of,
    on_screen,
    opening_of,
    position_of,
    row_counts,
    takes_of,
)


def _select(campaign: Campaign, turn: Turn, ordinal: int) -> Turn:
    take = Take.objects.get(turn=turn, ordinal=ordinal)
    return writing.select_take(campaign_id=campaign.pk, turn_id=turn.pk, take_id=take.pk)


def test_a_retry_at_the_tip_adds_a_take_and_makes_it_live(campaign: Campaign) -> None:
    """D06, D08, TAKE-01."""
    turn = factories.play(campaign, narration="One.")
    assert factories.retry(campaign, turn, "Two.") == turn
    assert takes_of(turn) == ["One.", "Two."]
    assert live_words(turn) == "Two."
    assert head_of(campaign).depth == 1
    assert branch_count(campaign) == 1
    first, second = Take.objects.filter(turn=turn)
    assert first.state_version == second.state_version
    assert_coherent(campaign)


def test_every_attempt_is_kept_in_order(campaign: Campaign) -> None:
    """TAKE-02."""
    turn = factories.play(campaign, narration="One.")
    factories.retry(campaign, turn, "Two.")
    factories.retry(campaign, turn, "Three.")
    assert [take.ordinal for take in Take.objects.filter(turn=turn)] == [0, 1, 2]
    assert takes_of(turn) == ["One.", "Two.", "Three."]
    assert live_words(turn) == "Three."


def test_undo_after_a_retry_lands_before_the_turn(campaign: Campaign) -> None:
    """TAKE-03."""
    turn = factories.play(campaign)
    factories.retry(campaign, turn)
    before = row_counts()
    head.undo(campaign_id=campaign.pk)
    assert head_of(campaign).depth == 0
    assert row_counts() == before


def test_selecting_a_take_makes_it_live(campaign: Campaign) -> None:
    """TAKE-04."""
    turn = factories.play(campaign, narration="A scratch.")
    factories.retry(campaign, turn, "A beating.")
    where = position_of(campaign)
    assert _select(campaign, turn, 0) == turn
    assert on_screen(campaign)[-1] == "A scratch."
    _select(campaign, turn, 1)
    assert on_screen(campaign)[-1] == "A beating."
    assert position_of(campaign) == where
    assert branch_count(campaign) == 1
    assert_coherent(campaign)


def test_selecting_the_live_take_forks_nothing(campaign: Campaign) -> None:
    turn = factories.play(campaign)
    factories.play(campaign)
    before = row_counts()
    assert _select(campaign, turn, 0) == turn
    assert row_counts() == before
    assert head_of(campaign).depth == 2


def test_selecting_a_take_above_a_continuation_forks_with_its_words(campaign: Campaign) -> None:
    """TAKE-06, as 01 has it: the words below were written from stay."""
    turn = factories.play(campaign, "I knock.", "One.")
    factories.retry(campaign, turn, "Two.")
    factories.play(campaign, narration="After two.")
    new = _select(campaign, turn, 0)
    assert (new.depth, new.input, new.branch.fork_depth) == (1, "I knock.", 0)
    assert on_screen(campaign)[1:] == ["One."]
    assert live_words(turn) == "Two."
    carried = Take.objects.get(turn=new)
    assert carried.carried_from == Take.objects.get(turn=turn, ordinal=0)
    head.activate_branch(campaign_id=campaign.pk, branch_id=main_of(campaign).pk)
    assert on_screen(campaign)[1:] == ["Two.", "After two."]
    assert_coherent(campaign)


def test_selecting_a_take_above_an_undone_future_forks(campaign: Campaign) -> None:
    turn = factories.play(campaign, narration="One.")
    factories.retry(campaign, turn, "Two.")
    factories.play(campaign)
    head.undo(campaign_id=campaign.pk)
    new = _select(campaign, turn, 0)
    assert new != turn
    assert live_words(turn) == "Two."
    assert_coherent(campaign)


def test_what_is_carried_twice_still_names_its_first_telling(campaign: Campaign) -> None:
    turn = factories.play(campaign, narration="One.")
    factories.retry(campaign, turn, "Two.")
    factories.play(campaign)
    carried = _select(campaign, turn, 0)
    factories.retry(campaign, carried, "Three.")
    factories.play(campaign)
    again = _select(campaign, carried, 0)
    first = Take.objects.get(turn=turn, ordinal=0)
    assert told_takes(Take.objects.get(turn=again))[-1] == first.pk


def test_a_retry_above_a_visible_future_forks_just_before_the_turn(campaign: Campaign) -> None:
    """TAKE-09, TAKE-11."""
    turns = factories.play_turns(campaign, 2)
    shown = on_screen(campaign)
    new = factories.retry(campaign, turns[0], "Told again.")
    assert (new.depth, new.input, new.branch.fork_depth) == (1, turns[0].input, 0)
    assert on_screen(campaign)[1:] == ["Told again."]
    assert takes_of(turns[0]) == [shown[1]]
    head.activate_branch(campaign_id=campaign.pk, branch_id=main_of(campaign).pk)
    assert on_screen(campaign) == shown
    assert_coherent(campaign)


def test_a_retry_above_an_undone_future_forks(campaign: Campaign) -> None:
    """The future is off screen, and it was written from the words that a retry in place would replace."""
    turns = factories.play_turns(campaign, 2)
    words = live_words(turns[0])
    head.undo(campaign_id=campaign.pk)
    new = factories.retry(campaign, turns[0])
    assert new.branch != turns[0].branch
    assert live_words(turns[0]) == words
    assert_coherent(campaign)


def test_a_retry_above_a_departed_line_forks(campaign: Campaign) -> None:
    """What descends hangs on a branch that is neither on screen nor below the head."""
    turns = factories.play_turns(campaign, 3)
    factories.fork_at(campaign, 2)
    factories.fork_at(campaign, 1)
    head.undo(campaign_id=campaign.pk)
    words = live_words(turns[0])
    new = factories.retry(campaign, turns[0])
    assert (new.depth, new.branch.fork_depth) == (1, 0)
    assert live_words(turns[0]) == words
    assert_coherent(campaign)


def test_the_opening_cannot_be_told_again(campaign: Campaign) -> None:
    with pytest.raises(InvalidError, match="Edit its words"):
        factories.open_retry(campaign, opening_of(campaign))
    assert factories.open_retry(campaign, factories.play(campaign)).is_running


def test_a_retry_of_a_turn_that_is_not_on_screen_names_its_place(campaign: Campaign) -> None:
    turns = factories.play_turns(campaign, 2)
    head.undo(campaign_id=campaign.pk)
    with pytest.raises(HeadMovedError) as moved:
        factories.open_retry(campaign, turns[1])
    assert (moved.value.branch_id, moved.value.depth) == (turns[1].branch_id, 2)


def test_takes_of_other_turns_and_campaigns_are_not_found(campaign: Campaign) -> None:
    """I7."""
    turn = factories.play(campaign)
    other = factories.make_campaign(owner=campaign.owner, title="Persephone")
    foreign = Take.objects.get(turn=opening_of(other))
    with pytest.raises(NotFoundError):
        writing.select_take(campaign_id=campaign.pk, turn_id=turn.pk, take_id=foreign.pk)
    with pytest.raises(NotFoundError):
        writing.select_take(campaign_id=campaign.pk, turn_id=opening_of(other).pk, take_id=foreign.pk)


def test_a_failed_retry_changes_nothing(campaign: Campaign) -> None:
    """TAKE-08."""
    turn = factories.play(campaign, narration="One.")
    where = position_of(campaign)
    request = factories.open_retry(campaign, turn)
    requests.fail_request(
        request_id=request.pk, code="inference_timeout", detail="No answer.", partial="Half a"
    )
    assert takes_of(turn) == ["One."]
    assert position_of(campaign) == where
    assert factories.retry(campaign, turn, "Two.") == turn


def test_a_stopped_and_kept_retry_adds_its_take_without_making_it_live(campaign: Campaign) -> None:
    turn = factories.play(campaign, narration="One.")
    request = factories.open_retry(campaign, turn)
    requests.stop_request(request_id=request.pk, partial="Half of two")
    kept = requests.keep_partial(campaign_id=campaign.pk, request_id=request.pk)
    assert takes_of(turn) == ["One.", "Half of two"]
    assert live_words(turn) == "One."
    assert kept.take is not None
    assert kept.take.finish == Take.Finish.STOPPED
    assert_coherent(campaign)


def test_a_kept_retry_above_a_future_adds_its_take_in_place(campaign: Campaign) -> None:
    """It is not live, so that it contradicts nothing that descends from the turn."""
    turns = factories.play_turns(campaign, 2)
    words = live_words(turns[0])
    request = factories.open_retry(campaign, turns[0])
    requests.stop_request(request_id=request.pk, partial="Half of it")
    requests.keep_partial(campaign_id=campaign.pk, request_id=request.pk)
    assert takes_of(turns[0]) == [words, "Half of it"]
    assert live_words(turns[0]) == words
    assert branch_count(campaign) == 1
    assert head_of(campaign).depth == 2
    assert_coherent(campaign)
