"""What the player does with memories and summaries: writing, changing, pinning, forgetting, clearing.

None of it changes the story or its state. It may happen while a turn is told: the turn's prompt is written.
"""

from dataclasses import dataclass

from campaigns.errors import NotFoundError
from campaigns.models import Campaign
from campaigns.positions import owner_at
from campaigns.services.story_write import aside_write
from campaigns.texts import clean_text, require_text
from knowledge.words import stems_of
from narrative.derived.judging import authority_of, importance_of, type_of
from narrative.models import Derived, Memory, Summary

MEMORY_LENGTH = 1_000
SUMMARY_LENGTH = 10_000
_REASON = "remember"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """What is to be changed of a memory; None leaves it."""

    text: str | None = None
    type: Memory.Type | None = None
    importance: int | None = None
    pinned: bool | None = None
    forgotten: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryChange:
    text: str | None = None
    cleared: bool | None = None


def add_memory(
    *,
    campaign_id: int,
    text: str,
    type: Memory.Type | None = None,
    importance: int | None = None,
    pinned: bool = False,
) -> Memory:
    """Keep a statement of the player's, anchored to the turn at the head. What hedges is not established,
    whoever wrote it. Raises InvalidError."""
    told = _memory_text(text)
    kind = type or type_of(told)
    with aside_write(campaign_id=campaign_id, reason=_REASON) as campaign:
        return Memory.objects.create(
            campaign=campaign,
            branch_id=_branch_at_head(campaign),
            depth=campaign.head_depth,
            first_depth=campaign.head_depth,
            text=told,
            terms=" ".join(stems_of(told)),
            type=kind,
            authority=authority_of(told),
            importance=importance or importance_of(kind),
            is_pinned=pinned,
        )


def change_memory(*, campaign_id: int, memory_id: int, change: MemoryChange) -> Memory:
    """Change what is given. A text that is replaced is kept with the memory. Raises InvalidError and
    NotFoundError."""
    text = None if change.text is None else _memory_text(change.text)
    with aside_write(campaign_id=campaign_id, reason=_REASON):
        memory = get_memory(campaign_id=campaign_id, memory_id=memory_id)
        if text is not None and text != memory.text:
            _replace_text(memory, text)
            memory.terms = " ".join(stems_of(text))
            memory.authority = authority_of(text)
            memory.type = type_of(text) if change.type is None else memory.type
        memory.type = memory.type if change.type is None else change.type
        memory.importance = memory.importance if change.importance is None else change.importance
        memory.is_pinned = memory.is_pinned if change.pinned is None else change.pinned
        memory.is_forgotten = memory.is_forgotten if change.forgotten is None else change.forgotten
        memory.save()
        return memory


def delete_memory(*, campaign_id: int, memory_id: int) -> None:
    """Remove a memory for good. What its turns tell is due to be remembered again; to have it stay away, it
    is to be forgotten instead."""
    with aside_write(campaign_id=campaign_id, reason=_REASON):
        get_memory(campaign_id=campaign_id, memory_id=memory_id).delete()


def write_summary(*, campaign_id: int, text: str) -> Summary:
    """Take the player's text as the summary of everything up to the head. One that says the same as the
    newest there is none. Raises InvalidError."""
    told = _summary_text(text)
    with aside_write(campaign_id=campaign_id, reason=_REASON) as campaign:
        branch, depth = _branch_at_head(campaign), campaign.head_depth
        here = Summary.objects.filter(branch_id=branch, depth=depth, type=Summary.Type.MANUAL)
        newest: Summary | None = here.order_by("-pk").first()
        if newest is not None and newest.text == told and not newest.is_cleared:
            return newest
        written: Summary = Summary.objects.create(
            campaign=campaign,
            branch_id=branch,
            depth=depth,
            first_depth=0,
            text=told,
            type=Summary.Type.MANUAL,
            trigger=Summary.Trigger.MANUAL,
        )
        return written


def change_summary(*, campaign_id: int, summary_id: int, change: SummaryChange) -> Summary:
    """Change a summary's text, which is kept, or have it used no more, or again. Raises InvalidError and
    NotFoundError."""
    text = None if change.text is None else _summary_text(change.text)
    with aside_write(campaign_id=campaign_id, reason=_REASON):
        summary = get_summary(campaign_id=campaign_id, summary_id=summary_id)
        if text is not None and text != summary.text:
            _replace_text(summary, text)
        summary.is_cleared = summary.is_cleared if change.cleared is None else change.cleared
        summary.save()
        return summary


def delete_summary(*, campaign_id: int, summary_id: int) -> None:
    """Remove a summary for good. Others that were built on it stay."""
    with aside_write(campaign_id=campaign_id, reason=_REASON):
        get_summary(campaign_id=campaign_id, summary_id=summary_id).delete()


def get_memory(*, campaign_id: int, memory_id: int) -> Memory:
    found: Memory | None = Memory.objects.filter(campaign=campaign_id, pk=memory_id).first()
    if found is None:
        raise NotFoundError("There is no such memory in this campaign.")
    return found


def get_summary(*, campaign_id: int, summary_id: int) -> Summary:
    found: Summary | None = Summary.objects.filter(campaign=campaign_id, pk=summary_id).first()
    if found is None:
        raise NotFoundError("There is no such summary in this campaign.")
    return found


def _replace_text(row: Derived, text: str) -> None:
    row.earlier = [*row.earlier, row.text]
    row.text = text


def _memory_text(text: str) -> str:
    """On one line, as it is told."""
    return require_text(
        " ".join(clean_text(text).split()), field="text", limit=MEMORY_LENGTH, what="The memory"
    )


def _summary_text(text: str) -> str:
    return require_text(text, field="text", limit=SUMMARY_LENGTH, what="The summary")


def _branch_at_head(campaign: Campaign) -> int:
    return owner_at(campaign.head) or campaign.head.branch_id
