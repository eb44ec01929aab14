"""Undo and Redo, Go to and switching branches: the head moves and nothing else does."""

import pytest

from campaigns import selectors
from campaigns.errors import InvalidError, NotFoundError
from campaigns.models import Branch, Campaign
from campaigns.services import head
from tests import factories
from tests.campaigns.reading import (
    assert_coherent,
    branch_count,
    fresh,
    head_of,
    main_of,
    on_screen,
    position_of,
    row_counts,
)


def test_an_opening_has_no_way_back_or_on(campaign: Campaign) -> None:
    """TREE-01."""
    here = head_of(campaign)
    assert (here.depth, here.can_undo, here.can_redo) == (0, False, False)
    assert_coherent(campaign)


def test_undo_steps_over_one_whole_turn(campaign: Campaign) -> None:
    """TREE-04, TREE-05."""
    factories.play(campaign, narration="One.")
    factories.play(campaign, narration="Two.")
    before = row_counts()
    head.undo(campaign_id=campaign.pk)
    assert on_screen(campaign)[1:] == ["One."]
    assert head_of(campaign).can_redo
    assert row_counts() == before
    assert_coherent(campaign)


def test_undo_takes_several_steps_at_once(campaign: Campaign) -> None:
    factories.play_turns(campaign, 4)
    head.undo(campaign_id=campaign.pk, steps=3)
    assert position_of(campaign) == (main_of(campaign).pk, 1)


def test_undo_stops_at_the_opening(campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    head.undo(campaign_id=campaign.pk, steps=50)
    here = head_of(campaign)
    assert (here.depth, here.can_undo, here.can_redo) == (0, False, True)


def test_redo_stops_at_the_tip(campaign: Campaign) -> None:
    factories.play_turns(campaign, 3)
    shown = on_screen(campaign)
    head.undo(campaign_id=campaign.pk, steps=3)
    head.redo(campaign_id=campaign.pk, steps=50)
    assert on_screen(campaign) == shown
    assert not head_of(campaign).can_redo


def test_undo_at_the_opening_changes_nothing(campaign: Campaign) -> None:
    before = fresh(campaign)
    head.undo(campaign_id=campaign.pk)
    after = fresh(campaign)
    assert (after.head, after.change_count, after.updated_at) == (
        before.head,
        before.change_count,
        before.updated_at,
    )


def test_redo_at_the_tip_changes_nothing(campaign: Campaign) -> None:
    """TREE-07, as 01 has it: the end of the road is no error."""
    factories.play(campaign)
    before = fresh(campaign)
    head.redo(campaign_id=campaign.pk)
    after = fresh(campaign)
    assert (after.head, after.change_count, after.updated_at) == (
        before.head,
        before.change_count,
        before.updated_at,
    )


def test_a_move_is_counted_as_a_change(campaign: Campaign) -> None:
    factories.play(campaign)
    before = fresh(campaign)
    head.undo(campaign_id=campaign.pk)
    after = fresh(campaign)
    assert after.change_count == before.change_count + 1
    assert after.updated_at > before.updated_at


@pytest.mark.parametrize("steps", [0, -1])
def test_less_than_one_step_is_refused(campaign: Campaign, steps: int) -> None:
    factories.play(campaign)
    with pytest.raises(InvalidError) as undone:
        head.undo(campaign_id=campaign.pk, steps=steps)
    with pytest.raises(InvalidError):
        head.redo(campaign_id=campaign.pk, steps=steps)
    assert undone.value.field == "steps"
    assert head_of(campaign).depth == 1


def test_walking_all_the_way_up_and_down_is_coherent(campaign: Campaign) -> None:
    """TREE-07, TREE-08."""
    factories.play_turns(campaign, 4)
    shown = on_screen(campaign)
    for depth in (3, 2, 1, 0):
        head.undo(campaign_id=campaign.pk)
        assert on_screen(campaign) == shown[: depth + 1]
        assert_coherent(campaign)
    for depth in (1, 2, 3, 4):
        head.redo(campaign_id=campaign.pk)
        assert on_screen(campaign) == shown[: depth + 1]
        assert_coherent(campaign)


@pytest.mark.parametrize("steps", range(1, 7))
def test_undo_then_redo_is_the_identity_across_forks(campaign: Campaign, steps: int) -> None:
    """On ancestors that the line shares with the branches it left, Redo follows the branch being read."""
    factories.play_turns(campaign, 3)
    factories.fork_at(campaign, 2)
    factories.play(campaign)
    factories.fork_at(campaign, 3)
    factories.play(campaign)
    start, shown = position_of(campaign), on_screen(campaign)
    for _ in range(steps):
        head.undo(campaign_id=campaign.pk)
    assert len(on_screen(campaign)) == max(1, len(shown) - steps)
    for _ in range(steps):
        head.redo(campaign_id=campaign.pk)
    assert position_of(campaign) == start
    assert on_screen(campaign) == shown


def test_walking_never_forks(campaign: Campaign) -> None:
    """TREE-10, DEL-05."""
    factories.play_turns(campaign, 3)
    before = row_counts()
    for steps in (1, 2, 3):
        head.undo(campaign_id=campaign.pk, steps=steps)
        head.redo(campaign_id=campaign.pk, steps=steps)
    head.go_to(campaign_id=campaign.pk, branch_id=main_of(campaign).pk, depth=1)
    head.activate_branch(campaign_id=campaign.pk, branch_id=main_of(campaign).pk)
    assert row_counts() == before
    assert branch_count(campaign) == 1


def test_a_nonsense_departure_decides_nothing(campaign: Campaign) -> None:
    """TREE-16."""
    factories.play_turns(campaign, 3)
    Branch.objects.filter(campaign=campaign).update(departed_depth=0)
    head.undo(campaign_id=campaign.pk)
    assert head_of(campaign).can_redo
    head.redo(campaign_id=campaign.pk)
    factories.play(campaign)
    assert branch_count(campaign) == 1
    assert len(on_screen(campaign)) == 5


def test_go_to_a_place_on_the_line_keeps_the_branch_being_read(campaign: Campaign) -> None:
    """The shared part belongs to Main, and Redo still leads down the fork."""
    factories.play_turns(campaign, 3)
    cellar = factories.fork_at(campaign, 2)
    head.go_to(campaign_id=campaign.pk, branch_id=main_of(campaign).pk, depth=1)
    assert position_of(campaign) == (cellar.pk, 1)
    head.redo(campaign_id=campaign.pk, steps=2)
    assert position_of(campaign) == (cellar.pk, 3)


def test_go_to_a_place_below_the_head_on_the_line_keeps_the_branch(campaign: Campaign) -> None:
    factories.play_turns(campaign, 3)
    cellar = factories.fork_at(campaign, 2)
    head.undo(campaign_id=campaign.pk, steps=3)
    head.go_to(campaign_id=campaign.pk, branch_id=main_of(campaign).pk, depth=2)
    assert position_of(campaign) == (cellar.pk, 2)


def test_go_to_a_place_off_the_line_changes_the_branch(campaign: Campaign) -> None:
    old = factories.play_turns(campaign, 3)
    factories.fork_at(campaign, 1)
    head.go_to(campaign_id=campaign.pk, branch_id=main_of(campaign).pk, depth=3)
    assert position_of(campaign) == (main_of(campaign).pk, 3)
    assert head_of(campaign).turn_id == old[2].pk


@pytest.mark.parametrize("depth", [-1, 4])
def test_a_place_without_a_turn_is_refused(campaign: Campaign, depth: int) -> None:
    factories.play_turns(campaign, 3)
    with pytest.raises(InvalidError) as refused:
        head.go_to(campaign_id=campaign.pk, branch_id=main_of(campaign).pk, depth=depth)
    assert refused.value.field == "depth"
    assert head_of(campaign).depth == 3


def test_another_campaigns_branch_is_not_found(campaign: Campaign) -> None:
    """I7."""
    other = factories.make_campaign(owner=campaign.owner, title="Persephone")
    before = position_of(campaign)
    with pytest.raises(NotFoundError):
        head.go_to(campaign_id=campaign.pk, branch_id=main_of(other).pk, depth=0)
    with pytest.raises(NotFoundError):
        head.activate_branch(campaign_id=campaign.pk, branch_id=main_of(other).pk)
    assert position_of(campaign) == before


def test_switching_goes_to_the_tip_of_the_branch(campaign: Campaign) -> None:
    """TREE-13."""
    factories.play_turns(campaign, 3)
    shown = on_screen(campaign)
    cellar = factories.fork_at(campaign, 1)
    forked = on_screen(campaign)
    head.activate_branch(campaign_id=campaign.pk, branch_id=main_of(campaign).pk)
    assert on_screen(campaign) == shown
    head.activate_branch(campaign_id=campaign.pk, branch_id=cellar.pk)
    assert on_screen(campaign) == forked
    assert_coherent(campaign)


def test_a_missing_campaign_is_not_found(campaign: Campaign) -> None:
    with pytest.raises(NotFoundError):
        head.undo(campaign_id=campaign.pk + 1)


def test_an_undone_place_is_kept_apart_from_the_newest_turn(campaign: Campaign) -> None:
    """RST-05: the head is stored, and read back with nothing else in memory."""
    factories.play_turns(campaign, 3)
    head.undo(campaign_id=campaign.pk, steps=2)
    stored = selectors.get_head(Campaign.objects.get(pk=campaign.pk))
    assert (stored.depth, stored.can_redo) == (1, True)
