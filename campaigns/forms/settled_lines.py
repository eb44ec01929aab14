"""What a canon settles, as a person writes it, one a line: ``Mara: eye colour``, ``origin``. Pure."""

from collections.abc import Mapping
from typing import Any

from campaigns.forms.forbidden_changes import LineError


def read_facts(text: str) -> list[dict[str, str]]:
    """``what`` or ``whom: what``, in the shape the canon keeps its locked facts."""
    return [_fact(line) for _, line in _lines(text)]


def read_attributes(text: str) -> list[dict[str, str]]:
    """``whom: what``, in the shape the canon keeps its locked attributes. Raises LineError with the line."""
    return [_attribute(number, line) for number, line in _lines(text)]


def read_predicates(text: str) -> list[str]:
    return list(dict.fromkeys(line for _, line in _lines(text)))


def write_facts(kept: Any) -> str:
    return _write(kept, "subject", "predicate")


def write_attributes(kept: Any) -> str:
    return _write(kept, "entity", "attribute")


def write_predicates(kept: Any) -> str:
    return "\n".join(each for each in _items(kept) if isinstance(each, str))


def _lines(text: str) -> list[tuple[int, str]]:
    found = enumerate((" ".join(line.split()) for line in text.splitlines()), start=1)
    return [(number, line) for number, line in found if line]


def _fact(line: str) -> dict[str, str]:
    subject, colon, predicate = (part.strip() for part in line.partition(":"))
    if colon and subject and predicate:
        return {"subject": subject, "predicate": predicate}
    return {"predicate": line.strip(": ")}


def _attribute(number: int, line: str) -> dict[str, str]:
    entity, _, attribute = (part.strip() for part in line.partition(":"))
    if not entity or not attribute:
        raise LineError(f"Line {number}, “{line}”, does not say of whom. Write it as: Mara: eye colour.")
    return {"entity": entity, "attribute": attribute}


def _write(kept: Any, whose: str, what: str) -> str:
    """The lines for what a canon holds. What another program keeps there in another shape has no line."""
    rows = [each for each in _items(kept) if isinstance(each, Mapping) and each.get(what)]
    return "\n".join(f"{row[whose]}: {row[what]}" if row.get(whose) else str(row[what]) for row in rows)


def _items(kept: Any) -> list[Any]:
    return kept if isinstance(kept, list) else []
