"""How the making of memories and summaries goes in a campaign, as the player sees it."""

from django.utils import timezone

from narrative.models import DerivedStatus
from narrative.watching import DERIVED, wake_watchers

Kind = DerivedStatus.Kind
Status = DerivedStatus.Status
# What is made today; the others come with what makes them.
KINDS = (Kind.MEMORY, Kind.SUMMARY)


def list_statuses(campaign_id: int) -> list[DerivedStatus]:
    """A row of each kind; of one that was never tried, that there was nothing to do. One query."""
    rows = {row.kind: row for row in DerivedStatus.objects.filter(campaign=campaign_id)}
    fresh = (DerivedStatus(campaign_id=campaign_id, kind=kind, status=Status.IDLE) for kind in KINDS)
    return [*(rows.pop(row.kind, row) for row in fresh), *rows.values()]


def record_done(campaign_id: int, kind: Kind, *, count: int) -> None:
    """A pass ended well, and wrote ``count`` rows."""
    if not count:
        _record(campaign_id, kind, Status.IDLE, "Nothing was due.")
        return
    what = "memory" if kind == Kind.MEMORY else "summary"
    several = "memories" if kind == Kind.MEMORY else "summaries"
    _record(campaign_id, kind, Status.OK, f"Wrote {count} {what if count == 1 else several}.")


def record_failed(campaign_id: int, kind: Kind, detail: str) -> None:
    _record(campaign_id, kind, Status.FAILED, detail)


def record_disabled(campaign_id: int, kind: Kind, detail: str) -> None:
    _record(campaign_id, kind, Status.DISABLED, detail)


def _record(campaign_id: int, kind: Kind, status: Status, detail: str) -> None:
    found = DerivedStatus.objects.filter(campaign=campaign_id, kind=kind).first()
    row = DerivedStatus(campaign_id=campaign_id, kind=kind) if found is None else found
    is_news = found is None or (row.status, row.detail) != (status, detail) or status == Status.OK
    if status == Status.IDLE:
        # Where it failed nothing is due any more: the story went another way.
        row.failures = 0
    row.status, row.detail = status, detail
    row.last_attempt_at = timezone.now()
    if status == Status.OK:
        row.last_success_at, row.failures = row.last_attempt_at, 0
    if status == Status.FAILED:
        row.failures += 1
    row.save()
    if is_news:
        wake_watchers(campaign_id, DERIVED)
