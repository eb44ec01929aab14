"""What a model is told of the state and how to answer with events. Pure."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from narrative.state.canon import Canon
from narrative.state.document import Document
from narrative.state.extraction import REMINDER
from narrative.state.render import Focus, core_entities
from narrative.state.vocabulary import Choices, short_vocabulary, vocabulary

_TEXTS = Path(__file__).parent / "texts"
_MOST_REFUSALS = 6
_REFUSED = "[Of the changes proposed last, these were refused. Do not repeat them as they are:"
# Keys that a model may choose from: so many of each kind.
_MOST_ENTITIES = 60
_MOST_FACTS = 30
_MOST_THREADS = 12


def state_rule() -> str:
    """The protocol of the block way, with the vocabulary."""
    return (_TEXTS / "state_rule.txt").read_text().strip().replace("{vocabulary}", vocabulary())


def state_reminder() -> str:
    return REMINDER


def refusals_text(refused: Sequence[Mapping[str, Any]]) -> str:
    """What was refused of the last proposal, as a correction of a few lines; empty where nothing was."""
    if not refused:
        return ""
    lines = [f"- {_type_of(each.get('event'))}: {each.get('detail', '')}" for each in refused]
    if len(lines) > _MOST_REFUSALS - 1:
        left = len(lines) - (_MOST_REFUSALS - 2)
        lines = [*lines[: _MOST_REFUSALS - 2], f"- and {left} more of the kind."]
    return "\n".join([_REFUSED, *lines[:-1], f"{lines[-1]}]"])


def extraction_text(refused: Sequence[Mapping[str, Any]]) -> str:
    """The instruction of the call that lists what a narration changed."""
    text = (_TEXTS / "extraction.txt").read_text().strip().replace("{vocabulary}", short_vocabulary())
    correction = refusals_text(refused)
    return f"{text}\n{correction}" if correction else text


def canon_lines(canon: Canon) -> list[str]:
    """Everything the player laid down, in words, what the game cannot read as a rule included."""
    return [
        *canon.rules,
        *(rule.words for rule in canon.forbidden),
        *(rule.words for rule in canon.locked_facts),
        *(rule.words for rule in canon.locked_attributes),
        *(f"There is one “{predicate}” at a time." for predicate in canon.single_valued),
        *(f"{name.replace('_', ' ')}: {written}" for name, written in canon.unread),
    ]


def choices_of(document: Document, focus: Focus) -> Choices:
    """The keys that a model may answer with: those of the scene first, then the newest."""
    core = core_entities(document, focus)
    entities = document.entities
    by_age = sorted(entities, key=lambda key: (key not in core, -entities[key].at.depth, key))
    facts = [fact.id for fact in document.facts if fact.status in ("active", "disputed")]
    threads = [key for key, thread in document.threads.items() if thread.status in ("open", "dormant")]
    return Choices(
        entities=tuple(by_age[:_MOST_ENTITIES]),
        facts=tuple(facts[-_MOST_FACTS:]),
        threads=tuple(threads[-_MOST_THREADS:]),
    )


def _type_of(event: object) -> str:
    name = event.get("type") if isinstance(event, dict) else None
    return name[:40] if isinstance(name, str) else "an event"
