"""Tidying departed lines: what goes, what is passed over and why, and that the story stays whole."""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from campaigns.errors import NotFoundError, TurnInFlightError
from campaigns.models import Branch, Campaign, SavePoint, StateVersion, Take, Turn, TurnRequest
from campaigns.services import branches, head, requests, save_points
from campaigns.services.pruning import Pruning, prune_departed
from campaigns.services.state_versions import record_state_version
from campaigns.services.writing import edit_narration
from tests import factories
from tests.campaigns.reading import (
    assert_coherent,
    breaches,
    fresh,
    head_of,
    main_of,
    on_screen,
    position_of,
    row_counts,
)


def _prune(campaign: Campaign) -> Pruning:
    """Prune, after a dry run that promised the same and wrote nothing."""
    before = row_counts(), fresh(campaign).change_count
    promised = prune_departed(campaign_id=campaign.pk, dry_run=True)
    assert (row_counts(), fresh(campaign).change_count) == before
    shown, place, can_redo = on_screen(campaign), position_of(campaign), head_of(campaign).can_redo
    turns, takes, lines = Turn.objects.count(), Take.objects.count(), Branch.objects.count()
    done = prune_departed(campaign_id=campaign.pk, dry_run=False)
    assert done == promised
    assert (on_screen(campaign), position_of(campaign), head_of(campaign).can_redo) == (
        shown,
        place,
        can_redo,
    )
    assert turns - Turn.objects.count() == done.turns
    assert takes - Take.objects.count() == done.takes
    assert lines - Branch.objects.count() == done.branches
    assert_coherent(campaign)
    return done


def _reasons(pruning: Pruning) -> dict[str, str]:
    return {row.name: row.reason for row in pruning.passed_over}


def _depths(branch: Branch) -> list[int]:
    return list(Turn.objects.filter(branch=branch).order_by("depth").values_list("depth", flat=True))


def _read_main(campaign: Campaign) -> None:
    head.activate_branch(campaign_id=campaign.pk, branch_id=main_of(campaign).pk)
    campaign.refresh_from_db()


def test_only_what_lies_beyond_the_departure_goes(campaign: Campaign) -> None:
    factories.play_turns(campaign, 4)
    cellar = factories.fork_at(campaign, 2)
    pruning = _prune(campaign)
    assert (pruning.turns, pruning.takes, pruning.branches) == (2, 2, 0)
    (line,) = pruning.lines
    assert (line.name, line.first, line.turns, line.is_whole) == ("Main", 3, 2, False)
    assert pruning.passed_over == ()
    assert _depths(main_of(campaign)) == [0, 1, 2]
    assert _depths(cellar) == [3]
    assert _prune(campaign).turns == 0


def test_a_story_without_a_departure_loses_nothing(campaign: Campaign) -> None:
    factories.play_turns(campaign, 3)
    head.undo(campaign_id=campaign.pk, steps=2)
    assert _prune(campaign) == Pruning(turns=0, takes=0, branches=0, lines=(), passed_over=())
    head.redo(campaign_id=campaign.pk, steps=2)
    assert len(on_screen(campaign)) == 4


def test_what_redo_leads_to_stays(campaign: Campaign) -> None:
    """The head stands before the departure, and the branch being read is the one that was departed from."""
    factories.play_turns(campaign, 4)
    factories.fork_at(campaign, 2)
    _read_main(campaign)
    head.undo(campaign_id=campaign.pk, steps=3)
    pruning = _prune(campaign)
    assert pruning.turns == 0
    assert "Redo" in _reasons(pruning)["Main"]
    assert pruning.passed_over[0].turns == 2
    head.redo(campaign_id=campaign.pk, steps=3)
    assert len(on_screen(campaign)) == 5


def test_a_branch_departed_from_before_its_own_turns_goes_whole(campaign: Campaign) -> None:
    factories.play_turns(campaign, 4)
    cellar = factories.fork_at(campaign, 3, "Down.")
    factories.play_turns(campaign, 2)
    factories.fork_at(campaign, 1, "Up.")  # departs from the cellar at turn 1, which is Main's
    pruning = _prune(campaign)
    assert {line.name: line.is_whole for line in pruning.lines} == {"Main": False, "Down.": True}
    assert not Branch.objects.filter(pk=cellar.pk).exists()
    assert _depths(main_of(campaign)) == [0, 1, 2, 3]


def test_lines_that_hang_on_departed_turns_go_with_them_unless_kept(campaign: Campaign) -> None:
    factories.play_turns(campaign, 5)
    away = factories.fork_at(campaign, 1, "Away.")
    _read_main(campaign)
    loft = factories.fork_at(campaign, 3, "Loft.")
    _read_main(campaign)
    vault = factories.fork_at(campaign, 4, "Vault.")
    factories.play_turns(campaign, 2)
    head.activate_branch(campaign_id=campaign.pk, branch_id=away.pk)
    branches.update_branch(campaign_id=campaign.pk, branch_id=loft.pk, is_kept=True)
    pruning = _prune(campaign)
    assert {line.name for line in pruning.lines} == {"Main", "Vault."}
    assert not Branch.objects.filter(pk=vault.pk).exists()
    assert _depths(main_of(campaign)) == [0, 1, 2, 3]
    assert _depths(loft) == [4]
    assert _reasons(pruning) == {"Main": "“Loft.” is kept.", "Loft.": "“Loft.” is kept."}


@pytest.mark.parametrize("mark", ["is_kept", "is_archived"])
def test_a_marked_branch_stays_to_its_tip(campaign: Campaign, mark: str) -> None:
    factories.play_turns(campaign, 3)
    factories.fork_at(campaign, 1)
    main = main_of(campaign)
    if mark == "is_kept":
        branches.update_branch(campaign_id=campaign.pk, branch_id=main.pk, is_kept=True)
    else:
        branches.update_branch(campaign_id=campaign.pk, branch_id=main.pk, is_archived=True)
    pruning = _prune(campaign)
    assert pruning.turns == 0
    assert mark.removeprefix("is_") in _reasons(pruning)["Main"]


def test_a_save_point_deep_in_a_grandchild_holds_the_way_to_it(campaign: Campaign) -> None:
    factories.play_turns(campaign, 4)
    factories.fork_at(campaign, 3, "Child.")
    factories.play_turns(campaign, 3)
    grandchild = factories.fork_at(campaign, 5, "Grandchild.")
    factories.play_turns(campaign, 3)
    head.undo(campaign_id=campaign.pk, steps=2)
    saved = save_points.create_save_point(campaign_id=campaign.pk, name="Deep")
    factories.fork_at(campaign, 1, "Away.")  # departs from the grandchild, and leaves Main at 3
    assert saved.branch_id == grandchild.pk
    child = Branch.objects.get(name="Child.")
    Branch.objects.filter(pk=child.pk).update(departed_depth=1)
    pruning = _prune(campaign)
    assert _depths(grandchild) == [6, 7]
    assert _depths(child) == [4, 5]
    assert _depths(main_of(campaign)) == [0, 1, 2, 3]
    assert _reasons(pruning)["Grandchild."] == "The Save Point “Deep” names a place there."
    head.restore_save_point(campaign_id=campaign.pk, save_point_id=saved.pk)
    assert_coherent(campaign)


def test_words_that_wait_hold_their_branch(campaign: Campaign) -> None:
    factories.play_turns(campaign, 3)
    main = main_of(campaign)
    request = factories.open_turn(campaign, "I knock.")
    requests.fail_request(request_id=request.pk, code="x", detail="y", partial="Half a")
    factories.fork_at(campaign, 1)
    pruning = _prune(campaign)
    assert pruning.turns == 0
    assert "wait on “Main”" in _reasons(pruning)["Main"]
    assert TurnRequest.objects.get(pk=request.pk).text == "I knock."
    requests.discard_request(campaign_id=campaign.pk, request_id=request.pk)
    assert _prune(campaign).turns == 2
    assert _depths(main) == [0, 1]


def test_the_first_opening_stays_beside_another(campaign: Campaign) -> None:
    opening = Turn.objects.get(branch=main_of(campaign))
    factories.play_turns(campaign, 2)
    edit_narration(campaign_id=campaign.pk, turn_id=opening.pk, text="Another opening.")
    pruning = _prune(campaign)
    assert (pruning.turns, pruning.branches) == (2, 0)
    assert _reasons(pruning) == {"Main": "The first opening always stays."}
    _read_main(campaign)
    assert_coherent(campaign)


def test_what_was_recorded_of_a_turn_that_stays_is_spared(campaign: Campaign) -> None:
    """A turn told in other words: its submission names the turn that goes, and the branch it was made on."""
    turns = factories.play_turns(campaign, 3)
    other = factories.reword(campaign, turns[1], "I wait instead.")
    made = TurnRequest.objects.get(turn=other)
    assert made.replaces == turns[1]
    _prune(campaign)
    made.refresh_from_db()
    assert (made.turn_id, made.replaces_id, made.branch_id) == (other.pk, None, other.branch_id)
    assert not TurnRequest.objects.filter(status="accepted", turn=None).exists()


def test_states_that_nothing_stands_on_go(campaign: Campaign) -> None:
    turns = factories.play_turns(campaign, 2)
    own = record_state_version(campaign_id=campaign.pk, document={"version": 1, "x": 1}, parent_id=None)
    Take.objects.filter(turn=turns[1]).update(state_version=own)
    factories.fork_at(campaign, 1)
    _prune(campaign)
    assert not StateVersion.objects.filter(pk=own.pk).exists()


def test_a_departure_with_nothing_beyond_it_is_taken_off(campaign: Campaign) -> None:
    """What is written there later was not departed from, and a second tidying leaves it."""
    factories.play_turns(campaign, 3)
    away = factories.fork_at(campaign, 1)
    _prune(campaign)
    assert main_of(campaign).departed_depth is None
    _read_main(campaign)
    factories.play_turns(campaign, 2)
    head.activate_branch(campaign_id=campaign.pk, branch_id=away.pk)
    assert _prune(campaign).turns == 0
    assert _depths(main_of(campaign)) == [0, 1, 2, 3]


def test_nothing_is_pruned_while_a_turn_is_told(campaign: Campaign) -> None:
    factories.play_turns(campaign, 3)
    factories.fork_at(campaign, 1)
    factories.open_turn(campaign)
    assert prune_departed(campaign_id=campaign.pk, dry_run=True).turns == 2
    with pytest.raises(TurnInFlightError):
        prune_departed(campaign_id=campaign.pk, dry_run=False)
    assert Turn.objects.count() == 5


@pytest.mark.django_db
@pytest.mark.parametrize("dry_run", [True, False])
def test_a_campaign_that_is_not_there(dry_run: bool) -> None:
    with pytest.raises(NotFoundError):
        prune_departed(campaign_id=404, dry_run=dry_run)


def test_other_campaigns_are_left_alone(campaign: Campaign) -> None:
    other = factories.make_campaign(owner=campaign.owner, title="Salt Road")
    for story in (campaign, other):
        factories.play_turns(story, 3)
        factories.fork_at(story, 1)
    _prune(campaign)
    assert Turn.objects.filter(branch__campaign=other).count() == 5


# --- any story ---------------------------------------------------------------------------------------------


def _expected_to_go(campaign: Campaign) -> set[int]:
    """The turns that the rule lets go, found turn by turn: each turn's whole path is looked at."""
    stored = Turn.objects.filter(branch__campaign=campaign).select_related("branch")
    turns = {turn.pk: turn for turn in stored}

    def path(turn: Turn) -> list[Turn]:
        found = [turn]
        while found[-1].parent_id is not None:
            found.append(turns[found[-1].parent_id])
        return found

    def is_departed(turn: Turn) -> bool:
        return any(
            step.branch.departed_depth is not None and step.depth > step.branch.departed_depth
            for step in path(turn)
        )

    def ends_of(branch: Branch) -> list[Turn]:
        own = [turn for turn in turns.values() if turn.branch_id == branch.pk]
        return sorted(own, key=lambda turn: turn.depth)[-1:]

    openings = [turn for turn in turns.values() if turn.depth == 0]
    wanted = [turn for turn in openings if turn.branch.parent_id is None]
    waiting = set(TurnRequest.objects.filter(status="failed").values_list("branch_id", flat=True))
    for branch in Branch.objects.filter(campaign=campaign):
        is_active = branch.pk == fresh(campaign).active_branch_id
        if is_active or branch.is_kept or branch.is_archived or branch.pk in waiting:
            wanted += ends_of(branch)
    places = set(SavePoint.objects.filter(campaign=campaign).values_list("branch_id", "depth"))
    wanted += [turn for turn in turns.values() if (turn.branch_id, turn.depth) in places]
    needed = {step.pk for turn in wanted for step in path(turn)}
    return {pk for pk, turn in turns.items() if is_departed(turn) and pk not in needed}


CHOICE = st.tuples(
    st.sampled_from(["play", "undo", "activate", "fork", "save", "keep", "archive", "fail", "opening"]),
    st.integers(0, 1_000),
)


class AnyStory(TestCase):
    @settings(
        max_examples=20,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(CHOICE, max_size=25))
    def test_what_goes_is_what_the_rule_says(self, choices: list[tuple[str, int]]) -> None:
        numbers = itertools.count(1)
        campaign = factories.make_campaign(owner=factories.make_owner(f"owner-{next(numbers)}"))
        factories.play_turns(campaign, 3)
        for act, number in choices:
            _act(campaign, act, number)
        expected = _expected_to_go(campaign)
        before = set(Turn.objects.filter(branch__campaign=campaign).values_list("pk", flat=True))
        _prune(campaign)
        after = set(Turn.objects.filter(branch__campaign=campaign).values_list("pk", flat=True))
        assert before - after == expected
        assert breaches() == []
        assert not [b for b in Branch.objects.filter(campaign=campaign) if not _depths(b)]


def _act(campaign: Campaign, act: str, number: int) -> None:
    campaign.refresh_from_db()
    lines = list(Branch.objects.filter(campaign=campaign).order_by("pk"))
    line = lines[number % len(lines)]
    if act == "play":
        factories.play(campaign)
    elif act == "undo":
        head.undo(campaign_id=campaign.pk, steps=1 + number % 4)
    elif act == "activate":
        head.activate_branch(campaign_id=campaign.pk, branch_id=line.pk)
    elif act == "fork":
        factories.fork_at(campaign, number % (campaign.head_depth + 1))
    elif act == "save":
        save_points.create_save_point(campaign_id=campaign.pk, name="Here")
    elif act == "keep":
        branches.update_branch(campaign_id=campaign.pk, branch_id=line.pk, is_kept=True)
    elif act == "archive":
        branches.update_branch(campaign_id=campaign.pk, branch_id=line.pk, is_archived=True)
    elif act == "fail":
        request = factories.open_turn(campaign)
        requests.fail_request(request_id=request.pk, code="x", detail="y")
    else:
        opening = Turn.objects.filter(branch__campaign=campaign, depth=0).order_by("pk")[0]
        head.go_to(campaign_id=campaign.pk, branch_id=opening.branch_id, depth=0)
        campaign.refresh_from_db()
        edit_narration(
            campaign_id=campaign.pk, turn_id=Turn.objects.at_heads([campaign]).get().pk, text="New."
        )
