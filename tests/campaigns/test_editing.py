"""Editing narration: the player's words become the story, and the old words are kept."""

import pytest

from campaigns.errors import HeadMovedError, InvalidError, NotFoundError, TurnInFlightError
from campaigns.models import Campaign, Take, Turn, TurnRequest
from campaigns.services import head, writing
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


def _edit(campaign: Campaign, turn: Turn, text: str, take: Take | None = None) -> Turn:
    return writing.edit_narration(
        campaign_id=campaign.pk, turn_id=turn.pk, text=text, take_id=None if take is None else take.pk
    )


def test_an_edit_at_the_tip_is_another_take(campaign: Campaign) -> None:
    """D10, EDIT-01."""
    turn = factories.play(campaign, narration="One.")
    factories.retry(campaign, turn, "Two.")
    where = position_of(campaign)
    assert _edit(campaign, turn, "Two, but better.") == turn
    assert takes_of(turn) == ["One.", "Two.", "Two, but better."]
    assert live_words(turn) == "Two, but better."
    assert Take.objects.get(turn=turn, ordinal=2).origin == Take.Origin.EDITED
    assert position_of(campaign) == where
    assert branch_count(campaign) == 1
    assert_coherent(campaign)


def test_an_edit_above_a_visible_future_forks(campaign: Campaign) -> None:
    """D10, EDIT-02."""
    turns = factories.play_turns(campaign, 4)
    shown = on_screen(campaign)
    new = _edit(campaign, turns[0], "Corrected.")
    assert new != turns[0]
    assert (new.input, new.mode, new.depth) == (turns[0].input, turns[0].mode, 1)
    assert on_screen(campaign) == [shown[0], "Corrected."]
    assert [live_words(turn) for turn in turns] == shown[1:]
    head.activate_branch(campaign_id=campaign.pk, branch_id=main_of(campaign).pk)
    assert on_screen(campaign) == shown
    assert_coherent(campaign)


def test_an_edit_above_an_undone_future_forks(campaign: Campaign) -> None:
    """D10, EDIT-03."""
    turns = factories.play_turns(campaign, 3)
    words = live_words(turns[1])
    head.undo(campaign_id=campaign.pk)
    _edit(campaign, turns[1], "Corrected.")
    assert live_words(turns[1]) == words
    assert on_screen(campaign)[-1] == "Corrected."
    assert Turn.objects.filter(pk=turns[2].pk).exists()
    assert_coherent(campaign)


def test_an_edit_above_a_departed_line_forks(campaign: Campaign) -> None:
    """D10, EDIT-04."""
    turns = factories.play_turns(campaign, 3)
    words = live_words(turns[0])
    factories.fork_at(campaign, 1)
    assert not head_of(campaign).can_redo
    _edit(campaign, turns[0], "Corrected.")
    assert live_words(turns[0]) == words
    assert on_screen(campaign)[1:] == ["Corrected."]
    assert_coherent(campaign)


@pytest.mark.parametrize("text", ["  Two  spaces,\n\n\ta tab … and ‘quotes’ \n", "x"])
def test_words_are_kept_verbatim(campaign: Campaign, text: str) -> None:
    """D10, EDIT-05."""
    turn = factories.play(campaign)
    _edit(campaign, turn, text)
    assert live_words(turn) == text
    assert not TurnRequest.objects.exclude(status="accepted").exists()


def test_the_state_is_the_one_before_the_turn(campaign: Campaign) -> None:
    """D10, EDIT-06: the take's own, not that of the place being read."""
    turns = factories.play_turns(campaign, 2)
    new = _edit(campaign, turns[0], "Corrected.")
    opening = Take.objects.get(turn=opening_of(campaign))
    assert Take.objects.get(turn=new).state_version_id == opening.state_version_id


def test_editing_a_take_that_is_not_live_adds_a_take(campaign: Campaign) -> None:
    """EDIT-10, as 01 has it: takes are never overwritten."""
    turn = factories.play(campaign, narration="One.")
    factories.retry(campaign, turn, "Two.")
    _edit(campaign, turn, "One, mended.", Take.objects.get(turn=turn, ordinal=0))
    assert takes_of(turn) == ["One.", "Two.", "One, mended."]
    assert live_words(turn) == "One, mended."


def test_editing_a_take_that_is_not_live_above_a_future_forks(campaign: Campaign) -> None:
    turn = factories.play(campaign, narration="One.")
    factories.retry(campaign, turn, "Two.")
    factories.play(campaign)
    new = _edit(campaign, turn, "One, mended.", Take.objects.get(turn=turn, ordinal=0))
    assert new != turn
    assert takes_of(turn) == ["One.", "Two."]
    assert_coherent(campaign)


def test_a_take_of_another_turn_is_not_found(campaign: Campaign) -> None:
    turns = factories.play_turns(campaign, 2)
    with pytest.raises(NotFoundError):
        _edit(campaign, turns[1], "Corrected.", Take.objects.get(turn=turns[0]))
    assert branch_count(campaign) == 1


def test_an_opening_alone_is_edited_in_place(campaign: Campaign) -> None:
    opening = opening_of(campaign)
    assert _edit(campaign, opening, "Snow drives you off the road.") == opening
    assert on_screen(campaign) == ["Snow drives you off the road."]
    assert_coherent(campaign)


def test_an_opening_with_a_story_below_gets_a_line_beside_it(campaign: Campaign) -> None:
    opening = opening_of(campaign)
    factories.play_turns(campaign, 2)
    shown = on_screen(campaign)
    new = _edit(campaign, opening, "Snow drives you off the road.")
    assert (new.branch.fork_depth, new.branch.parent, new.depth, new.parent) == (
        -1,
        main_of(campaign),
        0,
        None,
    )
    assert on_screen(campaign) == ["Snow drives you off the road."]
    assert not head_of(campaign).can_undo
    assert main_of(campaign).departed_depth == -1
    factories.play(campaign, narration="On in the snow.")
    assert on_screen(campaign) == ["Snow drives you off the road.", "On in the snow."]
    head.activate_branch(campaign_id=campaign.pk, branch_id=main_of(campaign).pk)
    assert on_screen(campaign) == shown
    assert_coherent(campaign)


def test_a_second_opening_can_have_a_third_beside_it(campaign: Campaign) -> None:
    factories.play(campaign)
    second = _edit(campaign, opening_of(campaign), "Snow.")
    factories.play(campaign)
    third = _edit(campaign, second, "Fog.")
    assert (third.branch.parent, third.branch.fork_depth) == (second.branch, -1)
    factories.play(campaign)
    head.undo(campaign_id=campaign.pk)
    assert on_screen(campaign) == ["Fog."]
    head.go_to(campaign_id=campaign.pk, branch_id=second.branch_id, depth=0)
    assert on_screen(campaign) == ["Snow."]
    assert_coherent(campaign)


def test_a_turn_off_screen_is_not_edited(campaign: Campaign) -> None:
    turns = factories.play_turns(campaign, 2)
    head.undo(campaign_id=campaign.pk)
    before = row_counts()
    with pytest.raises(HeadMovedError) as moved:
        _edit(campaign, turns[1], "Corrected.")
    assert "turn 2 of “Main”" in moved.value.message
    assert row_counts() == before
    head.redo(campaign_id=campaign.pk)
    assert _edit(campaign, turns[1], "Corrected.") == turns[1]


def test_empty_words_are_refused(campaign: Campaign) -> None:
    turn = factories.play(campaign)
    with pytest.raises(InvalidError) as refused:
        _edit(campaign, turn, " \n ")
    assert refused.value.field == "text"


def test_editing_needs_the_turn_lock(campaign: Campaign) -> None:
    """EDIT-14, TURN-03."""
    turn = factories.play(campaign)
    request = factories.open_turn(campaign)
    with pytest.raises(TurnInFlightError):
        _edit(campaign, turn, "Corrected.")
    TurnRequest.objects.filter(pk=request.pk).update(status="failed")
    assert _edit(campaign, turn, "Corrected.") == turn


def test_another_campaigns_turn_is_not_found(campaign: Campaign) -> None:
    """I7."""
    other = factories.make_campaign(owner=campaign.owner, title="Persephone")
    with pytest.raises(NotFoundError):
        _edit(campaign, opening_of(other), "Corrected.")
    assert on_screen(other) == ["Rain drives you off the road."]
