"""The state, its events and its proposals, as they are sent in and shown."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, WithJsonSchema

from campaigns.schemas.base import Input, JsonObject, Time
from narrative.corrections import MOST_EVENTS, Corrected
from narrative.models import Proposal, StateEvent
from narrative.state.diff import Difference
from narrative.state.document import Document, write_document
from narrative.state.groups import Row, group_state
from narrative.state.review import Accepted, Refused
from narrative.state.vocabulary import event_schema
from narrative.state_history import EventRow, StateAt
from narrative.state_records import storable

# Read as any object and judged by the review, which says of each what is wrong; documented as what it is.
EventIn = Annotated[JsonObject, WithJsonSchema(event_schema())]


class CorrectionIn(Input):
    """Events to apply to the state at the head, all of them or none, and why."""

    events: Annotated[list[EventIn], Field(min_length=1, max_length=MOST_EVENTS)]
    note: str = ""


class AtOut(BaseModel):
    branch: int
    depth: int
    turn: int


class RowOut(BaseModel):
    """``kind`` is scene, entity, possession, fact, relationship or thread; with ``key`` it names the row."""

    kind: str
    key: str
    title: str
    lines: list[str]
    status: str
    authority: str | None


class GroupOut(BaseModel):
    title: str
    rows: list[RowOut]


class StateOut(BaseModel):
    """What holds at a turn: the whole document, and the same in words."""

    document: dict[str, Any]
    groups: list[GroupOut]
    at: AtOut


class RefusedOut(BaseModel):
    event: Any
    layer: str
    reason: str
    detail: str


class CorrectedOut(BaseModel):
    document: dict[str, Any]
    groups: list[GroupOut]
    accepted: list[JsonObject]
    rejected: list[RefusedOut]


class StateEventOut(BaseModel):
    id: int
    turn: int
    branch: int
    depth: int
    sequence: int
    type: str
    payload: JsonObject
    before: Any
    source: str
    on_path: bool
    created_at: Time


class ProposalOut(BaseModel):
    id: int
    turn: int
    take: int
    way: str | None
    source: str
    status: str
    accepted: list[JsonObject]
    redundant: list[JsonObject]
    rejected: list[RefusedOut]
    raw: list[str]
    model: str
    note: str
    created_at: Time


class DifferenceOut(BaseModel):
    """One field of one thing; ``field`` is empty where all of it is new or gone."""

    section: str
    key: str
    name: str
    field: str
    before: Any
    after: Any


class DiffOut(BaseModel):
    from_: Annotated[AtOut, Field(serialization_alias="from")]
    to: AtOut
    differences: list[DifferenceOut]


def state_out(state: StateAt) -> StateOut:
    return StateOut(document=write_document(state.document), groups=groups_out(state.document), at=_at(state))


def groups_out(document: Document) -> list[GroupOut]:
    return [
        GroupOut(title=group.title, rows=[_row_out(row) for row in group.rows])
        for group in group_state(document)
    ]


def corrected_out(corrected: Corrected) -> CorrectedOut:
    return CorrectedOut(
        document=write_document(corrected.document),
        groups=groups_out(corrected.document),
        accepted=[_accepted_out(each) for each in corrected.review.accepted],
        rejected=[],
    )


def refused_out(refused: Refused) -> RefusedOut:
    return RefusedOut(
        event=storable(refused.raw), layer=refused.layer, reason=refused.reason, detail=refused.detail
    )


def event_out(row: EventRow) -> StateEventOut:
    event: StateEvent = row.event
    return StateEventOut(
        id=event.pk,
        turn=row.turn.pk,
        branch=row.turn.branch_id,
        depth=row.turn.depth,
        sequence=event.sequence,
        type=event.type,
        payload=event.payload,
        before=event.before,
        source=event.proposal.source,
        on_path=row.is_on_path,
        created_at=event.created_at,
    )


def proposal_out(proposal: Proposal) -> ProposalOut:
    """A proposal of ``list_proposals``. Makes no query."""
    return ProposalOut(
        id=proposal.pk,
        turn=proposal.take.turn_id,
        take=proposal.take_id,
        way=proposal.way or None,
        source=proposal.source,
        status=proposal.status,
        accepted=[{"type": event.type, **event.payload} for event in proposal.events.all()],
        redundant=proposal.redundant,
        rejected=[RefusedOut(**refused) for refused in proposal.refused],
        raw=proposal.raw,
        model=proposal.model,
        note=proposal.note,
        created_at=proposal.created_at,
    )


def diff_out(one: StateAt, other: StateAt, differences: tuple[Difference, ...]) -> DiffOut:
    return DiffOut(
        from_=_at(one),
        to=_at(other),
        differences=[
            DifferenceOut(
                section=each.section,
                key=each.key,
                name=each.name,
                field=each.field,
                before=each.before,
                after=each.after,
            )
            for each in differences
        ],
    )


def _at(state: StateAt) -> AtOut:
    return AtOut(branch=state.turn.branch_id, depth=state.turn.depth, turn=state.turn.pk)


def _row_out(row: Row) -> RowOut:
    return RowOut(
        kind=row.kind,
        key=row.key,
        title=row.title,
        lines=list(row.lines),
        status=row.status,
        authority=row.authority,
    )


def _accepted_out(accepted: Accepted) -> JsonObject:
    return {"type": accepted.event.type, **accepted.event.payload()}
