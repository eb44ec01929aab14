"""Leases: a submission's process lives, or its lease is void at once."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from campaigns import leases, selectors
from campaigns.errors import NothingRunningError, TurnInFlightError
from campaigns.models import Campaign, TurnRequest
from campaigns.services import head, requests
from campaigns.services.story_write import fail_interrupted
from tests import factories
from tests.campaigns.neighbours import neighbours
from tests.campaigns.reading import assert_coherent, breaches, fresh, on_screen, position_of

# Another process sees what is committed alone.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shared(transactional_db: None) -> Campaign:
    return factories.make_campaign(owner=factories.make_owner())


def test_this_process_lives() -> None:
    assert leases.is_alive(leases.holder_name())
    assert leases.holder_name() == leases.holder_name()


def test_nobody_lives_under_an_unknown_name() -> None:
    assert not leases.is_alive("0" * 32)
    assert not (settings.DATA_FOLDER / "locks" / f"{'0' * 32}.lock").exists()


def test_a_file_that_nobody_holds_is_cleared_away() -> None:
    alive = settings.DATA_FOLDER / "locks" / f"{leases.holder_name()}.lock"
    dead: Path = settings.DATA_FOLDER / "locks" / "dead.lock"
    dead.touch()
    leases.clear_dead()
    assert not dead.exists()
    assert alive.exists()


def test_another_process_sees_that_this_one_lives() -> None:
    assert _ask_elsewhere(settings.DATA_FOLDER, leases.holder_name()) == "True"


def test_a_child_neither_frees_nor_keeps_its_parents_lease(tmp_path: Path) -> None:
    """fork() shares open files: a child that ends must not free the lock, and one that stays not keep it."""
    parent = subprocess.Popen(
        [sys.executable, "-c", _ON_A_FOLDER.format(folder=str(tmp_path)) + _FORK_TWICE_AND_DIE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=settings.BASE_DIR,
    )
    assert parent.stdin is not None
    assert parent.stdout is not None
    with parent.stdin, parent.stdout:
        name = parent.stdout.readline().strip()
        assert parent.wait(30) == -signal.SIGKILL
        assert (tmp_path / "locks" / f"{name}.lock").exists()
        assert _ask_elsewhere(tmp_path, name) == "False"


_ON_A_FOLDER = """
import os, sys
from pathlib import Path
from django.conf import settings
settings.configure(DATA_FOLDER=Path({folder!r}))
from campaigns import leases
"""
_FORK_TWICE_AND_DIE = """
mine = leases.holder_name()
if os.fork() == 0:
    sys.exit(0 if leases.holder_name() != mine and leases.is_alive(mine) else 1)
first = os.waitstatus_to_exitcode(os.wait()[1])
if os.fork() == 0:
    sys.stdin.read()
    sys.exit(0)
print(mine if first == 0 else "the child took its parent for dead", flush=True)
os.kill(os.getpid(), 9)
"""


def _ask_elsewhere(folder: Path, name: str) -> str:
    """What another process says of whether this holder lives."""
    program = _ON_A_FOLDER.format(folder=str(folder)) + f"print(leases.is_alive({name!r}))"
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=settings.BASE_DIR, check=True
    )
    return answer.stdout.strip()


def test_the_lease_of_a_living_process_is_respected(shared: Campaign) -> None:
    """TURN-03, from another process."""
    with neighbours(shared) as [other]:
        other.go_on()
        assert other.hear() == "submitted"
        where = position_of(shared)
        with pytest.raises(TurnInFlightError):
            factories.open_turn(shared)
        with pytest.raises(TurnInFlightError):
            head.undo(campaign_id=shared.pk)
        running = selectors.get_active_request(shared)
        assert running is not None
        with pytest.raises(TurnInFlightError):
            requests.keep_partial(campaign_id=shared.pk, request_id=running.pk)
        with pytest.raises(TurnInFlightError):
            requests.discard_request(campaign_id=shared.pk, request_id=running.pk)
        assert fail_interrupted() == 0
        assert requests.ask_stop(campaign_id=shared.pk, keep=True) == running.pk
        assert position_of(shared) == where


def test_the_lease_of_a_killed_process_is_void_at_once(shared: Campaign) -> None:
    """RST-02, 01: the next submission meets it and goes on; the words and what arrived are kept."""
    with neighbours(shared) as [other]:
        other.go_on()
        assert other.hear() == "submitted"
        with pytest.raises(TurnInFlightError):
            factories.open_turn(shared)
        other.kill()
        assert factories.play(shared, narration="On it goes.").depth == 1
    lost = TurnRequest.objects.get(text="I come from elsewhere.")
    assert (lost.status, lost.code, lost.partial) == ("failed", "interrupted", "What had arr")
    assert on_screen(shared)[1:] == ["On it goes."]
    assert_coherent(shared)


def test_what_a_killed_process_had_told_can_be_kept(shared: Campaign) -> None:
    with neighbours(shared) as [other]:
        other.go_on()
        assert other.hear() == "submitted"
        running = TurnRequest.objects.get()
        other.kill()
        assert [breach.invariant for breach in breaches()] == ["I3"]
        before = fresh(shared).change_count
        assert fail_interrupted(campaign_id=shared.pk) == 1
        assert selectors.list_requests(shared, statuses=["failed"]) == [running]
        assert fresh(shared).change_count == before + 1
        assert breaches() == []
        with pytest.raises(NothingRunningError):
            requests.ask_stop(campaign_id=shared.pk, keep=True)
        requests.keep_partial(campaign_id=shared.pk, request_id=running.pk)
    assert on_screen(shared)[1:] == ["What had arr"]
    assert_coherent(shared)


def test_the_sweep_at_start_fails_what_was_running_and_nothing_else(shared: Campaign) -> None:
    other_story = factories.make_campaign(owner=shared.owner, title="Persephone")
    mine = factories.open_turn(other_story)
    with neighbours(shared) as [other]:
        other.go_on()
        assert other.hear() == "submitted"
        assert fail_interrupted() == 0
        other.kill()
        assert fail_interrupted() == 1
        assert fail_interrupted() == 0
    mine.refresh_from_db()
    assert mine.is_running


def test_an_interruption_outlives_a_refusal_in_the_same_breath(shared: Campaign) -> None:
    """The refused write is rolled back whole, and the lease is void for whoever comes next all the same."""
    request = factories.open_turn(shared)
    TurnRequest.objects.filter(pk=request.pk).update(holder="gone")
    with pytest.raises(Exception, match="no turn 9"):
        head.go_to(campaign_id=shared.pk, branch_id=shared.head.branch_id, depth=9)
    factories.play(shared)
    request.refresh_from_db()
    assert request.code == "interrupted"
