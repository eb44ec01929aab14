"""A position's path: pure arithmetic, and the one clause that reads it."""

import pytest

from campaigns.models import Branch, Campaign, Turn
from campaigns.path import Path, Position, Segment
from tests import factories
from tests.campaigns.reading import main_of

MAIN, CELLAR, ATTIC = 1, 2, 3
LINE = Path((Segment(MAIN, 0, 1), Segment(CELLAR, 2, 3), Segment(ATTIC, 4, 9)))


@pytest.mark.parametrize(
    ("depth", "owner"),
    [(-1, None), (0, MAIN), (1, MAIN), (2, CELLAR), (3, CELLAR), (4, ATTIC), (9, ATTIC), (10, None)],
)
def test_every_depth_of_a_path_has_one_owner(depth: int, owner: int | None) -> None:
    assert LINE.branch_at(depth) == owner


def test_a_position_of_another_branch_at_the_same_depth_is_not_on_the_path() -> None:
    assert LINE.contains(Position(CELLAR, 2))
    assert not LINE.contains(Position(MAIN, 2))


def test_a_part_of_a_path_keeps_its_borders() -> None:
    assert LINE.between(1, 4) == Path((Segment(MAIN, 1, 1), Segment(CELLAR, 2, 3), Segment(ATTIC, 4, 4)))


def test_an_empty_part_reads_nothing() -> None:
    assert LINE.between(0, -1) == Path(())
    assert Path(()).depth == -1
    assert Path(()).branch_at(0) is None
    assert LINE.depth == 9


def test_a_path_is_joined_into_sql_as_json() -> None:
    assert LINE.between(1, 2).as_json() == "[[1, 1, 1], [2, 2, 2]]"


def test_the_path_follows_fork_points(campaign: Campaign) -> None:
    factories.play_turns(campaign, 3)
    cellar = factories.fork_at(campaign, 1)
    factories.play(campaign)
    path = Branch.objects.path_to(Position(cellar.pk, 3))
    assert path.segments == (Segment(main_of(campaign).pk, 0, 1), Segment(cellar.pk, 2, 3))


def test_a_position_above_the_fork_lies_on_the_parents_turns(campaign: Campaign) -> None:
    factories.play_turns(campaign, 3)
    cellar = factories.fork_at(campaign, 2)
    assert Branch.objects.path_to(Position(cellar.pk, 1)).segments == (Segment(main_of(campaign).pk, 0, 1),)


def test_a_path_read_down_to_a_floor_holds_that_part_only(campaign: Campaign) -> None:
    factories.play_turns(campaign, 3)
    cellar = factories.fork_at(campaign, 1)
    factories.play_turns(campaign, 3)
    path = Branch.objects.path_to(campaign.head, floor=3)
    assert path.segments == (Segment(cellar.pk, 3, 5),)


def test_a_branch_beside_the_opening_has_nothing_above_it(campaign: Campaign) -> None:
    """A fork before turn 0 has the fork depth -1."""
    other = Branch.objects.create(campaign=campaign, name="Other", parent=main_of(campaign), fork_depth=-1)
    assert Branch.objects.path_to(Position(other.pk, 2)).segments == (Segment(other.pk, 0, 2),)


def test_turns_of_other_branches_at_the_same_depths_are_never_read(campaign: Campaign) -> None:
    """TREE-20, I5."""
    old = factories.play_turns(campaign, 3)
    factories.fork_at(campaign, 1)
    new = factories.play(campaign)
    read = set(Turn.objects.on_path(Branch.objects.path_to(campaign.head)))
    assert new in read
    assert old[0] in read
    assert not read & set(old[1:])


def test_heads_and_openings_of_several_campaigns_are_found_at_once(campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    here = factories.fork_at(campaign, 1)
    other = factories.make_campaign(owner=campaign.owner, title="Persephone")
    both = [campaign, other]
    assert [(t.branch_id, t.depth) for t in Turn.objects.at_heads(both)] == [
        (main_of(other).pk, 0),
        (here.pk, 2),
    ]
    assert [t.branch_id for t in Turn.objects.at_openings(both)] == [main_of(campaign).pk, main_of(other).pk]


def test_no_campaigns_have_no_heads(campaign: Campaign) -> None:
    assert not Turn.objects.at_heads([]).exists()
    assert Turn.objects.at_heads([campaign]).exists()
