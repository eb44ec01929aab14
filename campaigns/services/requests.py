"""The life of a submission: opened before the narrator is called, saved while it streams, settled once."""

from dataclasses import dataclass

from django.utils import timezone

from campaigns import leases
from campaigns.errors import (
    InvalidError,
    NotFoundError,
    NothingRunningError,
    RequestFailedError,
    TurnInFlightError,
)
from campaigns.models import Campaign, Take, Turn, TurnRequest
from campaigns.services.head import require_head_at, require_on_path
from campaigns.services.story_write import aside_write, fail_interrupted, story_write
from campaigns.services.writing import Narration, place_take, place_turn, require_told, require_turn, retell
from campaigns.texts import INPUT_LENGTH, clean_text, require_name, require_text

Kind = TurnRequest.Kind
Status = TurnRequest.Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What a player sends in. ``replaces_id`` is the turn to tell again (retry) or in other words (new)."""

    kind: TurnRequest.Kind
    mode: str = Turn.Mode.CONTINUE
    text: str = ""
    client_id: str | None = None
    replaces_id: int | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """A submission's request. One that was accepted earlier under the same request id is not new."""

    request: TurnRequest
    is_new: bool


def open_request(*, campaign_id: int, submission: Submission) -> Opened:
    """Store a submission and take the campaign's turn lock for this process.

    The same request id again gives the accepted request, or raises TurnInFlightError or RequestFailedError.
    """
    client_id = _clean_client_id(submission.client_id)
    mode, text = submission.mode, submission.text
    if submission.kind == Kind.NEW:
        mode, text = clean_input(mode=mode, text=text)
    earlier = _find_earlier(campaign_id, client_id, text=text)
    if earlier is not None:
        return earlier
    holder = leases.holder_name()
    with story_write(campaign_id=campaign_id, reason="submit") as campaign:
        # Once more, under the write lock and before anything else is asked of the story: the same submission
        # may have come in twice at once, and the first one have moved the head.
        earlier = _find_earlier(campaign_id, client_id, text=text)
        if earlier is not None:
            return earlier
        replaces = _require_replaced(campaign, submission.replaces_id)
        if submission.kind == Kind.RETRY:
            if replaces is None or replaces.mode is None:
                raise InvalidError("A retry needs the turn to tell again.", field="turn")
            mode, text = replaces.mode, replaces.input
        request = TurnRequest.objects.create(
            campaign=campaign,
            client_id=client_id,
            kind=submission.kind,
            mode=mode,
            text=text,
            branch_id=campaign.head.branch_id,
            depth=campaign.head_depth,
            replaces=replaces,
            holder=holder,
        )
        return Opened(request, is_new=True)


def reopen_request(*, campaign_id: int, request_id: int, backend: str | None = None) -> Opened:
    """Submit a failed or stopped request once more. The old one keeps its text and is discarded.

    ``backend`` names who is to tell it this time, where that is not whoever tells the campaign.
    """
    holder = leases.holder_name()
    fail_interrupted(campaign_id=campaign_id)
    with story_write(campaign_id=campaign_id, reason="submit") as campaign:
        old = require_recoverable(campaign, request_id)
        _settle(old, status=Status.DISCARDED)
        request = TurnRequest.objects.create(
            campaign=campaign,
            kind=old.kind,
            mode=old.mode,
            text=old.text,
            branch_id=old.branch_id,
            depth=old.depth,
            replaces_id=old.replaces_id,
            holder=holder,
            backend=backend or "none",
            takes_up=old,
        )
        return Opened(request, is_new=True)


def name_narrator(*, request_id: int, backend: str, model: str) -> None:
    """Note who tells it, for the take that its text may become."""
    TurnRequest.objects.filter(pk=request_id).update(backend=backend, model=model)


def save_partial(*, request_id: int, text: str, reasoning: str) -> TurnRequest.Stop | None:
    """Store what has arrived. Returns the stop that was asked for meanwhile, from whichever process, or None
    where this request runs no longer and nothing was stored."""
    running = TurnRequest.objects.filter(pk=request_id, status__in=TurnRequest.RUNNING)
    if not running.update(partial=text, partial_reasoning=reasoning, status=Status.STREAMING):
        return None
    return TurnRequest.Stop(TurnRequest.objects.values_list("stop_asked", flat=True).get(pk=request_id))


def begin_settling(*, request_id: int) -> None:
    """The text is complete; what it changed is being found out."""
    TurnRequest.objects.filter(pk=request_id, status__in=TurnRequest.RUNNING).update(status=Status.SETTLING)


def read_stop(*, request_id: int) -> TurnRequest.Stop | None:
    """The stop that was asked for, or None where the request runs no longer. Writes nothing."""
    running = TurnRequest.objects.filter(pk=request_id, status__in=TurnRequest.RUNNING)
    asked = running.values_list("stop_asked", flat=True).first()
    return None if asked is None else TurnRequest.Stop(asked)


def ask_stop(*, campaign_id: int, keep: bool) -> int:
    """Ask the running submission to stop, wherever it runs. Returns its id. Raises NothingRunningError."""
    fail_interrupted(campaign_id=campaign_id)
    running = TurnRequest.objects.filter(campaign_id=campaign_id, status__in=TurnRequest.RUNNING)
    request = running.only("pk").first()
    if request is None:
        raise NothingRunningError
    running.filter(pk=request.pk).update(stop_asked=TurnRequest.Stop.KEEP if keep else TurnRequest.Stop.DROP)
    return request.pk


def accept_request(*, request_id: int, narration: Narration) -> TurnRequest:
    """Make a narration the request's turn or take, move the head, and settle the request.

    Raises HeadMovedError where the story is no longer read where the request was made. Call it inside
    ``transaction.atomic`` where more belongs to the turn.
    """
    request = _require_request(request_id)
    with story_write(
        campaign_id=request.campaign_id, reason=request.kind, for_request=request_id
    ) as campaign:
        request = _require_request(request_id)
        if not request.is_running:
            raise RequestFailedError("This turn was given up by its process. Its text is kept.")
        _become(campaign, request, narration, is_live=True)
        return request


def keep_partial(*, campaign_id: int, request_id: int) -> TurnRequest:
    """Make what had arrived of a stopped or failed request its narration.

    A new turn takes its place in the story; a retry adds its take and leaves the live one as it was. Raises
    TurnInFlightError while it is being told, and HeadMovedError away from where it was made.
    """
    with story_write(campaign_id=campaign_id, reason="keep") as campaign:
        request = _require_request(request_id, campaign_id=campaign_id)
        if request.status not in TurnRequest.RECOVERABLE:
            raise InvalidError("This request is settled: there is no text left to keep.")
        if not request.partial.strip():
            raise InvalidError("No text had arrived, so there is nothing to keep. Retry or discard it.")
        require_head_at(campaign, request.position)
        narration = Narration(
            text=request.partial.rstrip(),
            origin=Take.Origin.GENERATED,
            finish=Take.Finish.STOPPED,
            reasoning=request.partial_reasoning,
            backend=request.backend,
            model=request.model,
        )
        _become(campaign, request, narration, is_live=request.kind == Kind.NEW)
        return request


def fail_request(*, request_id: int, code: str, detail: str, partial: str = "", reasoning: str = "") -> None:
    """End a running request with the reason, keeping all that had arrived."""
    _end(request_id, Status.FAILED, code=code, detail=detail, partial=partial, reasoning=reasoning)


def stop_request(*, request_id: int, partial: str = "", reasoning: str = "") -> None:
    """End a running request at the player's word, without making a turn of it."""
    _end(request_id, Status.STOPPED, code="stopped", detail="", partial=partial, reasoning=reasoning)


def discard_request(*, campaign_id: int, request_id: int) -> None:
    """The player needs this request no more. Its row stays."""
    fail_interrupted(campaign_id=campaign_id)
    with aside_write(campaign_id=campaign_id, reason="discard"):
        request = _require_request(request_id, campaign_id=campaign_id)
        if request.is_running:
            raise TurnInFlightError
        if request.status == Status.ACCEPTED:
            raise InvalidError("This request became a turn of the story, so it cannot be discarded.")
        _settle(request, status=Status.DISCARDED)


def require_recoverable(campaign: Campaign, request_id: int) -> TurnRequest:
    """A failed or stopped request that can be taken up again, because the head is where it was made."""
    request = _require_request(request_id, campaign_id=campaign.pk)
    if request.status not in TurnRequest.RECOVERABLE:
        raise InvalidError("Only a turn that failed or was stopped can be retried, and only once.")
    require_head_at(campaign, request.position)
    return request


def clean_input(*, mode: str, text: str) -> tuple[str, str]:
    """The mode and the cleaned text of a turn. Raises InvalidError."""
    if mode not in Turn.Mode.values:
        raise InvalidError(f"The mode must be one of: {', '.join(Turn.Mode.values)}.", field="mode")
    if mode == Turn.Mode.CONTINUE:
        if clean_text(text).strip():
            raise InvalidError(
                "Continue takes no text. Choose Do, Say or Direct to write something.", field="text"
            )
        return mode, ""
    return mode, require_text(text, field="text", limit=INPUT_LENGTH, what="The text")


def _become(campaign: Campaign, request: TurnRequest, narration: Narration, *, is_live: bool) -> None:
    """Place a request's narration where it belongs and settle the request as accepted."""
    require_head_at(campaign, request.position)
    replaces = None if request.replaces_id is None else require_turn(campaign.pk, request.replaces_id)
    if request.kind == Kind.RETRY and replaces is not None:
        turn, take = _place_retry(campaign, replaces, narration, is_live=is_live)
    else:
        after = _head_turn(campaign) if replaces is None else replaces.parent
        turn = place_turn(
            campaign, after=after, mode=request.mode, text=request.text, narration=narration, beside=replaces
        )
        take = turn.live_take
    request.turn, request.take = turn, take
    _settle(request, status=Status.ACCEPTED)


def _place_retry(
    campaign: Campaign, turn: Turn, narration: Narration, *, is_live: bool
) -> tuple[Turn, Take | None]:
    if not is_live:
        return turn, place_take(turn, narration=narration, campaign_id=campaign.pk, is_live=False)
    told = retell(campaign, turn=turn, narration=narration)
    return told, told.live_take


def _head_turn(campaign: Campaign) -> Turn:
    return Turn.objects.select_related("live_take").at_heads([campaign]).get()


def _require_replaced(campaign: Campaign, turn_id: int | None) -> Turn | None:
    if turn_id is None:
        return None
    turn = require_turn(campaign.pk, turn_id)
    require_told(turn)
    require_on_path(campaign, turn)
    return turn


def _require_request(request_id: int, *, campaign_id: int | None = None) -> TurnRequest:
    requests = TurnRequest.objects.filter(pk=request_id)
    if campaign_id is not None:
        requests = requests.filter(campaign_id=campaign_id)
    request = requests.first()
    if request is None:
        raise NotFoundError("There is no such request in this campaign.")
    return request


def _find_earlier(campaign_id: int, client_id: str | None, *, text: str) -> Opened | None:
    """What this request id was used for before. Other words under the same id are refused, not dropped."""
    if client_id is None:
        return None
    fail_interrupted(campaign_id=campaign_id)
    request = TurnRequest.objects.filter(campaign_id=campaign_id, client_id=client_id).first()
    if request is None:
        return None
    if text not in ("", request.text):
        raise InvalidError("This request id was used for other words. Use a new one.", field="request_id")
    if request.is_running:
        raise TurnInFlightError
    if request.status == Status.ACCEPTED:
        return Opened(request, is_new=False)
    raise RequestFailedError(
        request.detail
        or "The turn of this request was stopped or discarded. Send it again under a new request id."
    )


def _clean_client_id(client_id: str | None) -> str | None:
    if client_id is None:
        return None
    return require_name(client_id, field="request_id", what="The request id", limit=64)


def _end(
    request_id: int, status: TurnRequest.Status, *, code: str, detail: str, partial: str, reasoning: str
) -> None:
    campaign_id = _require_request(request_id).campaign_id
    with story_write(campaign_id=campaign_id, reason=status, for_request=request_id):
        request = _require_request(request_id)
        if request.is_running:
            request.partial = partial or request.partial
            request.partial_reasoning = reasoning or request.partial_reasoning
            if not request.partial and request.takes_up is not None:
                request.partial = request.takes_up.partial
                request.partial_reasoning = request.takes_up.partial_reasoning
            _settle(request, status=status, code=code, detail=detail)


def _settle(request: TurnRequest, *, status: TurnRequest.Status, code: str = "", detail: str = "") -> None:
    request.status = status
    request.code = code or request.code
    request.detail = detail or request.detail
    request.settled_at = timezone.now()
    request.save()
