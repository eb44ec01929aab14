"""Permanent deletes: what they remove, what they leave, and what holds them back."""

import pytest

from campaigns import selectors
from campaigns.errors import (
    BranchInUseError,
    InvalidError,
    NotFoundError,
    SavePointInBranchError,
    TurnInFlightError,
)
from campaigns.models import Branch, Campaign, SavePoint, StateVersion, Take, Turn, TurnRequest
from campaigns.services import deletion, head, requests, save_points
from campaigns.services.state_versions import record_state_version
from campaigns.services.writing import Narration
from tests import factories
from tests.campaigns.reading import assert_coherent, branch_count, breaches, main_of, on_screen, row_counts


def _delete(campaign: Campaign, branch: Branch) -> None:
    deletion.delete_branch(campaign_id=campaign.pk, branch_id=branch.pk)


def _read_main(campaign: Campaign) -> None:
    head.activate_branch(campaign_id=campaign.pk, branch_id=main_of(campaign).pk)


def test_a_branch_goes_with_its_own_turns_alone(campaign: Campaign) -> None:
    """DEL-06."""
    factories.play_turns(campaign, 3)
    shown = on_screen(campaign)
    cellar = factories.fork_at(campaign, 1)
    attic = factories.fork_at(campaign, 1)
    _read_main(campaign)
    _delete(campaign, cellar)
    assert on_screen(campaign) == shown
    assert set(Branch.objects.filter(campaign=campaign)) == {main_of(campaign), attic}
    assert Turn.objects.filter(branch=attic).count() == 1
    assert_coherent(campaign)


def test_its_descendants_go_with_it(campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    cellar = factories.fork_at(campaign, 1)
    factories.play_turns(campaign, 2)
    factories.fork_at(campaign, 3)
    _read_main(campaign)
    _delete(campaign, cellar)
    assert branch_count(campaign) == 1
    assert Turn.objects.filter(branch__campaign=campaign).count() == 3
    assert_coherent(campaign)


def test_the_first_branch_is_never_deleted(campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    factories.fork_at(campaign, 0)
    with pytest.raises(BranchInUseError, match="first branch"):
        _delete(campaign, main_of(campaign))


def test_a_branch_being_read_is_not_deleted(campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    cellar = factories.fork_at(campaign, 1)
    with pytest.raises(BranchInUseError):
        _delete(campaign, cellar)
    _read_main(campaign)
    _delete(campaign, cellar)
    assert branch_count(campaign) == 1


def test_a_branch_that_the_line_being_read_runs_through_is_not_deleted(campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    cellar = factories.fork_at(campaign, 1)
    factories.play_turns(campaign, 2)
    factories.fork_at(campaign, 3)
    with pytest.raises(BranchInUseError):
        _delete(campaign, cellar)


def test_a_branch_that_redo_follows_is_not_deleted(campaign: Campaign) -> None:
    """The head stands on a turn of Main's, and the branch being read is the fork."""
    factories.play_turns(campaign, 2)
    cellar = factories.fork_at(campaign, 1)
    head.undo(campaign_id=campaign.pk, steps=2)
    with pytest.raises(BranchInUseError):
        _delete(campaign, cellar)
    head.redo(campaign_id=campaign.pk, steps=2)
    assert_coherent(campaign)


def test_a_save_point_holds_its_branch_back_by_name(campaign: Campaign) -> None:
    """SAVE-10."""
    factories.play_turns(campaign, 2)
    cellar = factories.fork_at(campaign, 1)
    for name in ("One", "Two", "Three", "Four", "Five"):
        save_points.create_save_point(campaign_id=campaign.pk, name=name)
    _read_main(campaign)
    with pytest.raises(SavePointInBranchError, match="“Five”, “Four”, “Three” and 2 more"):
        _delete(campaign, cellar)
    for saved in SavePoint.objects.all():
        save_points.delete_save_point(campaign_id=campaign.pk, save_point_id=saved.pk)
    _delete(campaign, cellar)
    assert branch_count(campaign) == 1


def test_a_save_point_holds_every_branch_above_it_back_and_no_other(campaign: Campaign) -> None:
    """SAVE-11, SAVE-12, SAVE-14, TREE-15."""
    factories.play_turns(campaign, 2)
    cellar = factories.fork_at(campaign, 1)
    factories.play_turns(campaign, 2)
    vault = factories.fork_at(campaign, 3)
    save_points.create_save_point(campaign_id=campaign.pk, name="Deep")
    _read_main(campaign)
    loft = factories.fork_at(campaign, 1)
    _read_main(campaign)
    campaign.refresh_from_db()
    counts = {row.branch: row.save_points for row in selectors.list_branches(campaign)}
    assert counts == {main_of(campaign): 1, cellar: 1, vault: 1, loft: 0}
    for held in (cellar, vault):
        with pytest.raises(SavePointInBranchError, match="“Deep”"):
            _delete(campaign, held)
    _delete(campaign, loft)
    assert branch_count(campaign) == 3


def test_a_save_point_in_the_shared_part_holds_nothing_back(campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    cellar = factories.fork_at(campaign, 1)
    head.undo(campaign_id=campaign.pk)
    save_points.create_save_point(campaign_id=campaign.pk, name="Shared")
    _read_main(campaign)
    _delete(campaign, cellar)
    assert SavePoint.objects.get().branch == main_of(campaign)


def test_states_of_a_deleted_branch_go_and_shared_ones_stay(campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    head.undo(campaign_id=campaign.pk)
    base = StateVersion.objects.get()
    own = record_state_version(
        campaign_id=campaign.pk, document={"version": 1, "own": True}, parent_id=base.pk
    )
    request = factories.open_turn(campaign)
    narration = Narration(text="Changed.", origin=Take.Origin.GENERATED, state_version_id=own.pk)
    accepted = requests.accept_request(request_id=request.pk, narration=narration)
    assert accepted.turn is not None
    assert StateVersion.objects.count() == 2
    _read_main(campaign)
    _delete(campaign, accepted.turn.branch)
    assert list(StateVersion.objects.all()) == [base]
    assert_coherent(campaign)


def test_a_state_that_stays_outlives_the_one_it_came_from(campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    head.undo(campaign_id=campaign.pk)
    gone = record_state_version(
        campaign_id=campaign.pk, document={"version": 1, "gone": True}, parent_id=None
    )
    stays = record_state_version(
        campaign_id=campaign.pk, document={"version": 1, "stays": True}, parent_id=gone.pk
    )
    request = factories.open_turn(campaign)
    requests.accept_request(
        request_id=request.pk,
        narration=Narration(text="Gone.", origin=Take.Origin.GENERATED, state_version_id=gone.pk),
    )
    cellar = Branch.objects.exclude(parent=None).get()
    _read_main(campaign)
    Take.objects.filter(turn__branch=main_of(campaign), turn__depth=2).update(state_version=stays)
    _delete(campaign, cellar)
    stays.refresh_from_db()
    assert stays.parent is None
    assert not StateVersion.objects.filter(pk=gone.pk).exists()
    assert_coherent(campaign)


def test_no_words_of_a_deleted_turn_stay_with_its_submission(campaign: Campaign) -> None:
    """The submission was made on a branch that stays; what it became does not."""
    factories.play_turns(campaign, 2)
    cellar = factories.fork_at(campaign, 1, "I say the password.")
    _read_main(campaign)
    assert TurnRequest.objects.filter(text="I say the password.").exists()
    _delete(campaign, cellar)
    assert not TurnRequest.objects.filter(text="I say the password.").exists()
    assert_coherent(campaign)


def test_the_submission_of_a_turn_that_stays_is_kept(campaign: Campaign) -> None:
    """It was made while another branch was read, and what is recorded of a telling hangs on it."""
    factories.play_turns(campaign, 2)
    cellar = factories.fork_at(campaign, 1)
    loft = factories.fork_at(campaign, 1, "I climb.")
    request = TurnRequest.objects.get(text="I climb.")
    assert request.branch == cellar
    _delete(campaign, cellar)
    request.refresh_from_db()
    assert request.turn == loft.turns.get()
    assert (request.branch, request.depth) == (loft, 1)
    assert_coherent(campaign)


def test_the_submission_of_a_retry_that_forked_is_kept_when_the_old_line_goes(campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    cellar = factories.fork_at(campaign, 1)
    first = Turn.objects.get(branch=cellar)
    factories.play(campaign)
    told_again = factories.retry(campaign, first)
    request = TurnRequest.objects.get(replaces=first)
    _delete(campaign, cellar)
    request.refresh_from_db()
    assert (request.turn, request.replaces) == (told_again, None)
    assert_coherent(campaign)


def test_a_carried_take_outlives_the_take_it_came_from(campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    cellar = factories.fork_at(campaign, 1)
    source = Take.objects.get(turn__branch=cellar)
    own = Take.objects.get(turn__branch=main_of(campaign), turn__depth=2)
    Take.objects.filter(pk=own.pk).update(carried_from=source)
    _read_main(campaign)
    _delete(campaign, cellar)
    own.refresh_from_db()
    assert own.carried_from is None


def test_a_missing_branch_is_not_found(campaign: Campaign) -> None:
    """I7."""
    other = factories.make_campaign(owner=campaign.owner, title="Persephone")
    with pytest.raises(NotFoundError):
        _delete(campaign, main_of(other))


def test_a_campaign_goes_with_everything_and_no_other_goes(campaign: Campaign) -> None:
    """DEL-07."""
    untouched = row_counts()
    other = factories.make_campaign(owner=campaign.owner, title="Persephone")
    turns = factories.play_turns(other, 3)
    factories.retry(other, turns[2])
    factories.fork_at(other, 1)
    save_points.create_save_point(campaign_id=other.pk, name="Here")
    failed = factories.open_turn(other)
    requests.fail_request(request_id=failed.pk, code="x", detail="y", partial="z")
    assert row_counts() != untouched
    deletion.delete_campaign(campaign_id=other.pk, confirmation=" Persephone ")
    assert row_counts() == untouched
    assert_coherent(campaign)


def test_deleting_a_campaign_needs_its_title(campaign: Campaign) -> None:
    before = row_counts()
    with pytest.raises(InvalidError) as refused:
        deletion.delete_campaign(campaign_id=campaign.pk, confirmation="the crooked lantern")
    assert refused.value.field == "confirm"
    assert row_counts() == before


def test_deletes_take_the_turn_lock(campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    cellar = factories.fork_at(campaign, 1)
    _read_main(campaign)
    factories.open_turn(campaign)
    with pytest.raises(TurnInFlightError):
        _delete(campaign, cellar)
    with pytest.raises(TurnInFlightError):
        deletion.delete_campaign(campaign_id=campaign.pk, confirmation=campaign.title)
    assert branch_count(campaign) == 2
    assert breaches() == []
