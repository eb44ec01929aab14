"""Two documents compared: what holds in the one and not in the other. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from narrative.state.document import Document, write_document
from narrative.state.wording import fact_words, name_of, tie_words

# Where something stands and since when is no difference in what holds.
_ASIDE = frozenset(
    {"at", "since", "opened_at", "resolved_at", "ended_at", "invalidated_at", "earlier_statuses"}
)


@dataclass(frozen=True, slots=True)
class Difference:
    """One field of one thing. ``field`` is empty where the whole thing is new or gone."""

    section: str
    key: str
    name: str
    field: str
    before: Any
    after: Any


def compare_states(before: Document, after: Document) -> tuple[Difference, ...]:
    """Differences from ``before`` to ``after``, section by section, by key."""
    one, other = write_document(before), write_document(after)
    return tuple(
        difference
        for section in ("scene", "entities", "possessions", "facts", "relationships", "threads")
        for difference in _compare_section(
            section, _keyed(section, one[section]), _keyed(section, other[section]), before, after
        )
    )


def _keyed(name: str, section: Any) -> Mapping[str, Any]:
    if isinstance(section, list):
        return {item["id"]: item for item in section}
    if name == "scene":
        return {"scene": section}
    keyed: Mapping[str, Any] = section
    return keyed


def _compare_section(
    section: str, one: Mapping[str, Any], other: Mapping[str, Any], before: Document, after: Document
) -> Iterator[Difference]:
    for key in sorted({*one, *other}):
        here, there = one.get(key), other.get(key)
        if _is_same(here, there):
            continue
        name = _name(section, key, after if there is not None else before)
        if not (isinstance(here, dict) and isinstance(there, dict)):
            yield Difference(section, key, name, "", _plain(here), _plain(there))
            continue
        for field in there:
            if field not in _ASIDE and not _is_same(here.get(field), there[field]):
                yield Difference(section, key, name, field, here.get(field), there[field])


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values are written the same: yes is not 1."""
    return bool(one == other) and json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: part for name, part in value.items() if name not in _ASIDE}
    return value


def _name(section: str, key: str, document: Document) -> str:
    if section in ("entities", "possessions"):
        return name_of(document, key)
    if section == "facts" and (fact := document.fact(key)):
        return fact_words(document, fact)
    if section == "relationships":
        return next((tie_words(document, tie) for tie in document.relationships if tie.id == key), key)
    if section == "threads" and key in document.threads:
        return document.threads[key].title
    return "Scene" if section == "scene" else key
