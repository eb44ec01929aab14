"""Turns: where a write lands, when it forks, and that it is committed whole or not at all."""

from unittest.mock import patch

import pytest

from campaigns.models import Branch, Campaign, StateVersion, Take, Turn, TurnRequest
from campaigns.services import head, requests, writing
from campaigns.services.state_versions import read_document
from tests import factories
from tests.campaigns.reading import (
    assert_coherent,
    branch_count,
    fresh,
    head_of,
    live_words,
    main_of,
    on_screen,
    opening_of,
    position_of,
    row_counts,
)


def test_an_opening_is_a_turn_with_a_take_and_a_state(campaign: Campaign) -> None:
    """TREE-01, I2."""
    opening = opening_of(campaign)
    assert (opening.mode, opening.input, opening.parent) == (None, "", None)
    take = Take.objects.get(turn=opening)
    assert take.origin == Take.Origin.OPENING
    assert read_document(take.state_version) == {"version": 1}
    assert opening.live_take == take
    assert position_of(campaign) == (main_of(campaign).pk, 0)


def test_a_turn_at_the_tip_goes_on_the_same_branch(campaign: Campaign) -> None:
    """TREE-02."""
    turn = factories.play(campaign, "I knock.", "Nobody answers.")
    assert (turn.branch, turn.depth, turn.parent) == (main_of(campaign), 1, opening_of(campaign))
    assert (turn.mode, turn.input) == ("action", "I knock.")
    assert on_screen(campaign) == ["Rain drives you off the road.", "Nobody answers."]
    assert branch_count(campaign) == 1
    assert_coherent(campaign)


def test_a_turn_without_a_change_of_state_shares_the_version(campaign: Campaign) -> None:
    """TURN-10."""
    factories.play_turns(campaign, 3)
    assert StateVersion.objects.filter(campaign=campaign).count() == 1
    assert Take.objects.filter(state_version__campaign=campaign).count() == 4


def test_writing_below_the_tip_forks_and_keeps_the_old_future(campaign: Campaign) -> None:
    """D05, TREE-09."""
    old = factories.play_turns(campaign, 3)
    words = [live_words(turn) for turn in old]
    head.undo(campaign_id=campaign.pk, steps=2)
    new = factories.play(campaign, "I go back.", "The door is shut.")
    assert (new.depth, new.parent_id) == (2, old[0].pk)
    assert (new.branch.parent_id, new.branch.fork_depth) == (main_of(campaign).pk, 1)
    assert [live_words(turn) for turn in old] == words
    assert on_screen(campaign)[1:] == [words[0], "The door is shut."]
    assert not head_of(campaign).can_redo
    assert_coherent(campaign)


def test_the_fork_hangs_from_the_branch_that_owns_the_turn(campaign: Campaign) -> None:
    """Reading the fork at a depth that Main owns, the new branch is Main's child, not the fork's."""
    factories.play_turns(campaign, 3)
    factories.fork_at(campaign, 2)
    third = factories.fork_at(campaign, 1)
    assert (third.parent_id, third.fork_depth) == (main_of(campaign).pk, 1)
    assert_coherent(campaign)


def test_a_fork_takes_its_name_from_the_players_words(campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    branch = factories.fork_at(
        campaign, 1, "I follow the mule track up to the abbey, whatever Mara says about it."
    )
    assert branch.name == "I follow the mule track up to the abbey…"


def test_a_fork_without_words_is_numbered(campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    head.undo(campaign_id=campaign.pk)
    request = factories.open_turn(campaign, "", mode="continue")
    accepted = requests.accept_request(request_id=request.pk, narration=factories.narrate())
    assert accepted.turn is not None
    assert accepted.turn.branch.name == "Branch 2"


def test_the_branch_that_was_left_is_stamped(campaign: Campaign) -> None:
    """TREE-16."""
    factories.play_turns(campaign, 3)
    assert main_of(campaign).departed_depth is None
    factories.fork_at(campaign, 2)
    main = main_of(campaign)
    assert main.departed_depth == 2
    assert main.departed_at is not None


def test_the_shallowest_departure_is_kept(campaign: Campaign) -> None:
    """TREE-16."""
    main = main_of(campaign)
    factories.play_turns(campaign, 4)
    for depth, kept in ((3, 3), (1, 1), (2, 1)):
        head.activate_branch(campaign_id=campaign.pk, branch_id=main.pk)
        factories.fork_at(campaign, depth)
        main.refresh_from_db()
        assert main.departed_depth == kept


def test_the_branch_that_was_active_is_the_one_that_departs(campaign: Campaign) -> None:
    """Forking from the part a fork shares with Main departs from the fork; Main was left before."""
    factories.play_turns(campaign, 3)
    cellar = factories.fork_at(campaign, 2)
    factories.fork_at(campaign, 1)
    cellar.refresh_from_db()
    assert cellar.departed_depth == 1
    assert main_of(campaign).departed_depth == 2


def test_playing_a_past_turn_in_other_words_forks_before_it(campaign: Campaign) -> None:
    """D09, TREE-11, TAKE-10."""
    turns = factories.play_turns(campaign, 2)
    new = factories.reword(campaign, turns[0], "I ask gently.", "She looks up.")
    assert (new.depth, new.input, new.branch.fork_depth) == (1, "I ask gently.", 0)
    assert on_screen(campaign)[1:] == ["She looks up."]
    assert Turn.objects.get(pk=turns[0].pk).input == "I take step 1."
    assert_coherent(campaign)


def test_the_tips_words_are_replaced_by_a_new_branch(campaign: Campaign) -> None:
    """EDIT-11, as 01 has it: other words are another turn, also at the tip."""
    turns = factories.play_turns(campaign, 2)
    new = factories.reword(campaign, turns[1], "I run.")
    assert new.branch.fork_depth == 1
    assert Turn.objects.filter(pk=turns[1].pk).exists()
    assert main_of(campaign).departed_depth == 1


def test_the_state_of_a_turn_starts_from_the_turn_before(campaign: Campaign) -> None:
    turn = factories.play(campaign)
    before = Take.objects.get(turn=opening_of(campaign))
    assert Take.objects.get(turn=turn).state_version_id == before.state_version_id


@pytest.mark.parametrize("step", ["_make_live", "move_head", "_create_take"])
def test_a_failure_inside_the_commit_leaves_nothing_of_the_turn(campaign: Campaign, step: str) -> None:
    """L01, TURN-01, I3. The steps of one transaction have no seam but their names."""
    request = factories.open_turn(campaign)
    before = row_counts()
    where = position_of(campaign)
    with (
        patch.object(writing, step, side_effect=OSError("disk full")),
        pytest.raises(OSError, match="disk full"),
    ):
        requests.accept_request(request_id=request.pk, narration=factories.narrate())
    assert row_counts() == before
    assert position_of(campaign) == where
    request.refresh_from_db()
    assert request.status == TurnRequest.Status.QUEUED
    requests.accept_request(request_id=request.pk, narration=factories.narrate())
    assert position_of(campaign) == (where[0], 1)
    assert_coherent(campaign)


def test_a_branch_without_turns_of_its_own_is_written_on(campaign: Campaign) -> None:
    """A branch whose turns were pruned ends where it forked; that is its tip."""
    factories.play_turns(campaign, 3)
    bare = Branch.objects.create(campaign=campaign, name="Pruned", parent=main_of(campaign), fork_depth=2)
    head.activate_branch(campaign_id=campaign.pk, branch_id=bare.pk)
    assert position_of(campaign) == (bare.pk, 2)
    turn = factories.play(campaign)
    assert (turn.branch, turn.depth) == (bare, 3)
    assert branch_count(campaign) == 2
    assert_coherent(campaign)


def test_two_campaigns_do_not_touch(campaign: Campaign) -> None:
    other = factories.make_campaign(owner=campaign.owner, title="Persephone", opening="Ceres turns below.")
    factories.play(campaign, narration="Here.")
    before = fresh(other)
    factories.play(campaign, narration="Here again.")
    assert on_screen(other) == ["Ceres turns below."]
    assert fresh(other).change_count == before.change_count
