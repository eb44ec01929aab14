"""Two entries for one thing made one. Pure."""

from collections.abc import Iterable
from dataclasses import replace

from narrative.state.document import Document, Entity, Fact, Relationship, same_value
from narrative.state.keys import folded_label, folded_name

_PLAYER = "manual_correction"


def merge_entities(
    document: Document, key: str, into: str, single_valued: frozenset[str] = frozenset()
) -> Document:
    """All that names ``key`` names ``into``, which keeps what it says of itself and takes over the rest. What
    both had holds once; of a predicate in ``single_valued`` so does what each had of its own."""
    gone, kept = document.entities.get(key), document.entities.get(into)
    if gone is None or kept is None or key == into:
        return document

    def moved(name: str | None) -> str | None:
        return into if name == key else name

    def moved_all(names: list[str]) -> list[str]:
        return list(dict.fromkeys(into if name == key else name for name in names))

    entities = {
        name: replace(
            entity,
            location=None if name == into and moved(entity.location) == into else moved(entity.location),
        )
        for name, entity in {**document.entities, into: _merged(gone, kept)}.items()
        if name != key
    }
    possessions = {
        into if item == key else item: into if owner == key else owner
        for item, owner in document.possessions.items()
        if not (item == key and into in document.possessions)
    }
    possessions = {item: owner for item, owner in possessions.items() if item != owner}
    notes = {
        into if item == key else item: note
        for item, note in document.possession_provenance.items()
        if not (item == key and into in document.possessions)
    }
    scene = document.scene
    moved_facts = {fact.id for fact in document.facts if key in (fact.subject, fact.object)}
    return replace(
        document,
        entities=entities,
        possessions=possessions,
        possession_provenance={item: note for item, note in notes.items() if item in possessions},
        facts=_settled(
            [
                replace(fact, subject=moved(fact.subject), object=moved(fact.object))
                for fact in document.facts
            ],
            moved_facts,
            single_valued,
        ),
        relationships=_once(
            replace(tie, source=moved(tie.source) or into, target=moved(tie.target) or into)
            for tie in document.relationships
            if {tie.source, tie.target} != {key, into}
        ),
        scene=replace(
            scene,
            location=moved(scene.location),
            present=moved_all(scene.present),
            significant=moved_all(scene.significant),
        ),
    )


def _merged(gone: Entity, kept: Entity) -> Entity:
    names = {folded_name(name): name for name in (*kept.aliases, gone.name, *gone.aliases)}
    names.pop(folded_name(kept.name), None)
    had = [*kept.earlier_statuses, *gone.earlier_statuses, folded_label(gone.status)]
    return replace(
        kept,
        aliases=list(names.values()),
        description=kept.description or gone.description,
        location=kept.location or gone.location,
        conditions=list(dict.fromkeys([*kept.conditions, *gone.conditions])),
        attributes={**gone.attributes, **kept.attributes},
        earlier_statuses=[each for each in dict.fromkeys(had) if each != folded_label(kept.status)],
    )


def _settled(facts: list[Fact], moved: set[str], single_valued: frozenset[str]) -> tuple[Fact, ...]:
    """The facts, those that came over marked where one that was there says the same or leaves no room for
    it. What the player established stands."""
    overtaken: dict[str, str] = {}
    for fact in (each for each in facts if each.status == "active" and each.id in moved):
        for other in (each for each in facts if each.status == "active" and each.id not in moved):
            if _is_one(fact, other, single_valued):
                players = fact.authority == _PLAYER != other.authority
                gone, stays = (other, fact) if players else (fact, other)
                overtaken.setdefault(gone.id, stays.id)
    return tuple(
        replace(fact, status="superseded", invalidated_reason=f"replaced by {overtaken[fact.id]}")
        if fact.id in overtaken
        else fact
        for fact in facts
    )


def _is_one(fact: Fact, other: Fact, single_valued: frozenset[str]) -> bool:
    predicate = folded_label(fact.predicate)
    if (fact.subject, predicate) != (other.subject, folded_label(other.predicate)):
        return False
    is_same = fact.object == other.object and same_value(fact.value, other.value)
    return is_same or predicate in single_valued


def _once(ties: Iterable[Relationship]) -> tuple[Relationship, ...]:
    """The relationships, of each active one the first, with what the others say of it."""
    kept: dict[tuple[str, ...], Relationship] = {}
    for tie in ties:
        name = (tie.id,) if tie.status != "active" else (tie.source, tie.target, folded_label(tie.type))
        known = kept.get(name)
        kept[name] = replace(known, description=known.description or tie.description) if known else tie
    return tuple(kept.values())
