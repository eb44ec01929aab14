"""The state document: what holds at one position of a story. Pure, and never changed in place.

A document that is read from JSON is repaired section by section: what is damaged becomes empty, all else is
kept, and nothing is guessed.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, TypeAdapter, ValidationError

VERSION = 1

Scalar = bool | int | float | str
Value = Scalar | list[str] | None
Authority = Literal[
    "campaign_canon",
    "manual_correction",
    "accepted_story",
    "current_state",
    "imported_canon",
    "reference",
    "heuristic",
    "inspiration",
]
FactStatus = Literal["active", "superseded", "disputed", "invalidated"]
ThreadStatus = Literal["open", "dormant", "resolved", "abandoned"]
RelationshipStatus = Literal["active", "ended"]


@dataclass(frozen=True, slots=True)
class Place:
    """A position, as the document writes it."""

    branch: int
    depth: int


def _list_of(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


Labels = Annotated[list[str], BeforeValidator(_list_of)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """Somebody or something. ``earlier_statuses`` are those it had before, so that a forbidden change stays
    forbidden whichever way it is reached."""

    type: str
    name: str
    aliases: list[str] = field(default_factory=list)
    description: str = ""
    status: str = "active"
    location: str | None = None
    conditions: list[str] = field(default_factory=list)
    attributes: dict[str, Value] = field(default_factory=dict)
    authority: Authority = "accepted_story"
    at: Place
    earlier_statuses: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    authority: Authority
    at: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """``invalidated_by`` is the source that withdrew it or put another in its place."""

    id: str
    subject: str | None = None
    predicate: str
    object: str | None = None
    value: Value = None
    authority: Authority
    source: str
    status: FactStatus = "active"
    at: Place
    invalidated_by: str | None = None
    invalidated_at: Place | None = None
    invalidated_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relationship:
    id: str
    source: str
    target: str
    type: str
    description: str = ""
    status: RelationshipStatus = "active"
    authority: Authority = "accepted_story"
    at: Place
    ended_at: Place | None = None
    ended_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    title: str
    description: str = ""
    status: ThreadStatus = "open"
    importance: int | None = None
    authority: Authority = "accepted_story"
    opened_at: Place
    resolved_at: Place | None = None
    resolution: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """``since`` is where this scene began: it lasts until its place changes."""

    summary: str = ""
    location: str | None = None
    time: str = ""
    mood: str = ""
    environment: str = ""
    present: list[str] = field(default_factory=list)
    significant: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    visual_notes: list[str] = field(default_factory=list)
    continuity_notes: list[str] = field(default_factory=list)
    since: Place | None = None
    at: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """All that holds. ``possessions`` names each item's one holder."""

    version: int = VERSION
    entities: Mapping[str, Entity] = field(default_factory=dict)
    possessions: Mapping[str, str] = field(default_factory=dict)
    possession_provenance: Mapping[str, Provenance] = field(default_factory=dict)
    facts: tuple[Fact, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    threads: Mapping[str, Thread] = field(default_factory=dict)
    scene: Scene = field(default_factory=Scene)

    @property
    def is_empty(self) -> bool:
        return self == Document()

    def fact(self, fact_id: str) -> Fact | None:
        return next((fact for fact in self.facts if fact.id == fact_id), None)

    def with_entity(self, key: str, entity: Entity) -> "Document":
        return replace(self, entities={**self.entities, key: entity})

    def with_fact(self, fact: Fact) -> "Document":
        """The document with a fact in the place of that of the same id, or at the end."""
        if self.fact(fact.id) is None:
            return replace(self, facts=(*self.facts, fact))
        return replace(self, facts=tuple(fact if known.id == fact.id else known for known in self.facts))

    def with_relationship(self, tie: Relationship) -> "Document":
        if any(known.id == tie.id for known in self.relationships):
            kept = tuple(tie if known.id == tie.id else known for known in self.relationships)
            return replace(self, relationships=kept)
        return replace(self, relationships=(*self.relationships, tie))

    def with_thread(self, key: str, thread: Thread) -> "Document":
        return replace(self, threads={**self.threads, key: thread})


_SECTIONS: dict[str, TypeAdapter[Any]] = {
    "entities": TypeAdapter(dict[str, Entity]),
    "possessions": TypeAdapter(dict[str, str]),
    "possession_provenance": TypeAdapter(dict[str, Provenance]),
    "facts": TypeAdapter(list[Fact]),
    "relationships": TypeAdapter(list[Relationship]),
    "threads": TypeAdapter(dict[str, Thread]),
    "scene": TypeAdapter(Scene),
}
_DOCUMENT = TypeAdapter(Document)


def read_document(stored: object) -> Document:
    """The document that a JSON value holds. Never raises: a damaged section is empty."""
    return _read(stored)[0]


def damaged_sections(stored: object) -> tuple[str, ...]:
    """The sections of a stored document that had to be repaired; all of them where it is none."""
    return _read(stored)[1]


def _read(stored: object) -> tuple[Document, tuple[str, ...]]:
    if not isinstance(stored, dict):
        return Document(), tuple(_SECTIONS)
    read: dict[str, Any] = {}
    damaged = []
    for name, adapter in _SECTIONS.items():
        if name not in stored:
            continue
        try:
            # By way of JSON text, in which a strict adapter takes an object for what it describes.
            read[name] = adapter.validate_json(json.dumps(stored[name], allow_nan=False), strict=True)
        except (ValidationError, ValueError, TypeError, RecursionError):
            damaged.append(name)
    for name in ("facts", "relationships"):
        if name in read:
            read[name] = tuple(read[name])
            if len({item.id for item in read[name]}) != len(read[name]):
                damaged.append(name)
                del read[name]
    return Document(**read), tuple(damaged)


def write_document(document: Document) -> dict[str, Any]:
    """The document as JSON, complete: every section and every field."""
    written: dict[str, Any] = _DOCUMENT.dump_python(document, mode="json")
    return written


def store_document(document: Document) -> dict[str, Any]:
    """The document as JSON without what is as it is from the start: for storing."""
    stored: dict[str, Any] = _DOCUMENT.dump_python(document, mode="json", exclude_defaults=True)
    return {"version": VERSION, **stored}


def same_value(one: Value, other: Value) -> bool:
    """Whether two values say the same; yes is not 1."""
    if isinstance(one, str) and isinstance(other, str):
        return one.casefold() == other.casefold()
    return isinstance(one, bool) == isinstance(other, bool) and one == other


SECTIONS: tuple[str, ...] = tuple(each.name for each in fields(Document) if each.name != "version")
