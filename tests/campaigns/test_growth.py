"""What a story costs does not depend on how long it is or how often it forked.

Statements and their plans are compared, never times. The big stories are stored in bulk
(tests/big_stories.py) and are as whole as played ones.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from pytest_django import DjangoDbBlocker

from campaigns import positions, selectors
from campaigns.models import Branch, Campaign, Turn
from campaigns.path import Position
from campaigns.services import head, requests, save_points
from tests import factories
from tests.big_stories import make_nested_story, make_straight_story, name_places
from tests.campaigns.reading import breaches, fresh, main_of
from tests.campaigns.statements import Statements, recorded

SHORT, LONG = 100, 10_000
FEW, MANY = 10, 2_000


@dataclass(frozen=True, slots=True)
class Stories:
    """The same kinds of story, small and big."""

    straight: tuple[Campaign, Campaign]
    nested: tuple[Campaign, Campaign]
    nested_to_the_end: tuple[Campaign, Campaign]

    def pairs(self) -> Iterator[tuple[Campaign, Campaign]]:
        yield from (self.straight, self.nested, self.nested_to_the_end)


@pytest.fixture(scope="module")
def stories(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Stories]:
    """Stored once for this file, in a transaction around its tests that is never committed."""
    with django_db_blocker.unblock(), transaction.atomic():
        owner = User.objects.create_user("long-reader")
        made = Stories(
            straight=(
                make_straight_story(owner=owner, turns=SHORT),
                make_straight_story(owner=owner, turns=LONG),
            ),
            nested=(make_nested_story(owner=owner, forks=FEW), make_nested_story(owner=owner, forks=MANY)),
            nested_to_the_end=(
                make_nested_story(owner=owner, forks=FEW, is_read_at_end=True),
                make_nested_story(owner=owner, forks=MANY, is_read_at_end=True),
            ),
        )
        yield made
        transaction.set_rollback(True)


@pytest.fixture(autouse=True)
def _undone_after_each_test(stories: Stories, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


def _record(act: Callable[[Campaign], object], campaign: Campaign) -> Statements:
    current = fresh(campaign)
    with recorded() as statements:
        act(current)
    return statements


def _undo(campaign: Campaign) -> None:
    head.undo(campaign_id=campaign.pk)


def _undo_far(campaign: Campaign) -> None:
    head.undo(campaign_id=campaign.pk, steps=9_000)


def _redo(campaign: Campaign) -> None:
    head.redo(campaign_id=campaign.pk, steps=9_000)


def _go_to_the_start(campaign: Campaign) -> None:
    head.go_to(campaign_id=campaign.pk, branch_id=campaign.head.branch_id, depth=0)


def _go_to_the_tip(campaign: Campaign) -> None:
    head.go_to(campaign_id=campaign.pk, branch_id=campaign.head.branch_id, depth=campaign.head_depth)


def _restore(campaign: Campaign) -> None:
    saved = save_points.create_save_point(campaign_id=campaign.pk, name="Here")
    head.undo(campaign_id=campaign.pk)
    head.restore_save_point(campaign_id=campaign.pk, save_point_id=saved.pk)


def _activate(campaign: Campaign) -> None:
    head.undo(campaign_id=campaign.pk)
    head.activate_branch(campaign_id=campaign.pk, branch_id=campaign.head.branch_id)


def _activate_first(campaign: Campaign) -> None:
    head.activate_branch(campaign_id=campaign.pk, branch_id=main_of(campaign).pk)


def _play(campaign: Campaign) -> None:
    factories.play(campaign)


def _play_after_undo(campaign: Campaign) -> None:
    head.undo(campaign_id=campaign.pk)
    factories.play(campaign)


def _retry(campaign: Campaign) -> None:
    factories.retry(campaign, Turn.objects.at_heads([campaign]).get())


def _fail(campaign: Campaign) -> None:
    request = factories.open_turn(campaign)
    requests.fail_request(request_id=request.pk, code="x", detail="y", partial="z")


def _read_older(campaign: Campaign) -> None:
    selectors.read_story(campaign, before=campaign.head_depth - 1)


ACTS: dict[str, Callable[[Campaign], object]] = {
    "read the story": selectors.read_story,
    "read older turns": _read_older,
    "get the head": selectors.get_head,
    "undo": _undo,
    "undo far": _undo_far,
    "redo": _redo,
    "go to the start": _go_to_the_start,
    "go to the tip": _go_to_the_tip,
    "restore": _restore,
    "activate": _activate,
    "activate the first branch": _activate_first,
    "play a turn": _play,
    "play a turn after Undo": _play_after_undo,
    "retry": _retry,
    "fail a turn": _fail,
}
# A window's turns and segments, and a handful more: never a story.
ROWS_OF_AN_ACT = selectors.WINDOW * 2 + 20


def test_the_big_stories_are_whole(stories: Stories) -> None:
    for pair in stories.pairs():
        for campaign in pair:
            assert breaches(campaign) == []
    assert Turn.objects.filter(branch__campaign=stories.straight[1]).count() == LONG + 1
    assert Branch.objects.filter(campaign=stories.nested[1]).count() == MANY + 1
    end = fresh(stories.nested_to_the_end[1])
    assert len(Branch.objects.path_to(end.head).segments) == MANY + 1


@pytest.mark.parametrize("name", ACTS)
def test_an_act_makes_as_many_statements_in_a_big_story(stories: Stories, name: str) -> None:
    """PERF-14, PERF-16, P15."""
    for small, big in stories.pairs():
        in_small, in_big = _record(ACTS[name], small), _record(ACTS[name], big)
        assert len(in_small) > 0
        assert [sql for sql, _ in in_small.made] == [sql for sql, _ in in_big.made]


@pytest.mark.parametrize("name", ACTS)
def test_an_act_reads_a_bounded_number_of_rows(stories: Stories, name: str) -> None:
    for _, big in stories.pairs():
        assert _record(ACTS[name], big).rows_read() <= ROWS_OF_AN_ACT


@pytest.mark.parametrize("name", ACTS)
def test_no_act_goes_through_all_turns(stories: Stories, name: str) -> None:
    for _, big in stories.pairs():
        plans = _record(ACTS[name], big).plans()
        assert plans
        assert not [step for step in plans if step.startswith("SCAN") and ("turn" in step or "take" in step)]
        assert not [
            step for step in plans if step.startswith("SCAN") and ("story" in step or "branch" in step)
        ]


def test_a_scan_would_be_seen(stories: Stories) -> None:
    with recorded() as statements:
        list(Turn.objects.filter(input="nowhere"))
    assert any("SCAN campaigns_turn" in step for step in statements.plans())
    assert statements.rows_read() == 0


def test_the_path_is_read_by_branch_and_depth(stories: Stories) -> None:
    """The three look-ups that everything stands on: a window, a tip, the owner of a depth."""
    big = fresh(stories.nested_to_the_end[1])
    by_position = "(branch_id=? AND depth"
    window = Branch.objects.path_to(big.head, floor=big.head_depth - 49)
    with recorded() as read:
        assert len(Turn.objects.on_path(window)) == 50
    assert any("SEARCH story USING" in step and by_position in step for step in read.plans())
    with recorded() as tip:
        assert positions.tip_depth(big.head.branch_id) == big.head_depth
    assert any("SEARCH campaigns_turn USING" in step and "(branch_id=?)" in step for step in tip.plans())
    assert not any("TEMP B-TREE" in step for step in tip.plans())
    with recorded() as at_head:
        assert Turn.objects.at_heads([big]).get().depth == big.head_depth
    assert any("SEARCH story USING" in step and by_position in step for step in at_head.plans())


def test_a_window_reads_the_segments_of_the_window_alone(stories: Stories) -> None:
    big = fresh(stories.nested_to_the_end[1])
    assert len(Branch.objects.path_to(big.head, floor=big.head_depth - 10).segments) == 10


@pytest.mark.parametrize(("name", "read"), [("story", selectors.read_story), ("older", _read_older)])
def test_a_window_reads_no_snapshot_and_no_prompt(
    stories: Stories, name: str, read: Callable[[Campaign], object]
) -> None:
    """PERF-10."""
    statements = _record(read, stories.straight[1])
    assert any("narration" in sql for sql in statements.reads)
    for sql in statements.reads:
        assert "document" not in sql
        assert "stateversion" not in sql
        assert "promptrecord" not in sql


def test_a_window_has_all_that_is_shown_without_asking_again(stories: Stories) -> None:
    """PERF-09."""
    with recorded() as statements:
        window = selectors.read_story(fresh(stories.straight[1]))
        shown = [
            (t.mode, t.input, t.take_count, selectors.narration_of(t), t.live_take and t.live_take.changes)
            for t in window.turns
        ]
    assert len(shown) == selectors.WINDOW
    assert len(statements) <= 5


def test_listing_branches_makes_as_many_statements(stories: Stories) -> None:
    """TREE-15."""
    for small, big in stories.pairs():
        in_small, in_big = _record(selectors.list_branches, small), _record(selectors.list_branches, big)
        assert len(in_small) == len(in_big) == 3
        assert not [step for step in in_big.plans() if step.startswith("SCAN campaigns_turn")]
    rows = selectors.list_branches(fresh(stories.nested_to_the_end[1]))
    assert len(rows) == MANY + 1
    assert all(row.is_on_path for row in rows)
    assert rows[-1].tip_depth == MANY + 2


def test_listing_save_points_makes_as_many_statements(stories: Stories) -> None:
    """PERF-13, SAVE-15."""
    small, big = stories.nested_to_the_end
    name_places(small, count=5)
    name_places(big, count=100)
    in_small, in_big = _record(selectors.list_save_points, small), _record(selectors.list_save_points, big)
    assert len(in_small) == len(in_big) == 2
    rows = selectors.list_save_points(fresh(big))
    assert len(rows) == 100
    assert all(row.turn_id for row in rows)
    assert not [step for step in in_big.plans() if step.startswith("SCAN campaigns_turn")]


def test_a_fork_at_the_end_of_many_reads_its_path_right(stories: Stories) -> None:
    end = fresh(stories.nested_to_the_end[1])
    head.undo(campaign_id=end.pk, steps=1_000)
    factories.play(end, narration="Another way.")
    current = fresh(end)
    window = selectors.read_story(current, limit=10_000)
    assert len(window.turns) == current.head_depth + 1 == MANY + 2 - 1_000 + 2
    assert selectors.narration_of(window.turns[-1]) == "Another way."
    assert (
        Branch.objects.path_to(Position(current.head.branch_id, 0)).segments[0].branch_id == main_of(end).pk
    )
    assert breaches(end) == []
