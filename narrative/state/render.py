"""The state as the narrator is told it: compact, in the keys that it must answer with, with names. Pure.

When the document outgrows its budget, what the scene touches comes first and the rest by how recent it is;
what is left out is counted. ``docs/state.md`` shows the form, which the embedded narrator reads back.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from narrative.state.document import Document, Entity, Fact
from narrative.state.events import WITHDRAWN
from narrative.state.keys import folded_name, folded_text
from narrative.state.wording import fact_words, is_status, label_words, tie_words, value_words

HEADING = "[State of the story: what holds now. Where older text disagrees, this is right.]"
EXISTING = "Who and what there is:"
ESTABLISHED = "Established:"
WITHDRAWN_HEADING = "No longer true:"
TIES = "Ties:"
THREADS = "Open threads:"
_ORDER = (EXISTING, ESTABLISHED, WITHDRAWN_HEADING, TIES, THREADS)

_MOST = {ESTABLISHED: 30, WITHDRAWN_HEADING: 30, TIES: 20, THREADS: 12}
# So many of the newest withdrawals are told however small the budget: prose further up says otherwise.
_PROTECTED_WITHDRAWALS = 5
_PLAYER = "manual_correction"


@dataclass(frozen=True, slots=True)
class _Line:
    """``rank`` orders what is elastic: the highest first."""

    heading: str
    text: str
    rank: tuple[int, int]
    is_core: bool = False


@dataclass(frozen=True, slots=True)
class RenderedState:
    """Empty text where nothing is established. ``core`` is the part that is always told, in tokens."""

    text: str
    tokens: int
    core: int
    told: int
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """What the scene touches: the protagonist's key, and the recent text in which entities are named."""

    protagonist: str | None = None
    text: str = ""


def render_state(
    document: Document, focus: Focus, *, budget: int, count: Callable[[str], int]
) -> RenderedState:
    """The section within ``budget`` tokens, or its core where that alone is larger."""
    scene = _one_line(_scene_line(document))
    lines = [replace(line, text=_one_line(line.text)) for line in _capped(list(_lines(document, focus)))]
    if not scene and not lines:
        return RenderedState("", 0, 0, 0, 0)
    core = [line for line in lines if line.is_core]
    fixed = "\n".join([HEADING, *([scene] if scene else []), *_ORDER])
    spent = protected = count(fixed) + sum(count(line.text) + 1 for line in core)
    kept = list(core)
    for line in sorted(
        (each for each in lines if not each.is_core), key=lambda each: each.rank, reverse=True
    ):
        cost = count(line.text) + 1
        if spent + cost > budget:
            continue
        spent += cost
        kept.append(line)
    chosen = {id(line) for line in kept}
    text = _compose(scene, [line for line in lines if id(line) in chosen])
    return RenderedState(text, count(text), protected, len(kept), len(lines) - len(kept))


def _one_line(text: str) -> str:
    """What was stored is told on one line, however it came into the document."""
    return " ".join(text.split())


def _compose(scene: str, lines: list[_Line]) -> str:
    parts = [HEADING, *([scene] if scene else [])]
    for heading in _ORDER:
        own = [line.text for line in lines if line.heading == heading]
        parts += [heading, *own] if own else []
    return "\n".join(parts)


def _capped(lines: list[_Line]) -> list[_Line]:
    """Of each kind what the scene touches and then the newest, in their order."""
    kept: list[_Line] = []
    for heading in _ORDER:
        own = [line for line in lines if line.heading == heading]
        if len(own) > (most := _MOST.get(heading, len(own))):
            places = sorted(range(len(own)), key=lambda at: (own[at].is_core, own[at].rank, at))
            own = [own[at] for at in sorted(places[-most:])]
        kept += own
    return kept


def _lines(document: Document, focus: Focus) -> Iterator[_Line]:
    core = core_entities(document, focus)
    touched = core | _named_in(document, focus.text) | _at_the_scene(document)
    there = _there(document)
    gone = document.entities.keys() - there
    for key, entity in document.entities.items():
        if key in there:
            rank = (2 if key in touched else 0, entity.at.depth)
            yield _Line(EXISTING, _entity_line(document, key, entity, there), rank, is_core=key in core)
    for fact in document.facts:
        if fact.status in ("active", "disputed") and not {fact.subject, fact.object} & gone:
            yield _Line(ESTABLISHED, _fact_line(document, fact), _rank_fact(fact, core, touched))
    yield from _withdrawn(document)
    for tie in document.relationships:
        if tie.status == "active" and {tie.source, tie.target} <= there:
            rank = (2 if {tie.source, tie.target} & core else 0, tie.at.depth)
            yield _Line(TIES, f"- {tie.source} -> {tie.target}: {_tie_text(tie.type, tie.description)}", rank)
    for key, thread in document.threads.items():
        if thread.status in ("open", "dormant"):
            asleep = " [dormant]" if thread.status == "dormant" else ""
            said = f"{thread.title} ({thread.description})" if thread.description else thread.title
            rank = (2, thread.opened_at.depth)
            yield _Line(THREADS, f"- {key}: {said}{asleep}", rank, is_core=thread.status == "open")


def _withdrawn(document: Document) -> Iterator[_Line]:
    """What is said no longer, the oldest first; the newest of it are always told."""
    gone = [
        (fact.invalidated_at or fact.at, _withdrawn_line(document, fact))
        for fact in document.facts
        if fact.status == "invalidated"
    ]
    gone += [
        (entity.at, f"- {key}: there is no {entity.name} [the player's correction]")
        for key, entity in document.entities.items()
        if is_status(entity.status, WITHDRAWN)
    ]
    gone += [
        (tie.ended_at or tie.at, f"- {tie.id}: {tie_words(document, tie)} [the player's correction]")
        for tie in document.relationships
        if tie.status == "ended" and tie.ended_by == _PLAYER
    ]
    gone.sort(key=lambda each: each[0].depth)
    first_protected = len(gone) - _PROTECTED_WITHDRAWALS
    for number, (at, text) in enumerate(gone):
        yield _Line(WITHDRAWN_HEADING, text, (1, at.depth), is_core=number >= first_protected)


def core_entities(document: Document, focus: Focus) -> set[str]:
    """Who and what is always told: the present, the protagonist, where they are, and what they hold."""
    scene = document.scene
    people = {*scene.present, *([focus.protagonist] if focus.protagonist else [])}
    places = {entity.location for key in people if (entity := document.entities.get(key)) and entity.location}
    held = {item for item, owner in document.possessions.items() if owner in people}
    wanted = people | places | held | ({scene.location} if scene.location else set())
    return wanted & _there(document)


def _there(document: Document) -> set[str]:
    """The keys that may be told: of what is there, and was not withdrawn."""
    return {key for key, entity in document.entities.items() if not is_status(entity.status, WITHDRAWN)}


def _named_in(document: Document, text: str) -> set[str]:
    told = folded_text(text)
    return {
        key
        for key, entity in document.entities.items()
        if any(folded_name(name) in told for name in (entity.name, *entity.aliases))
    }


def _at_the_scene(document: Document) -> set[str]:
    place = document.scene.location
    significant = set(document.scene.significant)
    return significant | {
        key for key, entity in document.entities.items() if place and entity.location == place
    }


def _rank_fact(fact: Fact, core: set[str], touched: set[str]) -> tuple[int, int]:
    named = {fact.subject, fact.object}
    nearness = 3 if fact.authority == _PLAYER else 2 if named & core else 1 if named & touched else 0
    return nearness, fact.at.depth


def _scene_line(document: Document) -> str:
    scene, there = document.scene, _there(document)
    parts = [scene.summary] if scene.summary else []
    if scene.location and scene.location in there:
        parts.append(f"place {_named(document, scene.location)}")
    parts += [f"{name} {value}" for name, value in (("time", scene.time), ("mood", scene.mood)) if value]
    if scene.environment:
        parts.append(f"around {scene.environment}")
    for name, named in (("present", scene.present), ("of note", scene.significant)):
        if keys := [key for key in named if key in there]:
            parts.append(f"{name} {', '.join(_named(document, key) for key in keys)}")
    for name, labels in (
        ("going on", scene.actions),
        ("to be seen", scene.visual_notes),
        ("bear in mind", scene.continuity_notes),
    ):
        if labels:
            parts.append(f"{name} {', '.join(labels)}")
    return f"Scene: {'; '.join(parts)}" if parts else ""


def _named(document: Document, key: str) -> str:
    return f"{document.entities[key].name} ({key})"


def _entity_line(document: Document, key: str, entity: Entity, there: set[str]) -> str:
    parts = [f"- {key}: {entity.name}, {entity.type}"]
    holder = document.possessions.get(key)
    if holder in there:
        parts.append(f"held by {holder}")
    elif entity.location in there:
        parts.append(f"at {entity.location}")
    if not is_status(entity.status, "active"):
        parts.append(entity.status)
    if entity.conditions:
        parts.append(", ".join(entity.conditions))
    parts += [f"{label_words(name)} {value_words(value)}" for name, value in entity.attributes.items()]
    line = "; ".join(parts)
    return f"{line} ({entity.description})" if entity.description else line


def _fact_line(document: Document, fact: Fact) -> str:
    mark = " [the player's correction]" if fact.authority == _PLAYER else ""
    mark += " [disputed]" if fact.status == "disputed" else ""
    return f"- {fact.id}: {fact_words(document, fact)}{mark}"


def _withdrawn_line(document: Document, fact: Fact) -> str:
    reason = f" ({fact.invalidated_reason})" if fact.invalidated_reason else ""
    mark = " [the player's correction]" if fact.invalidated_by == _PLAYER else ""
    return f"- {fact.id}: {fact_words(document, fact)}{reason}{mark}"


def _tie_text(kind: str, description: str) -> str:
    return f"{label_words(kind)} ({description})" if description else label_words(kind)
