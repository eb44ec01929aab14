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
    ClearPossession,
    Event,
    InvalidateFact,
    MergeEntities,
    RemoveEntityAlias,
    RenameEntity,
    SetCurrentLocation,
    SetEntityAttribute,
    SetEntityConditions,
    SetEntityDescription,
    SetEntityStatus,
    SetFactStatus,
    SetPossession,
)
from narrative.state.keys import folded_key, folded_label, folded_name, folded_status
from narrative.state.references import all_called

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
        find_forbidden_change(document, event, canon)
        or _locked_attribute(document, event, canon)
        or _locked_fact(document, event, canon)
        or _loses_a_rule(document, event, canon)
    )


def find_forbidden_change(document: Document, event: Event, canon: Canon) -> str | None:
    """The sentence that says which status may not become which, or None."""
    change = _status_change(document, event)
    if change is None:
        return None
    keys, before, after = change
    had = {folded_status(status) for status in before}
    for rule in canon.forbidden:
        concerns = rule.entity is None or bool(all_called(document, rule.entity) & keys)
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


# What has an event of its own can be locked like an attribute.
_FIELD_EVENTS: dict[type[Any], tuple[str, ...]] = {
    SetEntityStatus: ("status",),
    SetEntityDescription: ("description",),
    SetEntityConditions: ("conditions", "condition"),
    SetCurrentLocation: ("location",),
    SetPossession: ("owner", "holder"),
    ClearPossession: ("owner", "holder"),
    RenameEntity: ("name",),
    RemoveEntityAlias: ("aliases",),
}
_FIELDS = ("type", *dict.fromkeys(name for names in _FIELD_EVENTS.values() for name in names))


def _locked_attribute(document: Document, event: Event, canon: Canon) -> str | None:
    touched = _touched_attributes(document, event)
    for rule in canon.locked_attributes:
        if any(
            folded_label(rule.attribute) == folded_label(name) and key in all_called(document, rule.entity)
            for key, name in touched
        ):
            return f"The canon locks “{rule.attribute}” of {rule.entity}."
    return None


def _touched_attributes(document: Document, event: Event) -> list[tuple[str, str]]:
    if isinstance(event, SetEntityAttribute):
        return [(event.entity, event.attribute)]
    if isinstance(event, MergeEntities):
        names = [*document.entities[event.entity].attributes] if event.entity in document.entities else []
        return [(key, name) for key in (event.entity, event.into) for name in (*names, *_FIELDS)]
    key: str = getattr(event, "entity", "") or getattr(event, "item", "")
    return [(key, name) for name in _FIELD_EVENTS.get(type(event), ())]


def _locked_fact(document: Document, event: Event, canon: Canon) -> str | None:
    if isinstance(event, AddFact):
        subject, predicate = event.subject, event.predicate
    elif isinstance(event, InvalidateFact | SetFactStatus) and (fact := document.fact(event.fact_id)):
        subject, predicate = fact.subject, fact.predicate
    else:
        return None
    for rule in canon.locked_facts:
        is_meant = rule.subject is None or subject in all_called(document, rule.subject)
        if is_meant and folded_label(rule.predicate) == folded_label(predicate):
            return f"The canon locks what is established by “{rule.predicate}”."
    return None


def _loses_a_rule(document: Document, event: Event, canon: Canon) -> str | None:
    """A rule that names somebody goes on doing so: neither a merge nor a name that is dropped ends it."""
    if not isinstance(event, MergeEntities | RemoveEntityAlias) or event.entity not in document.entities:
        return None
    entity = document.entities[event.entity]
    for name in _names(canon):
        called, wanted = all_called(document, name), folded_name(name)
        if event.entity not in called:
            continue
        if isinstance(event, MergeEntities):
            names = {folded_name(each) for each in (entity.name, *entity.aliases)}
            stays = event.into in called or wanted in names
        else:
            is_key = folded_key(name) == folded_key(event.entity)
            stays = is_key or wanted != folded_name(event.alias) or wanted == folded_name(entity.name)
        if not stays:
            return f"A rule of the canon is for “{name}”: change the rule first."
    return None


def unresolved_names(document: Document, canon: Canon) -> list[str]:
    """Names in the rules that nothing in the state bears, yet: such a rule waits for its entity."""
    return [name for name in _names(canon) if not all_called(document, name)]


def _names(canon: Canon) -> list[str]:
    names = [rule.entity for rule in canon.forbidden if rule.entity]
    names += [rule.entity for rule in canon.locked_attributes]
    names += [rule.subject for rule in canon.locked_facts if rule.subject]
    return list(dict.fromkeys(names))


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TypeError
    return value.strip()


def _text_if_any(value: Any) -> str | None:
    return None if value is None or value == "" else _text(value)


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
