"""Two entries for one thing made one. Pure."""

from dataclasses import replace

from narrative.state.document import Document, Entity
from narrative.state.keys import folded_name


def merge_entities(document: Document, key: str, into: str) -> Document:
    """All that names ``key`` names ``into``, which keeps what it says of itself and takes over the rest."""
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
    return replace(
        document,
        entities=entities,
        possessions=possessions,
        possession_provenance={item: note for item, note in notes.items() if item in possessions},
        facts=tuple(
            replace(fact, subject=moved(fact.subject), object=moved(fact.object)) for fact in document.facts
        ),
        relationships=tuple(
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
    return replace(
        kept,
        aliases=list(names.values()),
        description=kept.description or gone.description,
        location=kept.location or gone.location,
        conditions=list(dict.fromkeys([*kept.conditions, *gone.conditions])),
        attributes={**gone.attributes, **kept.attributes},
        earlier_statuses=list(dict.fromkeys([*kept.earlier_statuses, *gone.earlier_statuses])),
    )
