"""How what the state holds is said in words: names instead of keys. Pure."""

from typing import Any

from narrative.state.document import Document, Fact, Relationship, Value
from narrative.state.keys import folded_label

_LONGEST = 160


def name_of(document: Document, key: str | None) -> str:
    """An entity's name; a key that nothing bears stands for itself."""
    if key is None:
        return ""
    entity = document.entities.get(key)
    return entity.name if entity else key


def names_of(document: Document, keys: list[str]) -> str:
    return ", ".join(name_of(document, key) for key in keys)


def value_words(value: Value | Any) -> str:
    """A value as a person reads it."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(str(each) for each in value) or "none"
    return str(value)


def label_words(label: str) -> str:
    return label.replace("_", " ").strip()


def fact_words(document: Document, fact: Fact) -> str:
    """A fact as a sentence without its full stop."""
    return " ".join(_fact_parts(document, fact.subject, fact.predicate, fact.object, fact.value, deep=True))


def said_words(
    document: Document, subject: str | None, predicate: str, object_: str | None, value: Value
) -> str:
    """What an event says of a fact."""
    return " ".join(_fact_parts(document, subject, predicate, object_, value, deep=True))


def _fact_parts(
    document: Document, subject: str | None, predicate: str, object_: str | None, value: Value, *, deep: bool
) -> list[str]:
    said = [] if subject is None else [name_of(document, subject)]
    has_more = object_ is not None or value is not None
    said.append(label_words(predicate) + (":" if subject is None and has_more else ""))
    if object_ is not None:
        known = document.fact(object_) if object_ not in document.entities else None
        if known is None:
            said.append(name_of(document, object_))
        elif deep:
            inner = _fact_parts(
                document, known.subject, known.predicate, known.object, known.value, deep=False
            )
            said.append(f"that {' '.join(inner)}")
        else:
            said.append(object_)
    if value is not None:
        said.append(value_words(value))
    return said


def tie_words(document: Document, tie: Relationship) -> str:
    said = f"{name_of(document, tie.source)} {label_words(tie.type)} {name_of(document, tie.target)}"
    return f"{said} ({tie.description})" if tie.description else said


def is_status(status: str, wanted: str) -> bool:
    return folded_label(status) == wanted


def shortened(text: str, limit: int = _LONGEST) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
