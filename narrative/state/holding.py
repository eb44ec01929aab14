"""What the document says now about that which an event would set. Pure.

The value before an event is kept with it; an event that would set what holds already is redundant.
"""

from typing import Any

from narrative.state.apply import find_tie, rivals
from narrative.state.contradiction import says_the_same
from narrative.state.document import Document, same_value
from narrative.state.events import (
    AddFact,
    AddRelationship,
    ClearPossession,
    CreateEntity,
    EndRelationship,
    Event,
    InvalidateFact,
    MergeEntities,
    OpenStoryThread,
    RemoveEntityAlias,
    RenameEntity,
    SetCurrentLocation,
    SetEntityAttribute,
    SetEntityConditions,
    SetEntityDescription,
    SetEntityStatus,
    SetFactStatus,
    SetPossession,
    SetScene,
    SetThreadStatus,
)
from narrative.state.keys import folded_label, folded_name


def value_before(document: Document, event: Event) -> Any:
    """What holds before the event, as JSON; None where there is nothing."""
    match event:
        case CreateEntity() | OpenStoryThread():
            return None
        case SetPossession(item=item) | ClearPossession(item=item):
            return document.possessions.get(item)
        case AddFact():
            known = rivals(document, event)
            return (
                {"fact_id": known[-1].id, "object": known[-1].object, "value": known[-1].value}
                if known
                else None
            )
        case InvalidateFact(fact_id=fact_id) | SetFactStatus(fact_id=fact_id):
            fact = document.fact(fact_id)
            return fact.status if fact else None
        case AddRelationship():
            tie = find_tie(document, event.source, event.target, event.relationship)
            return tie.description if tie else None
        case EndRelationship():
            return "active" if find_tie(document, event.source, event.target, event.relationship) else None
        case SetThreadStatus(thread=key):
            thread = document.threads.get(key)
            return {"status": thread.status, "resolution": thread.resolution} if thread else None
        case SetScene():
            given = [name for name, value in event.payload().items() if value is not None]
            return {name: getattr(document.scene, name) for name in given}
    return _of_entity(document, event)


def _of_entity(document: Document, event: Any) -> Any:
    entity = document.entities.get(event.entity)
    if entity is None:
        return None
    match event:
        case SetEntityStatus():
            return entity.status
        case SetEntityDescription():
            return entity.description
        case SetEntityAttribute(attribute=attribute):
            return entity.attributes.get(attribute)
        case SetEntityConditions():
            return entity.conditions
        case SetCurrentLocation():
            return entity.location
        case RenameEntity():
            return entity.name
        case RemoveEntityAlias():
            return entity.aliases
        case MergeEntities():
            return {"name": entity.name, "type": entity.type}
    return None


def is_redundant(document: Document, event: Event) -> bool:
    """Whether what the event says holds already. A create is the review's to judge."""
    before = value_before(document, event)
    match event:
        case SetEntityStatus(status=status):
            return folded_label(before or "") == folded_label(status)
        case SetEntityConditions(conditions=conditions):
            return _as_set(before or []) == _as_set(conditions)
        case SetEntityAttribute(value=value):
            return value is before if value is None or before is None else _same(before, value)
        case AddFact():
            return any(says_the_same(fact, event) for fact in document.facts)
        case InvalidateFact():
            return bool(before == "invalidated")
        case ClearPossession():
            return before is None
        case AddRelationship(description=description):
            return before is not None and description in (None, before)
        case SetThreadStatus(status=status, resolution=resolution):
            is_told = status in ("resolved", "abandoned") and resolution not in (
                None,
                "",
                before["resolution"],
            )
            return bool(before["status"] == status and not is_told)
        case SetScene():
            given = {name: value for name, value in event.payload().items() if value is not None}
            return all(_same_in_scene(name, before[name], value) for name, value in given.items())
        case RemoveEntityAlias(alias=alias):
            return folded_name(alias) not in {folded_name(each) for each in before or []}
        case SetEntityDescription(description=wanted):
            return bool(before == wanted)
        case SetCurrentLocation(location=wanted):
            return bool(before == wanted)
        case SetPossession(owner=wanted):
            return bool(before == wanted)
        case SetFactStatus(status=wanted):
            return bool(before == wanted)
        case RenameEntity(name=wanted):
            return bool(before == wanted)
    return False


def _as_set(labels: list[str]) -> set[str]:
    return {folded_label(label) for label in labels}


def _same_in_scene(name: str, one: Any, other: Any) -> bool:
    """Who is there has no order."""
    return set(one) == set(other) if name in ("present", "significant") else _same(one, other)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return one == other
    return not isinstance(one, list) and not isinstance(other, list) and same_value(one, other)
