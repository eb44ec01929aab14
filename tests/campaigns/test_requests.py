"""Submissions: what a player sent and what was streamed is kept, whatever becomes of it."""

import pytest

from campaigns import selectors
from campaigns.errors import (
    HeadMovedError,
    InvalidError,
    NotFoundError,
    NothingRunningError,
    RequestFailedError,
    TurnInFlightError,
)
from campaigns.models import Campaign, Take, TurnRequest
from campaigns.services import head, requests
from campaigns.services.requests import Submission
from tests import factories
from tests.campaigns.reading import (
    assert_coherent,
    branch_count,
    fresh,
    head_of,
    main_of,
    on_screen,
    opening_of,
    position_of,
    row_counts,
)

NEW = TurnRequest.Kind.NEW


def _submit(
    campaign: Campaign, text: str = "I wait.", *, mode: str = "action", client_id: str | None = None
) -> bool:
    submission = Submission(kind=NEW, mode=mode, text=text, client_id=client_id)
    return requests.open_request(campaign_id=campaign.pk, submission=submission).is_new


def _failed(campaign: Campaign, text: str = "I wait.", partial: str = "") -> TurnRequest:
    request = factories.open_turn(campaign, text)
    requests.fail_request(
        request_id=request.pk, code="inference_timeout", detail="No answer came.", partial=partial
    )
    request.refresh_from_db()
    return request


def test_a_submission_is_stored_before_anything_else_happens(campaign: Campaign) -> None:
    where = position_of(campaign)
    request = factories.open_turn(campaign, "  I knock.  ")
    assert (request.status, request.text, request.mode) == ("queued", "I knock.", "action")
    assert (request.position.branch_id, request.position.depth) == where
    assert on_screen(campaign) == ["Rain drives you off the road."]
    assert_coherent(campaign)


def test_an_accepted_submission_is_the_turn_it_became(campaign: Campaign) -> None:
    turn = factories.play(campaign)
    request = TurnRequest.objects.get()
    assert (request.status, request.turn) == ("accepted", turn)
    assert request.take == Take.objects.get(turn=turn)
    assert request.settled_at is not None


@pytest.mark.parametrize("text", ["x" * 20_001, " \n ", "\x00\x07"])
def test_words_that_cannot_be_a_turn_are_refused(campaign: Campaign, text: str) -> None:
    with pytest.raises(InvalidError) as refused:
        _submit(campaign, text)
    assert refused.value.field == "text"
    assert not TurnRequest.objects.exists()


def test_the_longest_turn_is_taken(campaign: Campaign) -> None:
    assert _submit(campaign, "x" * 20_000)


def test_continue_takes_no_words(campaign: Campaign) -> None:
    with pytest.raises(InvalidError):
        _submit(campaign, "And then?", mode="continue")
    assert _submit(campaign, " ", mode="continue")


def test_an_unknown_mode_is_refused(campaign: Campaign) -> None:
    with pytest.raises(InvalidError) as refused:
        _submit(campaign, mode="think")
    assert refused.value.field == "mode"


def test_one_turn_is_told_at_a_time(campaign: Campaign) -> None:
    """TURN-03."""
    turn = factories.play(campaign)
    other = factories.make_campaign(owner=campaign.owner, title="Persephone")
    request = factories.open_turn(campaign)
    before = row_counts()
    with pytest.raises(TurnInFlightError):
        _submit(campaign)
    with pytest.raises(TurnInFlightError):
        factories.open_retry(campaign, turn)
    with pytest.raises(TurnInFlightError):
        head.undo(campaign_id=campaign.pk)
    assert row_counts() == before
    assert _submit(other)
    requests.accept_request(request_id=request.pk, narration=factories.narrate())
    assert _submit(campaign)


@pytest.mark.parametrize("end", ["fail", "stop"])
def test_the_lock_is_free_after_a_turn_ended_badly(campaign: Campaign, end: str) -> None:
    request = factories.open_turn(campaign)
    if end == "fail":
        requests.fail_request(request_id=request.pk, code="x", detail="y")
    else:
        requests.stop_request(request_id=request.pk)
    assert factories.play(campaign).depth == 1


def test_the_same_request_id_gives_the_accepted_turn(campaign: Campaign) -> None:
    request = factories.open_turn(campaign, client_id="tab-1")
    requests.accept_request(request_id=request.pk, narration=factories.narrate())
    before = row_counts()
    submission = Submission(kind=NEW, mode="action", text=request.text, client_id="tab-1")
    again = requests.open_request(campaign_id=campaign.pk, submission=submission)
    assert (again.request, again.is_new) == (request, False)
    assert row_counts() == before
    assert _submit(campaign, client_id="tab-2")


def test_other_words_under_a_used_request_id_are_refused_and_not_dropped(campaign: Campaign) -> None:
    request = factories.open_turn(campaign, client_id="tab-1")
    requests.accept_request(request_id=request.pk, narration=factories.narrate())
    submission = Submission(kind=NEW, mode="action", text="Other words.", client_id="tab-1")
    with pytest.raises(InvalidError, match="other words"):
        requests.open_request(campaign_id=campaign.pk, submission=submission)


@pytest.mark.parametrize("text", ["\u200b", " \u200b\u2060 ", "\u202e"])
def test_words_that_nobody_can_see_are_none(campaign: Campaign, text: str) -> None:
    with pytest.raises(InvalidError, match="empty"):
        factories.open_turn(campaign, text)


def test_text_that_was_shown_stays_on_offer_when_its_retry_fails_too(campaign: Campaign) -> None:
    first = _failed(campaign, partial="Half a sentence")
    again = requests.reopen_request(campaign_id=campaign.pk, request_id=first.pk).request
    requests.fail_request(request_id=again.pk, code="inference_unreachable", detail="Nobody answers.")
    again.refresh_from_db()
    assert (again.partial, again.code) == ("Half a sentence", "inference_unreachable")
    kept = requests.keep_partial(campaign_id=campaign.pk, request_id=again.pk)
    assert kept.take is not None
    assert kept.take.narration == "Half a sentence"


def test_the_same_request_id_while_it_runs_is_in_flight(campaign: Campaign) -> None:
    factories.open_turn(campaign, client_id="tab-1")
    with pytest.raises(TurnInFlightError):
        _submit(campaign, client_id="tab-1")


@pytest.mark.parametrize("is_discarded", [False, True])
def test_the_same_request_id_after_it_failed_is_refused(campaign: Campaign, is_discarded: bool) -> None:
    request = factories.open_turn(campaign, client_id="tab-1")
    requests.fail_request(request_id=request.pk, code="x", detail="No answer came.")
    if is_discarded:
        requests.discard_request(campaign_id=campaign.pk, request_id=request.pk)
    with pytest.raises(RequestFailedError, match="No answer came"):
        _submit(campaign, client_id="tab-1")


def test_request_ids_of_two_campaigns_are_apart(campaign: Campaign) -> None:
    other = factories.make_campaign(owner=campaign.owner, title="Persephone")
    factories.open_turn(campaign, client_id="tab-1")
    assert _submit(other, client_id="tab-1")


@pytest.mark.parametrize(
    "client_id",
    ["", " ", "\u3000", "x" * 65, " " * 65, "a\nb", "a\tb", "a\x00", "\x85a", "a\ud800", "\udfff"],
)
def test_a_request_id_has_1_to_64_characters(campaign: Campaign, client_id: str) -> None:
    with pytest.raises(InvalidError) as refused:
        _submit(campaign, client_id=client_id)
    assert refused.value.field == "request_id"
    assert _submit(campaign, client_id="x" * 64)


@pytest.mark.parametrize("client_id", [" a  b ", "a\u00a0b", "a\u2028", "タブ-1", "x" * 63 + "🦊"])
def test_a_request_id_is_kept_as_it_is(campaign: Campaign, client_id: str) -> None:
    factories.open_turn(campaign, client_id=client_id)
    assert TurnRequest.objects.get().client_id == client_id


def test_request_ids_that_differ_in_white_space_are_apart(campaign: Campaign) -> None:
    request = factories.open_turn(campaign, client_id="tab  1")
    requests.accept_request(request_id=request.pk, narration=factories.narrate())
    assert _submit(campaign, client_id="tab 1")


def test_a_failed_turn_keeps_the_words_and_what_arrived(campaign: Campaign) -> None:
    """TURN-02."""
    request = _failed(campaign, "I knock.", "The door op")
    assert (request.status, request.text, request.partial) == ("failed", "I knock.", "The door op")
    assert (request.code, request.detail) == ("inference_timeout", "No answer came.")
    assert head_of(campaign).depth == 0
    assert selectors.list_requests(campaign, statuses=["failed"]) == [request]
    assert_coherent(campaign)


def test_text_that_was_saved_outlives_a_failure_that_brings_none(campaign: Campaign) -> None:
    request = factories.open_turn(campaign)
    assert (
        requests.save_partial(request_id=request.pk, text="The door", reasoning="hm") == TurnRequest.Stop.NONE
    )
    requests.fail_request(request_id=request.pk, code="x", detail="y")
    request.refresh_from_db()
    assert (request.partial, request.partial_reasoning, request.status) == ("The door", "hm", "failed")


def test_nothing_is_saved_onto_a_request_that_has_ended(campaign: Campaign) -> None:
    request = _failed(campaign, partial="Kept.")
    assert requests.save_partial(request_id=request.pk, text="Late.", reasoning="") is None
    request.refresh_from_db()
    assert (request.partial, request.status) == ("Kept.", "failed")


def test_a_failure_does_not_undo_a_turn_that_was_accepted(campaign: Campaign) -> None:
    factories.play(campaign)
    request = TurnRequest.objects.get()
    requests.fail_request(request_id=request.pk, code="x", detail="y")
    request.refresh_from_db()
    assert (request.status, request.code) == ("accepted", "")


def test_a_stop_is_seen_by_whoever_streams(campaign: Campaign) -> None:
    request = factories.open_turn(campaign)
    assert requests.read_stop(request_id=request.pk) == TurnRequest.Stop.NONE
    assert requests.ask_stop(campaign_id=campaign.pk, keep=True) == request.pk
    assert requests.read_stop(request_id=request.pk) == TurnRequest.Stop.KEEP
    assert requests.save_partial(request_id=request.pk, text="a", reasoning="") == TurnRequest.Stop.KEEP
    requests.ask_stop(campaign_id=campaign.pk, keep=False)
    assert requests.read_stop(request_id=request.pk) == TurnRequest.Stop.DROP
    requests.stop_request(request_id=request.pk)
    assert requests.read_stop(request_id=request.pk) is None


def test_nothing_is_stopped_where_nothing_runs(campaign: Campaign) -> None:
    _failed(campaign)
    with pytest.raises(NothingRunningError):
        requests.ask_stop(campaign_id=campaign.pk, keep=True)


def test_keeping_makes_what_arrived_the_turn(campaign: Campaign) -> None:
    request = _failed(campaign, "I knock.", "The door opens a hand's br \n")
    kept = requests.keep_partial(campaign_id=campaign.pk, request_id=request.pk)
    assert kept.status == "accepted"
    assert on_screen(campaign)[-1] == "The door opens a hand's br"
    assert kept.take is not None
    assert kept.take.finish == Take.Finish.STOPPED
    assert_coherent(campaign)


def test_what_is_kept_names_its_narrator(campaign: Campaign) -> None:
    request = factories.open_turn(campaign)
    requests.name_narrator(request_id=request.pk, backend="ollama", model="test-model")
    requests.stop_request(request_id=request.pk, partial="Half", reasoning="hm")
    take = requests.keep_partial(campaign_id=campaign.pk, request_id=request.pk).take
    assert take is not None
    assert (take.backend, take.model, take.reasoning) == ("ollama", "test-model", "hm")


def test_a_running_turn_is_kept_only_once_it_has_stopped(campaign: Campaign) -> None:
    request = factories.open_turn(campaign)
    requests.save_partial(request_id=request.pk, text="Half", reasoning="")
    with pytest.raises(TurnInFlightError):
        requests.keep_partial(campaign_id=campaign.pk, request_id=request.pk)
    requests.stop_request(request_id=request.pk)
    assert requests.keep_partial(campaign_id=campaign.pk, request_id=request.pk).status == "accepted"
    with pytest.raises(RequestFailedError):
        requests.accept_request(request_id=request.pk, narration=factories.narrate())
    assert on_screen(campaign)[1:] == ["Half"]


def test_there_must_be_something_to_keep(campaign: Campaign) -> None:
    request = _failed(campaign, partial=" \n")
    with pytest.raises(InvalidError, match="No text had arrived"):
        requests.keep_partial(campaign_id=campaign.pk, request_id=request.pk)


def test_a_request_is_kept_once(campaign: Campaign) -> None:
    request = _failed(campaign, partial="Half")
    requests.keep_partial(campaign_id=campaign.pk, request_id=request.pk)
    with pytest.raises(InvalidError, match="settled"):
        requests.keep_partial(campaign_id=campaign.pk, request_id=request.pk)
    assert head_of(campaign).depth == 1


def test_another_campaigns_request_is_not_found(campaign: Campaign) -> None:
    """I7: not even its branch's name is told."""
    other = factories.make_campaign(owner=campaign.owner, title="Persephone")
    request = _failed(other, partial="Half")
    for act in (requests.keep_partial, requests.reopen_request, requests.discard_request):
        with pytest.raises(NotFoundError):
            act(campaign_id=campaign.pk, request_id=request.pk)
    request.refresh_from_db()
    assert request.status == "failed"


def test_keep_and_retry_need_the_head_where_it_was(campaign: Campaign) -> None:
    factories.play(campaign)
    request = _failed(campaign, partial="Half")
    head.undo(campaign_id=campaign.pk)
    for act in (requests.keep_partial, requests.reopen_request):
        with pytest.raises(HeadMovedError) as moved:
            act(campaign_id=campaign.pk, request_id=request.pk)
        assert (moved.value.branch_id, moved.value.depth) == (main_of(campaign).pk, 1)
    head.redo(campaign_id=campaign.pk)
    requests.keep_partial(campaign_id=campaign.pk, request_id=request.pk)
    assert on_screen(campaign)[-1] == "Half"


def test_keeping_at_a_place_with_a_future_forks(campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    head.undo(campaign_id=campaign.pk)
    request = _failed(campaign, partial="Half")
    requests.keep_partial(campaign_id=campaign.pk, request_id=request.pk)
    assert branch_count(campaign) == 2
    assert_coherent(campaign)


def test_a_turn_is_never_placed_where_the_player_is_not(campaign: Campaign) -> None:
    """The head cannot move while a turn is told; should it have moved all the same, no turn lands."""
    factories.play_turns(campaign, 2)
    request = factories.open_turn(campaign)
    Campaign.objects.filter(pk=campaign.pk).update(head_depth=1)
    before = row_counts()
    with pytest.raises(HeadMovedError) as moved:
        requests.accept_request(request_id=request.pk, narration=factories.narrate("All of it."))
    assert moved.value.depth == 2
    assert row_counts() == before
    requests.fail_request(
        request_id=request.pk, code="head_moved", detail=moved.value.message, partial="All of it."
    )
    head.redo(campaign_id=campaign.pk)
    requests.keep_partial(campaign_id=campaign.pk, request_id=request.pk)
    assert on_screen(campaign)[-1] == "All of it."


def test_a_failed_request_is_submitted_once_more(campaign: Campaign) -> None:
    request = _failed(campaign, "I knock.", "Half")
    again = requests.reopen_request(campaign_id=campaign.pk, request_id=request.pk).request
    request.refresh_from_db()
    assert (request.status, request.partial, request.text) == ("discarded", "Half", "I knock.")
    assert (again.status, again.text, again.partial, again.position) == (
        "queued",
        "I knock.",
        "",
        request.position,
    )
    with pytest.raises(TurnInFlightError):
        requests.reopen_request(campaign_id=campaign.pk, request_id=request.pk)
    requests.accept_request(request_id=again.pk, narration=factories.narrate())
    with pytest.raises(InvalidError, match="only once"):
        requests.reopen_request(campaign_id=campaign.pk, request_id=request.pk)


def test_a_failed_retry_is_submitted_once_more_as_a_retry(campaign: Campaign) -> None:
    turn = factories.play(campaign)
    request = factories.open_retry(campaign, turn)
    requests.fail_request(request_id=request.pk, code="x", detail="y")
    again = requests.reopen_request(campaign_id=campaign.pk, request_id=request.pk).request
    assert (again.kind, again.replaces) == ("retry", turn)
    requests.accept_request(request_id=again.pk, narration=factories.narrate("Two."))
    assert on_screen(campaign)[1:] == ["Two."]


def test_discarding_keeps_the_row(campaign: Campaign) -> None:
    request = _failed(campaign, "I knock.", "Half")
    before = row_counts()
    requests.discard_request(campaign_id=campaign.pk, request_id=request.pk)
    request.refresh_from_db()
    assert (request.status, request.text, request.partial) == ("discarded", "I knock.", "Half")
    assert row_counts() == before


def test_other_tabs_learn_of_a_discard(campaign: Campaign) -> None:
    request = _failed(campaign)
    before = fresh(campaign).change_count
    requests.discard_request(campaign_id=campaign.pk, request_id=request.pk)
    assert fresh(campaign).change_count == before + 1


def test_an_old_failure_is_discarded_while_a_turn_is_told(campaign: Campaign) -> None:
    request = _failed(campaign)
    running = factories.open_turn(campaign)
    requests.discard_request(campaign_id=campaign.pk, request_id=request.pk)
    with pytest.raises(TurnInFlightError):
        requests.discard_request(campaign_id=campaign.pk, request_id=running.pk)


def test_a_turn_of_the_story_is_not_discarded(campaign: Campaign) -> None:
    factories.play(campaign)
    with pytest.raises(InvalidError, match="became a turn"):
        requests.discard_request(campaign_id=campaign.pk, request_id=TurnRequest.objects.get().pk)


def test_the_opening_is_not_played_in_other_words(campaign: Campaign) -> None:
    submission = Submission(kind=NEW, mode="action", text="I run.", replaces_id=opening_of(campaign).pk)
    with pytest.raises(InvalidError, match="Edit its words"):
        requests.open_request(campaign_id=campaign.pk, submission=submission)


def test_a_retry_names_its_turn(campaign: Campaign) -> None:
    submission = Submission(kind=TurnRequest.Kind.RETRY)
    with pytest.raises(InvalidError) as refused:
        requests.open_request(campaign_id=campaign.pk, submission=submission)
    assert refused.value.field == "turn"


def test_a_request_is_the_owners_alone(campaign: Campaign) -> None:
    """I7."""
    request = factories.open_turn(campaign)
    stranger = factories.make_owner("stranger")
    assert selectors.get_request(owner_id=campaign.owner_id, request_id=request.pk) == request
    with pytest.raises(NotFoundError):
        selectors.get_request(owner_id=stranger.pk, request_id=request.pk)


def test_the_running_request_is_found(campaign: Campaign) -> None:
    assert selectors.get_active_request(campaign) is None
    request = factories.open_turn(campaign)
    assert selectors.get_active_request(campaign) == request


def test_the_list_of_requests_goes_on_behind_an_id(campaign: Campaign) -> None:
    made = [_failed(campaign) for _ in range(4)]
    first = selectors.list_requests(campaign, limit=2)
    rest = selectors.list_requests(campaign, before=first[-1].pk)
    assert [*first, *rest] == made[::-1]
