"""Two at once: threads and processes that submit to one story."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from campaigns.errors import StoryError
from campaigns.models import Campaign, TurnRequest
from campaigns.services import head, requests
from campaigns.services.requests import Submission
from tests import factories
from tests.campaigns.neighbours import neighbours
from tests.campaigns.reading import assert_coherent, branch_count, on_screen, position_of

pytestmark = pytest.mark.django_db(transaction=True)
THREADS = 4


@pytest.fixture
def shared(transactional_db: None) -> Campaign:
    return factories.make_campaign(owner=factories.make_owner())


def _at_once(act: Callable[[int], object]) -> list[str]:
    """What came of doing it in several threads at the same moment: ``done`` or the code of the error."""
    gate = threading.Barrier(THREADS)

    def run(number: int) -> str:
        try:
            gate.wait(30)
            act(number)
        except StoryError as error:
            return error.code
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(THREADS) as pool:
        return sorted(pool.map(run, range(THREADS)))


def test_one_of_several_threads_wins(shared: Campaign) -> None:
    outcomes = _at_once(lambda number: factories.open_turn(shared, f"I am {number}."))
    assert outcomes == ["done", *["turn_in_flight"] * (THREADS - 1)]
    request = TurnRequest.objects.get()
    requests.accept_request(request_id=request.pk, narration=factories.narrate())
    assert_coherent(shared)


def test_one_request_id_sent_several_times_at_once_is_one_turn(shared: Campaign) -> None:
    outcomes = _at_once(lambda _: factories.open_turn(shared, client_id="tab-1"))
    assert outcomes == ["done", *["turn_in_flight"] * (THREADS - 1)]
    assert TurnRequest.objects.count() == 1


def test_a_request_id_is_answered_even_where_the_story_went_on(shared: Campaign) -> None:
    """The answer to a repeated submission does not depend on where the head is now."""
    turn = factories.play(shared)
    submission = Submission(kind=TurnRequest.Kind.RETRY, replaces_id=turn.pk, client_id="tab-1")
    request = requests.open_request(campaign_id=shared.pk, submission=submission).request
    requests.accept_request(request_id=request.pk, narration=factories.narrate())
    head.undo(campaign_id=shared.pk)
    again = requests.open_request(campaign_id=shared.pk, submission=submission)
    assert (again.request, again.is_new) == (request, False)


def test_two_processes_at_once_have_one_winner(shared: Campaign) -> None:
    with neighbours(shared, count=2) as others:
        for other in others:
            other.go_on()
        assert sorted(other.hear() for other in others) == ["submitted", "turn_in_flight"]
        assert TurnRequest.objects.count() == 1


def test_a_failed_turn_is_taken_up_by_one(shared: Campaign) -> None:
    request = factories.open_turn(shared)
    requests.fail_request(request_id=request.pk, code="x", detail="y", partial="Half")

    def take_up(number: int) -> None:
        act = requests.keep_partial if number % 2 else requests.reopen_request
        act(campaign_id=shared.pk, request_id=request.pk)

    outcomes = _at_once(take_up)
    assert outcomes.count("done") == 1
    request.refresh_from_db()
    assert request.status in ("accepted", "discarded")
    assert len(on_screen(shared)) == 1 + (request.status == "accepted")


def test_keeping_and_discarding_at_once_never_loses_a_turn(shared: Campaign) -> None:
    request = factories.open_turn(shared)
    requests.fail_request(request_id=request.pk, code="x", detail="y", partial="Half")

    def act(number: int) -> None:
        end = requests.keep_partial if number % 2 else requests.discard_request
        end(campaign_id=shared.pk, request_id=request.pk)

    _at_once(act)
    request.refresh_from_db()
    is_told = len(on_screen(shared)) == 2
    assert request.status == ("accepted" if is_told else "discarded")
    assert_coherent(shared)


def test_steps_at_once_all_count(shared: Campaign) -> None:
    factories.play_turns(shared, 6)
    assert _at_once(lambda _: head.undo(campaign_id=shared.pk)) == ["done"] * THREADS
    assert position_of(shared)[1] == 6 - THREADS
    assert_coherent(shared)


def test_stories_do_not_wait_for_one_another(shared: Campaign) -> None:
    others = [
        factories.make_campaign(owner=shared.owner, title=f"Story {number}") for number in range(THREADS)
    ]
    assert _at_once(lambda number: factories.play(others[number])) == ["done"] * THREADS
    for other in others:
        assert branch_count(other) == 1
        assert len(on_screen(other)) == 2
