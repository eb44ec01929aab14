"""Differences between two documents as a person reads them: by section, each with both sides. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from narrative.state.diff import Difference
from narrative.state.document import Document
from narrative.state.earlier import fact_status_words, scene_words
from narrative.state.wording import label_words, name_of, names_of, value_words

_TITLES = {
    "scene": "Scene",
    "entities": "Who and what there is",
    "possessions": "Who holds what",
    "facts": "Facts",
    "relationships": "Relationships",
    "threads": "Threads",
}
_FIELDS = {
    "authority": "said by",
    "invalidated_reason": "reason",
    "environment": "surroundings",
    "type": "kind",
}
# What is told by another field, or is nothing to read.
_UNTOLD = frozenset({"source", "invalidated_by", "ended_by", "id"})
_AUTHORITIES = {"manual_correction": "you", "accepted_story": "the story", "campaign_canon": "canon"}
# What a thing is where all of it is new or gone.
_THERE = {
    "entities": ("not there", "there"),
    "facts": ("not established", "established"),
    "relationships": ("not so", "so"),
    "threads": ("not opened", "opened"),
}


@dataclass(frozen=True, slots=True)
class Contrast:
    """One difference: what holds on the one side, and on the other."""

    name: str
    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ContrastGroup:
    title: str
    contrasts: tuple[Contrast, ...]


def contrast_groups(
    differences: Iterable[Difference], before: Document, after: Document
) -> tuple[ContrastGroup, ...]:
    """The differences in words, in the order of the sections, those sections that differ."""
    found: dict[str, list[Contrast]] = {}
    for each in differences:
        if each.field not in _UNTOLD:
            found.setdefault(each.section, []).append(_contrast(each, before, after))
    return tuple(ContrastGroup(_TITLES[section], tuple(rows)) for section, rows in found.items())


def _contrast(each: Difference, before: Document, after: Document) -> Contrast:
    if each.section == "possessions":
        sides = (_holder(before, each.before), _holder(after, each.after))
        return Contrast(each.name, "held by", *sides)
    if not each.field:
        absent, present = _THERE.get(each.section, ("nothing", "something"))
        sides = (
            present if each.before is not None else absent,
            present if each.after is not None else absent,
        )
        return Contrast(each.name, "", *sides)
    field = _FIELDS.get(each.field, label_words(each.field))
    return Contrast(each.name, field, _side(each, before, each.before), _side(each, after, each.after))


def _holder(document: Document, key: Any) -> str:
    return name_of(document, key) if key else "nobody"


def _side(each: Difference, document: Document, value: Any) -> str:
    if each.section == "scene":
        return scene_words(document, each.field, value)
    if each.field == "status" and each.section == "facts":
        return fact_status_words(value)
    if each.field == "authority":
        return _AUTHORITIES.get(value, label_words(str(value)))
    if each.field in ("location", "subject", "object", "target") and isinstance(value, str):
        return name_of(document, value)
    if each.field == "attributes" and isinstance(value, dict):
        return "; ".join(f"{label_words(name)} {value_words(part)}" for name, part in value.items()) or "none"
    if isinstance(value, list):
        return names_of(document, value) or "none"
    return value_words(value) if value not in (None, "") else "nothing"
