"""The authoritative state: reading it at any position, correcting it, and its history."""

from typing import Annotated

from django.http import HttpRequest
from ninja import Query, Router, Status

from campaigns.api.caller import Id, own_campaign
from campaigns.api.paging import Cursor, Limit, page_of
from campaigns.schemas.base import Page
from narrative.corrections import correct_state
from narrative.schemas.state import (
    CorrectedOut,
    CorrectionIn,
    DiffOut,
    ProposalOut,
    StateEventOut,
    StateOut,
    corrected_out,
    diff_out,
    event_out,
    proposal_out,
    state_out,
)
from narrative.state_history import (
    EventFilter,
    compare_turns,
    list_events,
    list_proposals,
    read_state_at,
)

router = Router(tags=["state"])

_DEFAULT_LIMIT = 100
_Turn = Annotated[int | None, Query(ge=0, le=2**63 - 1, description="A turn of any line.")]
_Key = Annotated[str | None, Query(max_length=200)]


@router.get("/campaigns/{campaign_id}/state", response=StateOut)
def state_read(request: HttpRequest, campaign_id: Id, turn: _Turn = None) -> StateOut:
    """What holds at the head, or at a turn of any line."""
    return state_out(read_state_at(own_campaign(request, campaign_id), turn_id=turn))


@router.post("/campaigns/{campaign_id}/state/corrections", response={201: CorrectedOut})
def state_correct(request: HttpRequest, campaign_id: Id, payload: CorrectionIn) -> Status[CorrectedOut]:
    """Change what holds at the head. One refused event means that nothing is changed. Where a future is
    retained below, the story goes on from here on a new branch."""
    campaign = own_campaign(request, campaign_id)
    corrected = correct_state(campaign_id=campaign.pk, events=payload.events, note=payload.note)
    return Status(201, corrected_out(corrected))


@router.get("/campaigns/{campaign_id}/state/events", response=Page[StateEventOut])
def state_events(
    request: HttpRequest,
    campaign_id: Id,
    entity: _Key = None,
    fact: _Key = None,
    thread: _Key = None,
    turn: _Turn = None,
    on_path: bool = False,  # noqa: FBT001, FBT002 - a query parameter
    cursor: Cursor = None,
    limit: Limit = _DEFAULT_LIMIT,
) -> Page[StateEventOut]:
    """Accepted events of all lines, newest first."""
    wanted = EventFilter(entity=entity, fact=fact, thread=thread, turn=turn, is_on_path=on_path)
    rows = list_events(own_campaign(request, campaign_id), wanted, before=cursor, limit=limit + 1)
    return page_of(request, rows, limit=limit, show=event_out)


@router.get("/campaigns/{campaign_id}/state/proposals", response=Page[ProposalOut])
def state_proposals(
    request: HttpRequest,
    campaign_id: Id,
    turn: _Turn = None,
    cursor: Cursor = None,
    limit: Limit = _DEFAULT_LIMIT,
) -> Page[ProposalOut]:
    """What was proposed, newest first, and what became of it."""
    campaign = own_campaign(request, campaign_id)
    rows = list_proposals(campaign, turn_id=turn, before=cursor, limit=limit + 1)
    return page_of(request, rows, limit=limit, show=proposal_out)


@router.get("/campaigns/{campaign_id}/state/diff", response=DiffOut, by_alias=True)
def state_diff(
    request: HttpRequest,
    campaign_id: Id,
    from_: Annotated[int, Query(alias="from", ge=0, le=2**63 - 1)],
    to: Annotated[int, Query(ge=0, le=2**63 - 1)],
) -> DiffOut:
    """What holds at one turn and not at another."""
    return diff_out(*compare_turns(own_campaign(request, campaign_id), from_id=from_, to_id=to))
