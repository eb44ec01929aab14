"""Storing what was written, if the story still is what it was written of."""

from django.db import transaction

from campaigns.models import Campaign, Turn
from knowledge.words import stems_of
from narrative.derived.due import Stretch
from narrative.derived.judging import authority_of, importance_of, type_of
from narrative.models import Memory, StateEvent, Summary


def store_memory(campaign_id: int, stretch: Stretch, text: str, *, model: str) -> Memory | None:
    """The memory as it was stored. It is not where a take of its turns was replaced meanwhile, or where
    somebody else wrote it first."""
    with transaction.atomic():
        if not _still_told(campaign_id, stretch):
            return None
        kind = type_of(text)
        events = set(
            StateEvent.objects.filter(proposal__take__in=stretch.takes).values_list("type", flat=True)
        )
        anchor = stretch.anchor
        there = Memory.objects.filter(branch_id=anchor.branch_id, depth=anchor.depth, takes=stretch.takes)
        if there.exclude(model="").exists():
            return None
        stored: Memory = Memory.objects.create(
            campaign_id=campaign_id,
            branch_id=anchor.branch_id,
            depth=anchor.depth,
            first_depth=stretch.first_depth,
            takes=stretch.takes,
            text=text,
            terms=" ".join(stems_of(text)),
            model=model,
            type=kind,
            authority=authority_of(text),
            importance=importance_of(kind, events),
        )
        return stored


def store_summary(
    campaign_id: int,
    stretch: Stretch,
    text: str,
    *,
    model: str,
    kind: Summary.Type = Summary.Type.ROLLING,
    trigger: Summary.Trigger = Summary.Trigger.INTERVAL,
) -> Summary | None:
    """The summary as it was stored: see ``store_memory``. What it goes on from must still be there too."""
    with transaction.atomic():
        before = stretch.before
        if not _still_told(campaign_id, stretch):
            return None
        if before is not None and not _still_said(before):
            return None
        stored: Summary = Summary.objects.create(
            campaign_id=campaign_id,
            branch_id=stretch.anchor.branch_id,
            depth=stretch.anchor.depth,
            first_depth=stretch.first_depth if before is None else before.first_depth,
            takes=stretch.takes,
            text=text,
            model=model,
            type=kind,
            trigger=trigger,
            goes_on_from=before,
        )
        return stored


def _still_said(summary: Summary) -> bool:
    same: bool = Summary.objects.filter(pk=summary.pk, is_cleared=False, text=summary.text).exists()
    return same


def _still_told(campaign_id: int, stretch: Stretch) -> bool:
    """Whether every take that was read is live. That the story has left the line does no harm: the row is
    kept, and is eligible where the line is."""
    told = Turn.objects.filter(branch__campaign=campaign_id, live_take__in=stretch.takes).count()
    return told == len(stretch.takes) and Campaign.objects.filter(pk=campaign_id).exists()
