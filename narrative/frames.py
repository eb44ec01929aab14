"""Reading what is stored as the frames that tell it."""

from dataclasses import dataclass
from datetime import datetime

from campaigns.errors import NotFoundError
from campaigns.models import Campaign, Take, Turn, TurnRequest
from campaigns.positions import is_on_path
from campaigns.schemas import TurnOut, head_out, request_out, turn_out
from campaigns.selectors import get_active_request, get_head, get_turn
from campaigns.services.story_write import fail_interrupted
from narrative.models import DerivedStatus
from narrative.protocol import (
    ActiveRequest,
    Final,
    Hello,
    TurnAccepted,
    TurnFailed,
    TurnStarted,
    TurnStopped,
)

Status = TurnRequest.Status


@dataclass(frozen=True, slots=True)
class Marks:
    """The campaign's change count, the state version at its head, and by kind how the making of memories and
    summaries stands."""

    changes: int
    state: int | None
    derived: dict[str, tuple[str, str, datetime | None]]


def read_hello(campaign_id: int) -> Hello:
    """Where a story stands now. Raises NotFoundError."""
    campaign = Campaign.objects.filter(pk=campaign_id).first()
    if campaign is None:
        raise NotFoundError("There is no such campaign.")
    fail_interrupted(campaign_id=campaign_id)
    head = get_head(campaign)
    active = get_active_request(campaign)
    return Hello(
        head=head_out(head),
        can_undo=head.can_undo,
        can_redo=head.can_redo,
        active_request=active
        and ActiveRequest(id=active.pk, mode=active.mode, text=active.text, partial=active.partial),
    )


def read_marks(campaign_id: int) -> Marks:
    """What a socket compares to see what is new. Three queries."""
    counts = Campaign.objects.filter(pk=campaign_id).values_list("change_count", flat=True)
    derived = DerivedStatus.objects.filter(campaign=campaign_id).order_by("pk")
    return Marks(
        changes=counts.first() or 0,
        state=_read_state_version(campaign_id),
        derived={
            kind: (status, detail, at)
            for kind, status, detail, at in derived.values_list("kind", "status", "detail", "last_success_at")
        },
    )


def _read_state_version(campaign_id: int) -> int | None:
    """Which state holds at the head, for telling whether it is another one. One query."""
    campaign = Campaign.objects.filter(pk=campaign_id)
    versions = Turn.objects.at_heads(campaign).values_list("live_take__state_version_id", flat=True)
    return versions.first()


def read_started(request_id: int) -> TurnStarted:
    return TurnStarted(request=request_out(TurnRequest.objects.get(pk=request_id)))


def read_final(request_id: int) -> Final:
    """How a settled submission ended."""
    request = TurnRequest.objects.select_related("campaign", "take").get(pk=request_id)
    if request.status == Status.ACCEPTED and request.turn_id is not None:
        turn = read_turn(request.campaign, request.turn_id)
        if request.take is not None and request.take.finish == Take.Finish.STOPPED:
            return TurnStopped(request=request_id, turn=turn)
        return TurnAccepted(request=request_id, turn=turn)
    if request.status == Status.FAILED:
        return TurnFailed(
            request=request_id, code=request.code, detail=request.detail, partial=request.partial
        )
    return TurnStopped(request=request_id, turn=None)


def read_turn(campaign: Campaign, turn_id: int) -> TurnOut:
    turn = get_turn(campaign_id=campaign.pk, turn_id=turn_id)
    return turn_out(turn, on_path=is_on_path(campaign, turn))
