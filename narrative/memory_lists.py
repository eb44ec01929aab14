"""Memories and summaries as they are listed. Each list makes a number of queries that its length does not
change."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from campaigns.models import Branch, Campaign
from campaigns.path import Path
from narrative.derived.due import deepest_eligible
from narrative.models import DerivedQuerySet, Memory, Summary


@dataclass(frozen=True, slots=True)
class MemoryRow:
    memory: Memory
    is_eligible: bool


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """``is_in_force`` is said of the one that the next prompt tells."""

    summary: Summary
    is_eligible: bool
    is_in_force: bool


def list_memories(
    campaign: Campaign, *, on_path: bool = False, before: int | None = None, limit: int | None = None
) -> list[MemoryRow]:
    """Memories of all lines, newest first, beginning behind the id ``before``. Three queries."""
    path = Branch.objects.path_to(campaign.head)
    rows, eligible = _page(
        Memory.objects.filter(campaign=campaign), path, on_path=on_path, before=before, limit=limit
    )
    return [MemoryRow(row, row.pk in eligible) for row in rows]


def list_summaries(
    campaign: Campaign, *, on_path: bool = False, before: int | None = None, limit: int | None = None
) -> list[SummaryRow]:
    """Summaries of all lines, newest first, beginning behind the id ``before``."""
    path = Branch.objects.path_to(campaign.head)
    rows, eligible = _page(
        Summary.objects.filter(campaign=campaign), path, on_path=on_path, before=before, limit=limit
    )
    in_force = read_summary_in_force(campaign)
    return [
        SummaryRow(row, row.pk in eligible and not row.is_cleared, in_force is not None and row == in_force)
        for row in rows
    ]


def describe_memory(campaign: Campaign, memory: Memory) -> MemoryRow:
    path = Branch.objects.path_to(campaign.head)
    return MemoryRow(memory, memory.pk in _eligible(Memory.objects.all(), [memory.pk], path))


def describe_summary(campaign: Campaign, summary: Summary) -> SummaryRow:
    path = Branch.objects.path_to(campaign.head)
    is_eligible = summary.pk in _eligible(Summary.objects.all(), [summary.pk], path)
    in_force = read_summary_in_force(campaign)
    return SummaryRow(summary, is_eligible and not summary.is_cleared, summary == in_force)


def read_summary_in_force(campaign: Campaign) -> Summary | None:
    """The summary that the next prompt tells, if there is one."""
    told = Summary.objects.filter(is_cleared=False).exclude(type=Summary.Type.TURN_RANGE)
    found: Summary | None = deepest_eligible(told, campaign.head)
    return found


def _page(
    rows: DerivedQuerySet, path: Path, *, on_path: bool, before: int | None, limit: int | None
) -> tuple[Sequence[Any], set[int]]:
    wanted = rows.on_path(path) if on_path else rows
    if before is not None:
        wanted = wanted.filter(pk__lt=before)
    page = list(wanted.order_by("-pk")[:limit])
    return page, _eligible(rows, [row.pk for row in page], path)


def _eligible(rows: DerivedQuerySet, ids: Iterable[int], path: Path) -> set[int]:
    return set(rows.filter(pk__in=list(ids)).eligible(path).values_list("pk", flat=True))
