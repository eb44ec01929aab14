"""Applying events that were accepted: (document, event, where from) -> another document. Pure and total.

Events come here with their references resolved. One that names what the document does not hold changes
nothing. Nothing is deleted: what holds no longer is marked so.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from narrative.state.document import (
    Authority,
    Document,
    Entity,
    Fact,
    Place,
    Provenance,
    Relationship,
    Thread,
    Value,
)
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
from narrative.state.keys import folded_label, folded_name, fresh_key, key_of
from narrative.state.merging import merge_entities

Source = str
_AUTHORITY: dict[Source, Authority] = {
    "manual_correction": "manual_correction",
    "campaign_canon": "campaign_canon",
    "import": "imported_canon",
}


@dataclass(frozen=True, slots=True)
class Writing:
    """Who changes the state, and at which position. ``single_valued`` are predicates, folded, of which one
    value holds at a time. ``takes_back`` says that what is undone here should never have been."""

    source: Source
    at: Place
    single_valued: frozenset[str] = frozenset()
    takes_back: bool = False

    @property
    def authority(self) -> Authority:
        return _AUTHORITY.get(self.source, "accepted_story")


def apply_events(document: Document, events: Iterable[Event], writing: Writing) -> Document:
    for event in events:
        document = apply_event(document, event, writing)
    return document


def apply_event(document: Document, event: Event, writing: Writing) -> Document:
    match event:
        case CreateEntity():
            return _create(document, event, writing)
        case SetEntityStatus(entity=key):
            return _set_status(document, key, event.status, writing)
        case SetEntityDescription(entity=key):
            return _change(document, key, description=event.description)
        case SetEntityAttribute(entity=key):
            return _set_attribute(document, key, event.attribute, event.value)
        case SetEntityConditions(entity=key):
            return _change(document, key, conditions=list(dict.fromkeys(event.conditions)))
        case SetCurrentLocation(entity=key):
            return _change(document, key, location=event.location)
        case SetPossession() | ClearPossession():
            return _hold(document, event, writing)
        case AddFact():
            return _add_fact(document, event, writing)
        case InvalidateFact() | SetFactStatus():
            return _judge_fact(document, event, writing)
        case AddRelationship():
            return _tie(document, event, writing)
        case EndRelationship():
            return _untie(document, event, writing)
        case OpenStoryThread():
            return _open_thread(document, event, writing)
        case SetThreadStatus():
            return _set_thread(document, event, writing)
        case SetScene():
            return _set_scene(document, event, writing)
        case RenameEntity():
            return _rename(document, event)
        case MergeEntities():
            return merge_entities(document, event.entity, event.into, writing.single_valued)
        case RemoveEntityAlias():
            return _drop_alias(document, event)


def find_tie(document: Document, source: str, target: str, kind: str) -> Relationship | None:
    """The active relationship of a kind between two entities."""
    ties = (tie for tie in document.relationships if tie.status == "active")
    return next(
        (
            tie
            for tie in ties
            if (tie.source, tie.target) == (source, target) and folded_label(tie.type) == folded_label(kind)
        ),
        None,
    )


def _create(document: Document, event: CreateEntity, writing: Writing) -> Document:
    if event.entity in document.entities:
        return document
    entity = Entity(
        type=(event.entity_type or "other").lower(),
        name=event.name,
        aliases=list(dict.fromkeys(event.aliases or [])),
        description=event.description or "",
        authority=writing.authority,
        at=writing.at,
    )
    return document.with_entity(event.entity, entity)


def _change(document: Document, key: str, **values: Any) -> Document:
    entity = document.entities.get(key)
    return document if entity is None else document.with_entity(key, replace(entity, **values))


def _set_status(document: Document, key: str, status: str, writing: Writing) -> Document:
    entity = document.entities.get(key)
    if entity is None:
        return document
    earlier = [*entity.earlier_statuses, entity.status]
    if writing.takes_back:
        # What is taken back never was, and neither was the way there.
        earlier = [s for s in entity.earlier_statuses if folded_label(s) != folded_label(status)]
    kept = dict.fromkeys(label for each in earlier if (label := folded_label(each)) != folded_label(status))
    return _change(document, key, status=status, earlier_statuses=list(kept))


def _set_attribute(document: Document, key: str, attribute: str, value: Value) -> Document:
    entity = document.entities.get(key)
    if entity is None:
        return document
    attributes = {name: held for name, held in entity.attributes.items() if name != attribute}
    return _change(
        document, key, attributes=attributes if value is None else {**attributes, attribute: value}
    )


def _hold(document: Document, event: SetPossession | ClearPossession, writing: Writing) -> Document:
    held = {item: owner for item, owner in document.possessions.items() if item != event.item}
    noted = {item: note for item, note in document.possession_provenance.items() if item != event.item}
    if isinstance(event, SetPossession):
        if event.item not in document.entities or event.owner not in document.entities:
            return document
        held[event.item] = event.owner
        noted[event.item] = Provenance(authority=writing.authority, at=writing.at)
    return replace(document, possessions=held, possession_provenance=noted)


def _add_fact(document: Document, event: AddFact, writing: Writing) -> Document:
    taken = {fact.id for fact in document.facts}
    fact_id = fresh_key(event.fact_id or fact_key(event), taken)
    fact = Fact(
        id=fact_id,
        subject=event.subject,
        predicate=event.predicate,
        object=event.object,
        value=event.value,
        authority=writing.authority,
        source=writing.source,
        at=writing.at,
    )
    if folded_label(event.predicate) in writing.single_valued:
        document = _overtaken(document, fact, writing)
    return document.with_fact(fact)


def _overtaken(document: Document, fact: Fact, writing: Writing) -> Document:
    """The document without another active value in the place of a single-valued one."""
    for known in rivals(document, fact):
        if known.id != fact.id:
            document = document.with_fact(_ended(known, "superseded", writing, replaced_by(fact.id)))
    return document


def replaced_by(fact_id: str) -> str:
    """The reason of a fact that another took the place of."""
    return f"replaced by {fact_id}"


def fact_key(event: AddFact) -> str:
    """What a fact without an id of its own is called."""
    return key_of(" ".join(filter(None, (event.subject, event.predicate)))) or "fact"


def rivals(document: Document, said: AddFact | Fact) -> list[Fact]:
    """The active facts that say something of the same subject by the same predicate."""
    return [
        fact
        for fact in document.facts
        if fact.status == "active"
        and fact.subject == said.subject
        and folded_label(fact.predicate) == folded_label(said.predicate)
    ]


def _ended(fact: Fact, status: Any, writing: Writing, reason: str | None) -> Fact:
    return replace(
        fact,
        status=status,
        invalidated_by=writing.source,
        invalidated_at=writing.at,
        invalidated_reason=reason,
    )


def _judge_fact(document: Document, event: InvalidateFact | SetFactStatus, writing: Writing) -> Document:
    fact = document.fact(event.fact_id)
    if fact is None:
        return document
    if isinstance(event, InvalidateFact):
        return document.with_fact(_ended(fact, "invalidated", writing, event.reason))
    if event.status != "active":
        return document.with_fact(_ended(fact, event.status, writing, None))
    back = replace(
        fact,
        status="active",
        authority=fact.authority if writing.takes_back else writing.authority,
        invalidated_by=None,
        invalidated_at=None,
        invalidated_reason=None,
    )
    if folded_label(fact.predicate) in writing.single_valued:
        document = _overtaken(document, back, writing)
    return document.with_fact(back)


def _tie(document: Document, event: AddRelationship, writing: Writing) -> Document:
    known = find_tie(document, event.source, event.target, event.relationship)
    if known is not None:
        said = known.description if event.description is None else event.description
        return document.with_relationship(replace(known, description=said))
    wanted = key_of(f"{event.source} {event.relationship} {event.target}")
    tie = Relationship(
        id=fresh_key(wanted, {each.id for each in document.relationships}),
        source=event.source,
        target=event.target,
        type=event.relationship,
        description=event.description or "",
        authority=writing.authority,
        at=writing.at,
    )
    return document.with_relationship(tie)


def _untie(document: Document, event: EndRelationship, writing: Writing) -> Document:
    tie = find_tie(document, event.source, event.target, event.relationship)
    if tie is None:
        return document
    return document.with_relationship(
        replace(tie, status="ended", ended_at=writing.at, ended_by=writing.source)
    )


def _open_thread(document: Document, event: OpenStoryThread, writing: Writing) -> Document:
    if event.thread in document.threads:
        return document
    thread = Thread(
        title=event.title,
        description=event.description or "",
        importance=event.importance,
        authority=writing.authority,
        opened_at=writing.at,
    )
    return document.with_thread(event.thread, thread)


def _set_thread(document: Document, event: SetThreadStatus, writing: Writing) -> Document:
    thread = document.threads.get(event.thread)
    if thread is None:
        return document
    is_over = event.status in ("resolved", "abandoned")
    changed = replace(
        thread,
        status=event.status,
        resolved_at=writing.at if is_over else None,
        resolution=event.resolution if is_over else None,
    )
    return document.with_thread(event.thread, changed)


def _set_scene(document: Document, event: SetScene, writing: Writing) -> Document:
    given = {name: value for name, value in event.payload().items() if value is not None}
    for name in ("present", "significant"):
        if name in given:
            given[name] = list(dict.fromkeys(given[name]))
    scene = document.scene
    is_elsewhere = "location" in given and given["location"] != scene.location
    since = writing.at if is_elsewhere or scene.since is None else scene.since
    return replace(document, scene=replace(scene, **given, since=since, at=writing.at))


def _rename(document: Document, event: RenameEntity) -> Document:
    entity = document.entities.get(event.entity)
    if entity is None:
        return document
    aliases = [alias for alias in entity.aliases if folded_name(alias) != folded_name(event.name)]
    if folded_name(entity.name) != folded_name(event.name):
        aliases.append(entity.name)
    return _change(document, event.entity, name=event.name, aliases=aliases)


def _drop_alias(document: Document, event: RemoveEntityAlias) -> Document:
    entity = document.entities.get(event.entity)
    if entity is None:
        return document
    kept = [alias for alias in entity.aliases if folded_name(alias) != folded_name(event.alias)]
    return _change(document, event.entity, aliases=kept)
