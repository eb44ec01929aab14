"""What is remembered: memories, summaries, and how the making of them goes."""

from django.http import HttpRequest
from ninja import Router, Status

from campaigns.api.caller import Id, own_campaign
from campaigns.api.paging import DEFAULT_LIMIT, Cursor, Limit, page_of
from campaigns.errors import InvalidError
from campaigns.models import Campaign
from campaigns.schemas.base import Page
from campaigns.schemas.problems import ProblemOut
from narrative.database import in_database
from narrative.derived.running import summarize, wake
from narrative.derived.status import list_statuses
from narrative.memory_lists import (
    describe_memory,
    describe_summary,
    list_memories,
    list_summaries,
)
from narrative.models import Memory, Summary
from narrative.remembering import (
    MemoryChange,
    SummaryChange,
    add_memory,
    change_memory,
    change_summary,
    delete_memory,
    delete_summary,
    write_summary,
)
from narrative.schemas.memory import (
    DerivedOut,
    MemoryChangeIn,
    MemoryIn,
    MemoryOut,
    SummaryChangeIn,
    SummaryIn,
    SummaryOut,
    derived_out,
    memory_out,
    summary_out,
)

router = Router(tags=["memory"])

Type = Summary.Type


@router.get("/campaigns/{campaign_id}/memories", response=Page[MemoryOut], by_alias=True)
def memory_list(
    request: HttpRequest,
    campaign_id: Id,
    on_path: bool = False,  # noqa: FBT001, FBT002 - a query parameter
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[MemoryOut]:
    """Memories of all lines, newest first. `eligible` ones may be told where the story is read."""
    campaign = own_campaign(request, campaign_id)
    rows = list_memories(campaign, on_path=on_path, before=cursor, limit=limit + 1)
    return page_of(request, rows, limit=limit, show=memory_out)


@router.post("/campaigns/{campaign_id}/memories", response={201: MemoryOut}, by_alias=True)
def memory_add(request: HttpRequest, campaign_id: Id, payload: MemoryIn) -> Status[MemoryOut]:
    """Keep a statement of your own, anchored where the story is read. Its authority is decided here."""
    campaign = own_campaign(request, campaign_id)
    memory = add_memory(
        campaign_id=campaign.pk,
        text=payload.text,
        type=_memory_type(payload.type),
        importance=payload.importance,
        pinned=payload.pinned,
    )
    return Status(201, memory_out(describe_memory(campaign, memory)))


@router.patch("/campaigns/{campaign_id}/memories/{memory_id}", response=MemoryOut, by_alias=True)
def memory_change(request: HttpRequest, campaign_id: Id, memory_id: Id, payload: MemoryChangeIn) -> MemoryOut:
    """Change a memory, pin it, or have it forgotten and remembered again."""
    campaign = own_campaign(request, campaign_id)
    change = MemoryChange(
        text=payload.text,
        type=_memory_type(payload.type),
        importance=payload.importance,
        pinned=payload.pinned,
        forgotten=payload.forgotten,
    )
    memory = change_memory(campaign_id=campaign.pk, memory_id=memory_id, change=change)
    return memory_out(describe_memory(campaign, memory))


@router.delete("/campaigns/{campaign_id}/memories/{memory_id}", response={204: None})
def memory_delete(request: HttpRequest, campaign_id: Id, memory_id: Id) -> Status[None]:
    """Delete a memory for good. Its turns are due to be remembered again; `forgotten` keeps it away."""
    delete_memory(campaign_id=own_campaign(request, campaign_id).pk, memory_id=memory_id)
    return Status(204, None)


@router.get("/campaigns/{campaign_id}/summaries", response=Page[SummaryOut], by_alias=True)
def summary_list(
    request: HttpRequest,
    campaign_id: Id,
    on_path: bool = False,  # noqa: FBT001, FBT002 - a query parameter
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[SummaryOut]:
    """Summaries of all lines, newest first."""
    campaign = own_campaign(request, campaign_id)
    rows = list_summaries(campaign, on_path=on_path, before=cursor, limit=limit + 1)
    return page_of(request, rows, limit=limit, show=summary_out)


@router.post("/campaigns/{campaign_id}/summaries", response={201: SummaryOut, 502: ProblemOut}, by_alias=True)
async def summary_add(request: HttpRequest, campaign_id: Id, payload: SummaryIn) -> Status[SummaryOut]:
    """Write a summary yourself, or have one written: of some turns (`turn_range` with `from` and `to`), or of
    the whole story as it is read (`campaign`)."""
    campaign = await in_database(own_campaign)(request, campaign_id)
    if payload.type == Type.MANUAL:
        summary = await in_database(write_summary)(campaign_id=campaign.pk, text=payload.text or "")
    else:
        kind, first, last = _asked_for(campaign, payload)
        summary = await summarize(campaign.pk, kind=kind, first=first, last=last)
    return Status(201, summary_out(await in_database(describe_summary)(campaign, summary)))


@router.patch("/campaigns/{campaign_id}/summaries/{summary_id}", response=SummaryOut, by_alias=True)
def summary_change(
    request: HttpRequest, campaign_id: Id, summary_id: Id, payload: SummaryChangeIn
) -> SummaryOut:
    """Change a summary's text, or have it used no more (`cleared`), or again."""
    campaign = own_campaign(request, campaign_id)
    change = SummaryChange(text=payload.text, cleared=payload.cleared)
    summary = change_summary(campaign_id=campaign.pk, summary_id=summary_id, change=change)
    return summary_out(describe_summary(campaign, summary))


@router.delete("/campaigns/{campaign_id}/summaries/{summary_id}", response={204: None})
def summary_delete(request: HttpRequest, campaign_id: Id, summary_id: Id) -> Status[None]:
    """Delete a summary for good. Others that were built on it stay."""
    delete_summary(campaign_id=own_campaign(request, campaign_id).pk, summary_id=summary_id)
    return Status(204, None)


@router.get("/campaigns/{campaign_id}/derived", response=DerivedOut)
def derived_list(request: HttpRequest, campaign_id: Id) -> DerivedOut:
    """How the making of memories and summaries goes. Where it fails the story itself is not affected."""
    return derived_out(list_statuses(own_campaign(request, campaign_id).pk))


@router.post("/campaigns/{campaign_id}/derived/run", response={202: None})
async def derived_run(request: HttpRequest, campaign_id: Id) -> Status[None]:
    """Make now what is due. Answers at once; how it goes shows in `derived`."""
    campaign = await in_database(own_campaign)(request, campaign_id)
    wake(campaign.pk)
    return Status(202, None)


def _memory_type(name: str | None) -> Memory.Type | None:
    if name is None:
        return None
    if name not in Memory.Type.values:
        raise InvalidError(f"The type is one of {', '.join(Memory.Type.values)}.", field="type")
    return Memory.Type(name)


def _asked_for(campaign: Campaign, payload: SummaryIn) -> tuple[Summary.Type, int, int]:
    if payload.type == Type.CAMPAIGN:
        return Type.CAMPAIGN, 0, campaign.head_depth
    if payload.type != Type.TURN_RANGE:
        raise InvalidError("The type is one of manual, turn_range, campaign.", field="type")
    if payload.from_ is None or payload.to is None:
        raise InvalidError("Say from which turn to which, with `from` and `to`.", field="from")
    return Type.TURN_RANGE, payload.from_, payload.to
