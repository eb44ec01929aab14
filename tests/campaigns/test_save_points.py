"""Save Points: durable names for places, and nothing else."""

import pytest

from campaigns import selectors
from campaigns.errors import InvalidError, NotFoundError, TurnInFlightError
from campaigns.models import Campaign, SavePoint
from campaigns.services import head, save_points
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


def _save(campaign: Campaign, name: str = "Here") -> SavePoint:
    return save_points.create_save_point(campaign_id=campaign.pk, name=name)


def _restore(campaign: Campaign, save_point: SavePoint) -> None:
    head.restore_save_point(campaign_id=campaign.pk, save_point_id=save_point.pk)


def test_a_save_point_names_the_heads_place(campaign: Campaign) -> None:
    """D11, SAVE-01."""
    factories.play_turns(campaign, 2)
    before = row_counts()
    saved = save_points.create_save_point(campaign_id=campaign.pk, name="  Before\nthe ledger ", note=" why ")
    assert (saved.name, saved.note) == ("Before the ledger", "why")
    assert (saved.branch, saved.depth) == (main_of(campaign), 2)
    assert row_counts() == before | {"SavePoint": 1}


def test_it_is_kept_under_the_branch_that_owns_the_turn(campaign: Campaign) -> None:
    factories.play_turns(campaign, 3)
    factories.fork_at(campaign, 2)
    head.undo(campaign_id=campaign.pk, steps=2)
    saved = _save(campaign)
    assert (saved.branch, saved.depth) == (main_of(campaign), 1)


def test_restoring_moves_the_head_and_keeps_the_future(campaign: Campaign) -> None:
    """SAVE-02."""
    factories.play(campaign)
    shown = on_screen(campaign)
    saved = _save(campaign)
    factories.play_turns(campaign, 4)
    later = on_screen(campaign)
    before = row_counts()
    _restore(campaign, saved)
    assert on_screen(campaign) == shown
    assert row_counts() == before
    head.redo(campaign_id=campaign.pk, steps=4)
    assert on_screen(campaign) == later
    assert_coherent(campaign)


def test_writing_after_a_restore_forks(campaign: Campaign) -> None:
    """D13, SAVE-03, SAVE-04, SAVE-17."""
    factories.play(campaign)
    saved = _save(campaign)
    factories.play_turns(campaign, 2)
    place = saved.position
    _restore(campaign, saved)
    assert branch_count(campaign) == 1
    factories.play(campaign, "I go around the back.", "A cat.")
    factories.play(campaign, narration="A second cat.")
    assert branch_count(campaign) == 2
    assert on_screen(campaign)[2:] == ["A cat.", "A second cat."]
    saved.refresh_from_db()
    assert saved.position == place
    assert_coherent(campaign)


def test_restoring_a_place_on_a_line_that_was_left_changes_the_branch(campaign: Campaign) -> None:
    """SAVE-05."""
    factories.play_turns(campaign, 3)
    saved, shown = _save(campaign), on_screen(campaign)
    factories.fork_at(campaign, 1)
    factories.play_turns(campaign, 3)
    _restore(campaign, saved)
    assert on_screen(campaign) == shown
    assert position_of(campaign) == (main_of(campaign).pk, 3)


def test_restoring_into_the_shared_part_keeps_the_branch(campaign: Campaign) -> None:
    """SAVE-06."""
    factories.play(campaign)
    saved = _save(campaign)
    factories.play_turns(campaign, 2)
    cellar = factories.fork_at(campaign, 2)
    _restore(campaign, saved)
    assert position_of(campaign) == (cellar.pk, 1)


def test_restoring_where_the_head_stands_changes_nothing(campaign: Campaign) -> None:
    saved = _save(campaign)
    before = fresh(campaign)
    _restore(campaign, saved)
    assert fresh(campaign).change_count == before.change_count


def test_a_save_point_follows_a_retry(campaign: Campaign) -> None:
    """SAVE-07."""
    turn = factories.play(campaign, narration="One.")
    saved = _save(campaign)
    factories.retry(campaign, turn, "Two.")
    head.undo(campaign_id=campaign.pk)
    _restore(campaign, saved)
    assert on_screen(campaign)[-1] == "Two."


def test_names_may_repeat_and_the_newest_comes_first(campaign: Campaign) -> None:
    """SAVE-08."""
    factories.play_turns(campaign, 2)
    deep = _save(campaign, "Here")
    head.undo(campaign_id=campaign.pk)
    shallow, twice = _save(campaign, "Here"), _save(campaign, "There")
    rows = selectors.list_save_points(fresh(campaign))
    assert [row.save_point for row in rows] == [twice, shallow, deep]
    assert [row.is_on_path for row in rows] == [True, True, False]


def test_the_list_goes_on_behind_an_id(campaign: Campaign) -> None:
    saved = [_save(campaign, str(number)) for number in range(5)]
    first = selectors.list_save_points(campaign, limit=2)
    rest = selectors.list_save_points(campaign, before=first[-1].save_point.pk)
    assert [row.save_point for row in [*first, *rest]] == saved[::-1]


def test_the_list_tells_the_turn_of_the_right_line(campaign: Campaign) -> None:
    """SAVE-15, TREE-20."""
    old = factories.play_turns(campaign, 2)
    on_old = _save(campaign)
    new = factories.fork_at(campaign, 1)
    on_new = _save(campaign)
    turns = {row.save_point: row.turn_id for row in selectors.list_save_points(fresh(campaign))}
    assert turns == {on_old: old[1].pk, on_new: new.turns.get().pk}


def test_another_campaigns_save_point_is_not_found(campaign: Campaign) -> None:
    """SAVE-09, I7."""
    other = factories.make_campaign(owner=campaign.owner, title="Persephone")
    saved = _save(other)
    factories.play(campaign)
    with pytest.raises(NotFoundError):
        _restore(campaign, saved)
    with pytest.raises(NotFoundError):
        save_points.update_save_point(campaign_id=campaign.pk, save_point_id=saved.pk, name="Mine")
    with pytest.raises(NotFoundError):
        save_points.delete_save_point(campaign_id=campaign.pk, save_point_id=saved.pk)
    assert head_of(campaign).depth == 1
    assert selectors.list_save_points(campaign) == []
    assert len(selectors.list_save_points(other)) == 1


def test_renaming_changes_the_name_and_not_the_place(campaign: Campaign) -> None:
    saved = _save(campaign)
    factories.play(campaign)
    before = fresh(campaign).change_count
    changed = save_points.update_save_point(
        campaign_id=campaign.pk, save_point_id=saved.pk, name="There", note="n"
    )
    assert (changed.name, changed.note, changed.position) == ("There", "n", saved.position)
    assert fresh(campaign).change_count == before + 1
    changed = save_points.update_save_point(campaign_id=campaign.pk, save_point_id=saved.pk, note="")
    assert (changed.name, changed.note) == ("There", "")


def test_a_name_is_needed(campaign: Campaign) -> None:
    with pytest.raises(InvalidError) as refused:
        _save(campaign, "  ")
    assert refused.value.field == "name"


def test_deleting_a_name_leaves_the_place(campaign: Campaign) -> None:
    factories.play(campaign)
    saved = _save(campaign)
    before = row_counts()
    save_points.delete_save_point(campaign_id=campaign.pk, save_point_id=saved.pk)
    assert row_counts() == before | {"SavePoint": 0}


def test_creating_one_takes_the_turn_lock(campaign: Campaign) -> None:
    """SAVE-20."""
    factories.open_turn(campaign)
    with pytest.raises(TurnInFlightError):
        _save(campaign)


def test_renaming_one_does_not_wait_for_a_turn(campaign: Campaign) -> None:
    saved = _save(campaign)
    factories.open_turn(campaign)
    save_points.update_save_point(campaign_id=campaign.pk, save_point_id=saved.pk, name="There")
    assert SavePoint.objects.get().name == "There"
