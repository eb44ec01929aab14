"""What the player laid down for a campaign, as rules over its state: data, never code. Pure.

A rule that cannot be read is not ignored in silence: ``unread`` names it, and it is shown and told in words.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from narrative.state.document import Document
from narrative.state.events import (
    AddFact,
    Event,
    InvalidateFact,
    MergeEntities,
    RenameEntity,
    SetCurrentLocation,
    SetEntityAttribute,
    SetEntityConditions,
    SetEntityDescription,
    SetEntityStatus,
    SetFactStatus,
)
from narrative.state.keys import folded_label, folded_status
from narrative.state.references import find_entity

KNOWN_KEYS = ("rules", "forbidden_status_changes", "locked_facts", "locked_attributes", "single_valued")


@dataclass(frozen=True, slots=True)
class Forbidden:
    """No entity, or not this one, may go from one status to another."""

    before: str
    after: str
    entity: str | None = None

    @property
    def words(self) -> str:
        whose = f"{self.entity}: the" if self.entity else "The"
        return f"{whose} status “{self.before}” never becomes “{self.after}”."


@dataclass(frozen=True, slots=True)
class LockedFact:
    predicate: str
    subject: str | None = None

    @property
    def words(self) -> str:
        whose = f"{self.subject}: " if self.subject else ""
        return f"{whose}“{self.predicate}” is settled and stays as it is."


@dataclass(frozen=True, slots=True)
class LockedAttribute:
    entity: str
    attribute: str

    @property
    def words(self) -> str:
        return f"{self.entity}: “{self.attribute}” is settled and stays as it is."


@dataclass(frozen=True, slots=True)
class Canon:
    rules: tuple[str, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    locked_facts: tuple[LockedFact, ...] = ()
    locked_attributes: tuple[LockedAttribute, ...] = ()
    single_valued: tuple[str, ...] = ()
    # What is there and cannot be read as a rule: where, and how it is written.
    unread: tuple[tuple[str, str], ...] = ()

    @property
    def single_predicates(self) -> frozenset[str]:
        return frozenset(folded_label(each) for each in self.single_valued)


def read_canon(stored: Mapping[str, Any]) -> Canon:
    """The rules in a stored canon. Total: what is none of them is ``unread``."""
    unread: list[tuple[str, str]] = []

    def items(name: str) -> Iterator[Any]:
        value = stored.get(name, [])
        if isinstance(value, list):
            yield from value
        elif value is not None:
            unread.append((name, _written(value)))

    def read(name: str, make: Any) -> tuple[Any, ...]:
        made = []
        for item in items(name):
            try:
                made.append(make(item))
            except (KeyError, TypeError, AttributeError):
                unread.append((name, _written(item)))
        return tuple(made)

    canon = Canon(
        rules=read("rules", _text),
        forbidden=read(
            "forbidden_status_changes",
            lambda item: Forbidden(_text(item["from"]), _text(item["to"]), _text_if_any(item.get("entity"))),
        ),
        locked_facts=read(
            "locked_facts",
            lambda item: LockedFact(_text(item["predicate"]), _text_if_any(item.get("subject"))),
        ),
        locked_attributes=read(
            "locked_attributes", lambda item: LockedAttribute(_text(item["entity"]), _text(item["attribute"]))
        ),
        single_valued=read("single_valued", _text),
    )
    others = [(name, _written(value)) for name, value in stored.items() if name not in KNOWN_KEYS]
    return Canon(
        canon.rules,
        canon.forbidden,
        canon.locked_facts,
        canon.locked_attributes,
        canon.single_valued,
        tuple(unread + others),
    )


def find_breach(document: Document, event: Event, canon: Canon) -> str | None:
    """The sentence that says which rule an event would break, or None. References are resolved."""
    return (
        _forbidden_change(document, event, canon)
        or _locked_attribute(document, event, canon)
        or _locked_fact(document, event, canon)
    )


def _forbidden_change(document: Document, event: Event, canon: Canon) -> str | None:
    change = _status_change(document, event)
    if change is None:
        return None
    keys, before, after = change
    had = {folded_status(status) for status in before}
    for rule in canon.forbidden:
        concerns = rule.entity is None or find_entity(document, rule.entity) in keys
        is_meant = folded_status(rule.after) == folded_status(after) and folded_status(rule.before) in had
        if concerns and is_meant:
            return (
                f"The canon forbids that “{rule.before}” becomes “{rule.after}”. Once it has been "
                f"“{rule.before}”, no way round leads there."
            )
    return None


def _status_change(document: Document, event: Event) -> tuple[set[str], list[str], str] | None:
    """Whom a change of status concerns, the statuses they have and had, and the one to come."""
    entities = document.entities
    if isinstance(event, SetEntityStatus) and event.entity in entities:
        entity = entities[event.entity]
        return {event.entity}, [entity.status, *entity.earlier_statuses], event.status
    if isinstance(event, MergeEntities) and event.entity in entities and event.into in entities:
        gone = entities[event.entity]
        return {event.entity, event.into}, [gone.status, *gone.earlier_statuses], entities[event.into].status
    return None


_FIELD_EVENTS: dict[type[Any], str] = {
    SetEntityStatus: "status",
    SetEntityDescription: "description",
    SetEntityConditions: "conditions",
    SetCurrentLocation: "location",
    RenameEntity: "name",
}


def _locked_attribute(document: Document, event: Event, canon: Canon) -> str | None:
    touched = _touched_attributes(document, event)
    for rule in canon.locked_attributes:
        if any(
            folded_label(rule.attribute) == folded_label(name) and find_entity(document, rule.entity) == key
            for key, name in touched
        ):
            return f"The canon locks “{rule.attribute}” of {rule.entity}."
    return None


def _touched_attributes(document: Document, event: Event) -> list[tuple[str, str]]:
    if isinstance(event, SetEntityAttribute):
        return [(event.entity, event.attribute)]
    if isinstance(event, MergeEntities):
        names = [*document.entities[event.entity].attributes] if event.entity in document.entities else []
        return [
            (key, name) for key in (event.entity, event.into) for name in (*names, *_FIELD_EVENTS.values())
        ]
    for kind, name in _FIELD_EVENTS.items():
        if isinstance(event, kind):
            key: str = getattr(event, "entity", "")
            return [(key, name)]
    return []


def _locked_fact(document: Document, event: Event, canon: Canon) -> str | None:
    if isinstance(event, AddFact):
        subject, predicate = event.subject, event.predicate
    elif isinstance(event, InvalidateFact | SetFactStatus) and (fact := document.fact(event.fact_id)):
        subject, predicate = fact.subject, fact.predicate
    else:
        return None
    for rule in canon.locked_facts:
        is_meant = rule.subject is None or (subject and find_entity(document, rule.subject) == subject)
        if is_meant and folded_label(rule.predicate) == folded_label(predicate):
            return f"The canon locks what is established by “{rule.predicate}”."
    return None


def unresolved_names(document: Document, canon: Canon) -> list[str]:
    """Names in the rules that nothing in the state bears, yet: such a rule waits for its entity."""
    names = [rule.entity for rule in canon.forbidden if rule.entity]
    names += [rule.entity for rule in canon.locked_attributes]
    names += [rule.subject for rule in canon.locked_facts if rule.subject]
    return [name for name in dict.fromkeys(names) if find_entity(document, name) is None]


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TypeError
    return value.strip()


def _text_if_any(value: Any) -> str | None:
    return None if value is None or value == "" else _text(value)


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
