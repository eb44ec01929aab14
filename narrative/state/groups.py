"""The state as the player reads it: grouped, named, and only what there is. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from narrative.state.document import Authority, Document, Entity, Fact, Scene
from narrative.state.events import WITHDRAWN
from narrative.state.wording import (
    fact_words,
    is_status,
    label_words,
    name_of,
    names_of,
    tie_words,
    value_words,
)

_PLURALS = {
    "character": "Characters",
    "location": "Locations",
    "organization": "Organizations",
    "item": "Items",
    "vehicle": "Vehicles",
    "creature": "Creatures",
    "structure": "Structures",
    "concept": "Concepts",
    "other": "Other things",
}


@dataclass(frozen=True, slots=True)
class Row:
    """``kind`` is scene, entity, possession, fact, relationship or thread; with ``key`` it names the row."""

    kind: str
    key: str
    title: str
    lines: tuple[str, ...] = ()
    status: str = ""
    authority: Authority | None = None


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    rows: tuple[Row, ...]


def group_state(document: Document) -> tuple[Group, ...]:
    """Groups in a fixed order, those that hold something."""
    scene = _scene_row(document, document.scene)
    found: list[tuple[str, tuple[Row, ...]]] = [("Scene", (scene,) if scene else ())]
    found += list(_entity_groups(document))
    held = sorted(document.possessions.items())
    found += [
        ("Possessions", tuple(_possession_row(document, item, owner) for item, owner in held)),
        ("Facts", _facts(document, "active", "disputed")),
        ("Relationships", tuple(_tie_rows(document, "active"))),
        ("Open threads", tuple(_thread_rows(document, "open", "dormant"))),
        ("No longer true", (*_facts(document, "invalidated", "superseded"), *_tie_rows(document, "ended"))),
        ("Closed threads", tuple(_thread_rows(document, "resolved", "abandoned"))),
        ("Not in this story", tuple(_entity_rows(document, is_withdrawn=True))),
    ]
    return tuple(Group(title, rows) for title, rows in found if rows)


def _entity_groups(document: Document) -> Iterator[tuple[str, tuple[Row, ...]]]:
    kinds: dict[str, list[Row]] = {}
    for row in _entity_rows(document, is_withdrawn=False):
        kinds.setdefault(document.entities[row.key].type.lower(), []).append(row)
    first = [kind for kind in ("character", "location") if kind in kinds]
    for kind in (*first, *sorted(set(kinds) - set(first))):
        yield _PLURALS.get(kind, label_words(kind).capitalize()), tuple(kinds[kind])


def _entity_rows(document: Document, *, is_withdrawn: bool) -> Iterator[Row]:
    for key, entity in sorted(document.entities.items(), key=lambda each: (each[1].name.casefold(), each[0])):
        if is_status(entity.status, WITHDRAWN) == is_withdrawn:
            lines = tuple(_entity_lines(document, key, entity))
            yield Row("entity", key, entity.name, lines, entity.status, entity.authority)


def _entity_lines(document: Document, key: str, entity: Entity) -> Iterator[str]:
    if entity.description:
        yield entity.description
    if entity.aliases:
        yield f"also called {', '.join(entity.aliases)}"
    if not is_status(entity.status, "active"):
        yield entity.status
    if entity.conditions:
        yield ", ".join(entity.conditions)
    if entity.location:
        yield f"at {name_of(document, entity.location)}"
    holder = document.possessions.get(key)
    if holder:
        yield f"held by {name_of(document, holder)}"
    carried = [item for item, owner in document.possessions.items() if owner == key]
    if carried:
        yield f"carries {names_of(document, sorted(carried))}"
    for name, value in entity.attributes.items():
        yield f"{label_words(name)}: {value_words(value)}"


def _possession_row(document: Document, item: str, owner: str) -> Row:
    note = document.possession_provenance.get(item)
    return Row(
        "possession",
        item,
        name_of(document, item),
        (f"held by {name_of(document, owner)}",),
        authority=note.authority if note else None,
    )


def _facts(document: Document, *statuses: str) -> tuple[Row, ...]:
    return tuple(_fact_row(document, fact) for fact in document.facts if fact.status in statuses)


def _fact_row(document: Document, fact: Fact) -> Row:
    lines = []
    if fact.status == "disputed":
        lines.append("disputed")
    if fact.status in ("invalidated", "superseded") and fact.invalidated_reason:
        lines.append(fact.invalidated_reason)
    return Row("fact", fact.id, fact_words(document, fact), tuple(lines), fact.status, fact.authority)


def _tie_rows(document: Document, status: str) -> Iterator[Row]:
    for tie in document.relationships:
        if tie.status == status:
            yield Row("relationship", tie.id, tie_words(document, tie), (), tie.status, tie.authority)


def _thread_rows(document: Document, *statuses: str) -> Iterator[Row]:
    for key, thread in document.threads.items():
        if thread.status in statuses:
            lines = [thread.description] if thread.description else []
            lines += [thread.status] if thread.status != "open" else []
            lines += [thread.resolution] if thread.resolution else []
            yield Row("thread", key, thread.title, tuple(lines), thread.status, thread.authority)


def _scene_row(document: Document, scene: Scene) -> Row | None:
    lines = [text for text in (scene.summary, scene.time, scene.mood, scene.environment) if text]
    if scene.present:
        lines.append(f"present: {names_of(document, scene.present)}")
    if scene.significant:
        lines.append(f"of note: {names_of(document, scene.significant)}")
    lines += [
        f"{name}: {', '.join(labels)}"
        for name, labels in (
            ("going on", scene.actions),
            ("to be seen", scene.visual_notes),
            ("to bear in mind", scene.continuity_notes),
        )
        if labels
    ]
    if not lines and not scene.location:
        return None
    return Row("scene", "scene", name_of(document, scene.location) or "Somewhere", tuple(lines))
