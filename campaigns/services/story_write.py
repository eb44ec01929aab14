"""The lock that every write to a story takes, and the one transaction it runs in."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from campaigns import leases
from campaigns.changes import StoryChange, tell
from campaigns.errors import NotFoundError, TurnInFlightError
from campaigns.models import Campaign, TurnRequest

INTERRUPTED = "interrupted"
INTERRUPTED_DETAIL = (
    "The program ended while this turn was being told. What had arrived is kept: keep it as the narration, "
    "retry, or discard it."
)


@contextmanager
def story_write(
    *, campaign_id: int, reason: str, for_request: int | None = None, is_move: bool = False
) -> Iterator[Campaign]:
    """One transaction in which the story may change, holding the campaign's turn lock.

    Yields the campaign as it is now. Raises TurnInFlightError while another submission than ``for_request``
    is running; one whose process is gone is failed as interrupted instead. After the commit the change count
    has gone up and listeners are told; not so for a move (``is_move``) that ends where it began.
    """
    with transaction.atomic():
        _require_free(campaign_id, for_request)
        campaign = _require_campaign(campaign_id)
        head_before = (campaign.active_branch_id, campaign.head_depth)
        yield campaign
        is_head_moved = head_before != (campaign.active_branch_id, campaign.head_depth)
        if is_head_moved or not is_move:
            _record_change(campaign, reason=reason, is_head_moved=is_head_moved)


@contextmanager
def aside_write(*, campaign_id: int, reason: str) -> Iterator[Campaign]:
    """Like ``story_write`` for what may change while a turn is being told, since no turn depends on it:
    names, notes, and what the player needs no more."""
    with transaction.atomic():
        campaign = _require_campaign(campaign_id)
        yield campaign
        _record_change(campaign, reason=reason, is_head_moved=False)


def require_free(*, campaign_id: int) -> None:
    """Raise TurnInFlightError while a turn is being told, as a write would. For asking before what takes
    long; the write asks again."""
    fail_interrupted(campaign_id=campaign_id)
    _require_free(campaign_id, None)


def fail_interrupted(*, campaign_id: int | None = None) -> int:
    """Fail the submissions whose process is gone, in one campaign or in all. Returns how many there were.

    Reads first, so that a look at a quiet story takes no write lock.
    """
    running = TurnRequest.objects.filter(status__in=TurnRequest.RUNNING).order_by("pk")
    if campaign_id is not None:
        running = running.filter(campaign_id=campaign_id)
    dead = [row for row in running.only("pk", "campaign", "holder") if not leases.is_alive(row.holder)]
    return sum(_interrupt(row) for row in dead)


def _require_campaign(campaign_id: int) -> Campaign:
    campaign = Campaign.objects.filter(pk=campaign_id).first()
    if campaign is None:
        raise NotFoundError("There is no such campaign.")
    return campaign


def _require_free(campaign_id: int, for_request: int | None) -> None:
    running = TurnRequest.objects.filter(campaign_id=campaign_id, status__in=TurnRequest.RUNNING)
    for request in running.only("pk", "campaign", "holder"):
        if request.pk == for_request:
            continue
        if leases.is_alive(request.holder):
            raise TurnInFlightError
        _interrupt(request)


def _interrupt(request: TurnRequest) -> int:
    with transaction.atomic():
        interrupted = TurnRequest.objects.filter(pk=request.pk, status__in=TurnRequest.RUNNING).update(
            status=TurnRequest.Status.FAILED,
            code=INTERRUPTED,
            detail=INTERRUPTED_DETAIL,
            settled_at=timezone.now(),
        )
        if interrupted:
            _record_change(_require_campaign(request.campaign_id), reason=INTERRUPTED, is_head_moved=False)
    return interrupted


def _record_change(campaign: Campaign, *, reason: str, is_head_moved: bool) -> None:
    """Raise the change count, and tell listeners after the commit. A campaign that was just deleted has no
    row any more; that it is gone is told all the same."""
    campaign.updated_at = timezone.now()
    rows = Campaign.objects.filter(pk=campaign.pk)
    rows.update(change_count=F("change_count") + 1, updated_at=campaign.updated_at)
    campaign.change_count = rows.values_list("change_count", flat=True).first() or campaign.change_count + 1
    change = StoryChange(
        campaign_id=campaign.pk,
        change_count=campaign.change_count,
        reason=reason,
        is_head_moved=is_head_moved,
    )
    transaction.on_commit(lambda: tell(change))
