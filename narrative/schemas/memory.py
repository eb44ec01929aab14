"""Memories, summaries and how their making goes, as they are sent in and shown."""

from typing import Annotated

from pydantic import BaseModel, Field

from campaigns.schemas.base import Input, Time
from narrative.memory_lists import MemoryRow, SummaryRow
from narrative.models import Derived, DerivedStatus, Memory

Importance = Annotated[int, Field(ge=1, le=5)]
_TYPES = Memory.Type.values
TypeName = Annotated[str, Field(json_schema_extra={"enum": list(_TYPES)})]


class MemoryIn(Input):
    text: str
    type: TypeName | None = None
    importance: Importance | None = None
    pinned: bool = False


class MemoryChangeIn(Input):
    text: str | None = None
    type: TypeName | None = None
    importance: Importance | None = None
    pinned: bool | None = None
    forgotten: bool | None = None


class SummaryIn(Input):
    """Your own summary of everything up to the head (`manual`), or a request for one of some turns
    (`turn_range`) or of the whole story (`campaign`), which is written in the background."""

    text: str | None = None
    type: Annotated[str, Field(json_schema_extra={"enum": ["manual", "turn_range", "campaign"]})] = "manual"
    from_: Annotated[int | None, Field(alias="from")] = None
    to: int | None = None


class SummaryChangeIn(Input):
    text: str | None = None
    cleared: bool | None = None


class SourceOut(BaseModel):
    branch: int
    from_: Annotated[int, Field(serialization_alias="from")]
    to: int


class MemoryOut(BaseModel):
    id: int
    text: str
    type: str
    authority: str
    importance: int
    pinned: bool
    forgotten: bool
    eligible: bool
    source: SourceOut
    created_at: Time


class SummaryOut(BaseModel):
    id: int
    text: str
    type: str
    trigger: str
    eligible: bool
    source: SourceOut
    model: str
    created_at: Time


class DerivedItemOut(BaseModel):
    kind: str
    status: str
    detail: str
    failures: int
    last_attempt_at: Time | None
    last_success_at: Time | None


class DerivedOut(BaseModel):
    items: list[DerivedItemOut]


def memory_out(row: MemoryRow) -> MemoryOut:
    memory = row.memory
    return MemoryOut(
        id=memory.pk,
        text=memory.text,
        type=memory.type,
        authority=memory.authority,
        importance=memory.importance,
        pinned=memory.is_pinned,
        forgotten=memory.is_forgotten,
        eligible=row.is_eligible,
        source=_source(memory),
        created_at=memory.created_at,
    )


def summary_out(row: SummaryRow) -> SummaryOut:
    summary = row.summary
    return SummaryOut(
        id=summary.pk,
        text=summary.text,
        type=summary.type,
        trigger=summary.trigger,
        eligible=row.is_eligible,
        source=_source(summary),
        model=summary.model,
        created_at=summary.created_at,
    )


def derived_out(statuses: list[DerivedStatus]) -> DerivedOut:
    return DerivedOut(
        items=[
            DerivedItemOut(
                kind=each.kind,
                status=each.status,
                detail=each.detail,
                failures=each.failures,
                last_attempt_at=each.last_attempt_at,
                last_success_at=each.last_success_at,
            )
            for each in statuses
        ]
    )


def _source(row: Derived) -> SourceOut:
    return SourceOut(branch=row.branch_id, from_=row.first_depth, to=row.depth)
