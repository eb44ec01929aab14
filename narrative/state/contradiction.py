"""What an event would contradict: itself, or the player. Pure."""

from narrative.state.apply import find_tie, rivals
from narrative.state.document import Document, Fact, same_value
from narrative.state.events import (
    WITHDRAWN,
    AddFact,
    AddRelationship,
    CreateEntity,
    Event,
    InvalidateFact,
    MergeEntities,
    SetCurrentLocation,
    SetEntityStatus,
    SetFactStatus,
    SetPossession,
)
from narrative.state.fields import named_by
from narrative.state.keys import folded_key, folded_label, folded_name

PLAYER = "manual_correction"


def find_contradiction(document: Document, event: Event) -> str | None:
    """The sentence that says why an event cannot be meant so, or None. References are resolved."""
    match event:
        case SetPossession(item=item, owner=owner):
            if item == owner:
                return f"“{item}” cannot hold itself."
            if _is_inside(document, owner, item):
                return f"“{owner}” is inside “{item}”, so it cannot hold it."
        case SetCurrentLocation(entity=key, location=str(place)):
            if key == place:
                return f"“{key}” cannot be inside itself."
            if _is_inside(document, place, key):
                return f"“{place}” is inside “{key}”, so “{key}” cannot be there."
        case AddRelationship(source=source, target=target):
            if source == target:
                return "A relationship needs two entities."
        case MergeEntities(entity=key, into=into):
            if key == into:
                return "An entity cannot be merged with itself."
            if _is_inside(document, key, into) or _is_inside(document, into, key):
                return f"One of “{key}” and “{into}” is inside the other, so they are two things."
    return None


def find_player_word(
    document: Document, event: Event, single_valued: frozenset[str] = frozenset()
) -> str | None:
    """The sentence that says which of the player's corrections a model's event goes against, or None.
    ``single_valued`` are predicates, folded, of which one value holds at a time."""
    if isinstance(event, CreateEntity):
        return _creates_withdrawn(document, event)
    for _, role, key in named_by(event):
        entity = document.entities.get(key) if role.to in ("entity", "either") else None
        if entity is not None and folded_label(entity.status) == WITHDRAWN:
            return f"The player said that there is no {entity.name}."
    if isinstance(event, SetEntityStatus) and folded_label(event.status) == WITHDRAWN:
        return "Only the player can say that something was never there."
    if isinstance(event, AddFact):
        return _asserts_against(document, event, single_valued)
    if isinstance(event, InvalidateFact | SetFactStatus):
        fact = document.fact(event.fact_id)
        if fact is not None and fact.status == "active" and fact.authority == PLAYER:
            return f"The player established “{fact.id}”; the story cannot withdraw it."
        if fact is not None and _is_withdrawn(fact):
            return f"The player marked “{fact.id}” as {fact.status}; so it stays."
    if (
        isinstance(event, AddRelationship)
        and find_tie(document, event.source, event.target, event.relationship) is None
    ):
        return _ties_again(document, event)
    return None


def _creates_withdrawn(document: Document, event: CreateEntity) -> str | None:
    wanted = {folded_name(name) for name in (event.name, *(event.aliases or []))}
    for key, entity in document.entities.items():
        is_named = any(folded_name(name) in wanted for name in (entity.name, *entity.aliases))
        is_same = folded_key(key) == folded_key(event.entity) or is_named
        if is_same and folded_label(entity.status) == WITHDRAWN:
            return f"The player said that there is no {entity.name}."
    return None


def _asserts_against(document: Document, event: AddFact, single_valued: frozenset[str]) -> str | None:
    for fact in document.facts:
        if _is_withdrawn(fact) and _says(fact, event):
            reason = f" ({fact.invalidated_reason})" if fact.invalidated_reason else ""
            done = "withdrew this" if fact.status == "invalidated" else f"marked this as {fact.status}"
            return f"The player {done}{reason}."
    is_single = folded_label(event.predicate) in single_valued
    for fact in rivals(document, event):
        # Whoever knows one thing may know another too, unless there is room for one alone.
        is_otherwise = is_single or fact.object == event.object
        if fact.authority == PLAYER and is_otherwise and not _says(fact, event):
            return f"The player established otherwise: “{fact.id}”."
    return None


def _is_withdrawn(fact: Fact) -> bool:
    """Whether the player said that a fact does not hold; putting another in its place is not saying so."""
    is_replaced = fact.status == "superseded" and fact.invalidated_reason
    return fact.status != "active" and fact.invalidated_by == PLAYER and not is_replaced


def _ties_again(document: Document, event: AddRelationship) -> str | None:
    for tie in reversed(document.relationships):
        is_same = (tie.source, tie.target) == (event.source, event.target)
        if is_same and folded_label(tie.type) == folded_label(event.relationship):
            # The last word on it counts.
            return "The player ended this relationship." if tie.ended_by == PLAYER else None
    return None


def _says(fact: Fact, event: AddFact) -> bool:
    return (
        fact.subject == event.subject
        and folded_label(fact.predicate) == folded_label(event.predicate)
        and fact.object == event.object
        and same_value(fact.value, event.value)
    )


def says_the_same(fact: Fact, event: AddFact) -> bool:
    """Whether an event establishes what a fact says already."""
    return fact.status == "active" and _says(fact, event)


def _is_inside(document: Document, inner: str, outer: str) -> bool:
    """Whether something is held by or located in something, at however many removes."""
    seen: set[str] = set()
    waiting = [inner]
    while waiting:
        key = waiting.pop()
        if key in seen:
            continue
        seen.add(key)
        entity = document.entities.get(key)
        around = [document.possessions.get(key), entity.location if entity else None]
        if outer in around:
            return True
        waiting += [each for each in around if each]
    return False
