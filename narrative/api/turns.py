"""Telling turns over HTTP: submitting, following, stopping, and taking up again what failed."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from django.http import HttpRequest, StreamingHttpResponse
from ninja import Query, Router, Status
from pydantic import WithJsonSchema

from campaigns.api.caller import Id, own_campaign, owner_id
from campaigns.api.paging import DEFAULT_LIMIT, Cursor, Limit, page_of
from campaigns.api.turns import turn_now
from campaigns.errors import InvalidError
from campaigns.models import TurnRequest
from campaigns.schemas import TurnOut, TurnRequestOut, request_out
from campaigns.schemas.base import Page
from campaigns.schemas.problems import ProblemOut
from campaigns.schemas.story import NarrationIn
from campaigns.selectors import get_request, list_requests
from campaigns.services.requests import Submission, discard_request
from campaigns.services.story_write import fail_interrupted
from narrative import live
from narrative.database import in_database
from narrative.editing import Edit, edit_narration
from narrative.live import Ticket
from narrative.schemas.engine import RetryIn, StopIn, SubmissionIn
from narrative.turns import keep_turn

router = Router()

Kind = TurnRequest.Kind
_STATUSES = TurnRequest.Status.values
# A text, documented as one status: it may name several.
_StatusNames = Annotated[str, WithJsonSchema({"type": "string", "enum": _STATUSES})]
Statuses = Annotated[list[_StatusNames], Query()]
Told = StreamingHttpResponse | Status[TurnOut]

_EVENTS = "text/event-stream"
# The narrator answers nothing that can be used, or the program cannot go on.
_NO_TURN = {502: ProblemOut, 503: ProblemOut}
_TOLD = {200: TurnOut, 201: TurnOut, **_NO_TURN}
_RETRY = RetryIn()
_STOP = StopIn()


@router.post("/campaigns/{campaign_id}/turns", response=_TOLD, tags=["turns"])
async def turn_submit(request: HttpRequest, campaign_id: Id, payload: SubmissionIn) -> Told:
    """Have a turn told; answers when it is accepted. A request id that was accepted before answers 200 with
    its turn. With `Accept: text/event-stream` the frames of the WebSocket are sent while it is told."""
    submission = Submission(kind=Kind.NEW, mode=payload.mode, text=payload.text, client_id=payload.request_id)
    return await _tell(request, campaign_id, submission)


@router.post("/campaigns/{campaign_id}/turns/{turn_id}/retry", response=_TOLD, tags=["turns"])
async def turn_retry(request: HttpRequest, campaign_id: Id, turn_id: Id, payload: RetryIn = _RETRY) -> Told:
    """Have a turn told again from the same input: another take, or a fork where the story went on below."""
    submission = Submission(kind=Kind.RETRY, client_id=payload.request_id, replaces_id=turn_id)
    return await _tell(request, campaign_id, submission)


@router.put("/campaigns/{campaign_id}/turns/{turn_id}/input", response=_TOLD, tags=["turns"])
async def input_edit(request: HttpRequest, campaign_id: Id, turn_id: Id, payload: SubmissionIn) -> Told:
    """Play a turn with other words. It forks just before the turn, which stays as it was."""
    submission = Submission(
        kind=Kind.NEW,
        mode=payload.mode,
        text=payload.text,
        client_id=payload.request_id,
        replaces_id=turn_id,
    )
    return await _tell(request, campaign_id, submission)


@router.post("/campaigns/{campaign_id}/stop", response={202: None}, tags=["turns"])
async def turn_stop(request: HttpRequest, campaign_id: Id, payload: StopIn = _STOP) -> Status[None]:
    """Stop the turn that is being told. What has arrived becomes its narration, unless `keep` is false."""
    campaign = await in_database(own_campaign)(request, campaign_id)
    await live.stop(campaign_id=campaign.pk, keep=payload.keep)
    return Status(202, None)


@router.put("/campaigns/{campaign_id}/turns/{turn_id}/narration", response={201: TurnOut}, tags=["turns"])
async def narration_edit(
    request: HttpRequest, campaign_id: Id, turn_id: Id, payload: NarrationIn
) -> Status[TurnOut]:
    """Make your own words the narration of a turn. No narrator is called, and no take is overwritten.
    `derive` says where the turn's changes to the state come from: `own` has none but a state block in the
    text, `keep` keeps those of the take, `model` asks the model what the words change."""
    campaign = await in_database(own_campaign)(request, campaign_id)
    edited = await edit_narration(
        Edit(
            campaign_id=campaign.pk,
            turn_id=turn_id,
            text=payload.text,
            take_id=payload.take,
            derive=payload.derive,
        )
    )
    return Status(201, await in_database(turn_now)(request, campaign_id, edited.turn.pk))


@router.get("/campaigns/{campaign_id}/requests", response=Page[TurnRequestOut], tags=["requests"])
def requests_list(
    request: HttpRequest,
    campaign_id: Id,
    status: Statuses = [],  # noqa: B006 - never changed
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[TurnRequestOut]:
    """Submissions, newest first. `status` may be given several times, or several between commas."""
    campaign = own_campaign(request, campaign_id)
    fail_interrupted(campaign_id=campaign.pk)
    rows = list_requests(campaign, statuses=_each_status(status), before=cursor, limit=limit + 1)
    return page_of(request, rows, limit=limit, show=request_out)


@router.post("/requests/{request_id}/keep", response={201: TurnOut}, tags=["requests"])
def request_keep(request: HttpRequest, request_id: Id) -> Status[TurnOut]:
    """Make what had arrived of a failed or stopped submission its narration."""
    asked = _own_request(request, request_id)
    return Status(201, _turn_of(request, keep_turn(campaign_id=asked.campaign_id, request_id=asked.pk)))


@router.post("/requests/{request_id}/retry", response={201: TurnOut, **_NO_TURN}, tags=["requests"])
async def request_retry(request: HttpRequest, request_id: Id) -> Told:
    """Submit a failed or stopped submission once more."""
    asked = await in_database(_own_request)(request, request_id)
    ticket = await live.resubmit(campaign_id=asked.campaign_id, request_id=asked.pk)
    return await _told(request, ticket)


@router.post("/requests/{request_id}/discard", response={204: None}, tags=["requests"])
def request_discard(request: HttpRequest, request_id: Id) -> Status[None]:
    """Say that a failed or stopped submission is needed no more."""
    asked = _own_request(request, request_id)
    discard_request(campaign_id=asked.campaign_id, request_id=asked.pk)
    return Status(204, None)


async def _tell(request: HttpRequest, campaign_id: int, submission: Submission) -> Told:
    campaign = await in_database(own_campaign)(request, campaign_id)
    return await _told(request, await live.submit(campaign_id=campaign.pk, submission=submission))


async def _told(request: HttpRequest, ticket: Ticket) -> Told:
    """The turn as it is told, or once it is accepted, whichever the caller prefers."""
    if request.get_preferred_type(["application/json", _EVENTS]) == _EVENTS:
        return StreamingHttpResponse(
            _events(ticket), content_type=_EVENTS, headers={"Cache-Control": "no-cache"}
        )
    settled = await live.outcome(ticket)
    turn = await in_database(_turn_of)(request, settled)
    return Status(201 if ticket.is_new else 200, turn)


async def _events(ticket: Ticket) -> AsyncGenerator[str, None]:
    async with aclosing(live.frames(ticket)) as frames:
        async for frame in frames:
            yield f"event: {frame.type}\ndata: {frame.model_dump_json()}\n\n"


def _turn_of(request: HttpRequest, settled: TurnRequest) -> TurnOut:
    # A turn that was deleted since has no id here, and is not found.
    return turn_now(request, settled.campaign_id, settled.turn_id or 0)


def _each_status(given: list[str]) -> list[str]:
    names = [name for text in given for name in text.split(",")]
    if not set(names) <= set(_STATUSES):
        raise InvalidError(f"“status” must be among: {', '.join(_STATUSES)}.", field="status")
    return names


def _own_request(request: HttpRequest, request_id: int) -> TurnRequest:
    return get_request(owner_id=owner_id(request), request_id=request_id)
