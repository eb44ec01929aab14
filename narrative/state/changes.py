"""What an event changed, in one short line with names instead of keys. Pure.

A line is made when the event is accepted and kept with it: later the document says other things.
"""

from collections.abc import Iterable
from typing import Any

from narrative.state.apply import Writing, apply_event
from narrative.state.document import Document
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
from narrative.state.wording import (
    fact_words,
    label_words,
    name_of,
    names_of,
    said_words,
    shortened,
    value_words,
)

_SCENE_NAMES = {"visual_notes": "to be seen", "continuity_notes": "to bear in mind", "actions": "going on"}


def change_lines(document: Document, events: Iterable[Event], writing: Writing) -> list[str]:
    """A line for each event, in their order, each said of the document as it was before it."""
    lines = []
    for event in events:
        lines.append(shortened(change_line(document, event)))
        document = apply_event(document, event, writing)
    return lines


def change_line(document: Document, event: Event) -> str:
    match event:
        case CreateEntity():
            kind = f" ({event.entity_type.lower()})" if event.entity_type else ""
            return f"New: {event.name}{kind}"
        case SetPossession():
            return f"{name_of(document, event.item)}: now with {name_of(document, event.owner)}"
        case ClearPossession():
            holder = document.possessions.get(event.item)
            return f"{name_of(document, event.item)}: no longer with {name_of(document, holder) or 'anybody'}"
        case AddFact():
            said = said_words(document, event.subject, event.predicate, event.object, event.value)
            return f"Established: {said}"
        case InvalidateFact() | SetFactStatus():
            return _of_fact(document, event)
        case AddRelationship():
            names = name_of(document, event.source), name_of(document, event.target)
            return f"{names[0]} {label_words(event.relationship)} {names[1]}"
        case EndRelationship():
            names = name_of(document, event.source), name_of(document, event.target)
            return f"No longer: {names[0]} {label_words(event.relationship)} {names[1]}"
        case OpenStoryThread():
            return f"Open: {event.title}"
        case SetThreadStatus():
            thread = document.threads.get(event.thread)
            end = f" ({event.resolution})" if event.resolution else ""
            return f"{event.status.capitalize()}: {thread.title if thread else event.thread}{end}"
        case SetScene():
            return f"Scene: {_scene(document, event)}"
        case MergeEntities():
            return f"{name_of(document, event.entity)} is {name_of(document, event.into)}"
    return f"{name_of(document, event.entity)}: {_of_entity(document, event)}"


def _of_fact(document: Document, event: InvalidateFact | SetFactStatus) -> str:
    fact = document.fact(event.fact_id)
    said = fact_words(document, fact) if fact else event.fact_id
    if isinstance(event, InvalidateFact):
        return f"No longer true: {said}"
    verdict = {"active": "True after all", "disputed": "Disputed", "superseded": "Overtaken"}[event.status]
    return f"{verdict}: {said}"


def _of_entity(document: Document, event: Any) -> str:
    match event:
        case SetEntityStatus():
            return str(event.status)
        case SetEntityDescription():
            return event.description or "no description"
        case SetEntityAttribute():
            return f"{label_words(event.attribute)} {value_words(event.value)}"
        case SetEntityConditions():
            return ", ".join(event.conditions) or "well again"
        case SetCurrentLocation():
            return f"now at {name_of(document, event.location)}" if event.location else "nobody knows where"
        case RenameEntity():
            return f"is called {event.name}"
        case RemoveEntityAlias():
            return f"not called {event.alias}"
    return str(event.type)


def _scene(document: Document, event: SetScene) -> str:
    parts = []
    for name, value in event.payload().items():
        if value is None:
            continue
        if name == "location":
            parts.append(name_of(document, value))
        elif name == "present":
            parts.append(f"with {names_of(document, value)}" if value else "nobody there")
        elif name == "significant":
            parts.append(f"of note {names_of(document, value) or 'nothing'}")
        elif name in ("summary", "time", "mood", "environment"):
            parts.append(str(value) or f"no {name}")
        else:
            parts.append(f"{_SCENE_NAMES[name]}: {', '.join(value) or 'nothing'}")
    return "; ".join(parts)
