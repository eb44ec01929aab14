"""Changes of status that the canon forbids, as a person writes them: ``dead -> alive for Mara``. Pure."""

import re
from collections.abc import Mapping
from typing import Any

_LINE = re.compile(r"(?P<old>.*?)\s*(?:->|→|=>)\s*(?P<new>.*?)(?:\s+for\s+(?P<entity>\S.*))?", re.IGNORECASE)
_EXAMPLE = "Write it as: dead -> alive, or: dead -> alive for Mara."


class LineError(ValueError):
    """A line that does not say what may not become what."""


def read_changes(text: str) -> list[dict[str, str]]:
    """The changes that the lines forbid, in the shape the canon keeps. Raises LineError with the line."""
    lines = enumerate(text.splitlines(), start=1)
    return [_read_line(number, line.strip()) for number, line in lines if line.strip()]


def write_changes(changes: Any) -> str:
    """The lines for what a canon holds. What another program keeps there in another shape has no line."""
    kept = changes if isinstance(changes, list) else []
    return "\n".join(_write_line(change) for change in kept if isinstance(change, Mapping))


def _read_line(number: int, line: str) -> dict[str, str]:
    match = _LINE.fullmatch(line)
    if match is None:
        raise LineError(f"Line {number}, “{line}”, has no arrow. {_EXAMPLE}")
    old, new, entity = (match["old"].strip(), match["new"].strip(), (match["entity"] or "").strip())
    if not old or not new or "->" in new:
        raise LineError(f"Line {number}, “{line}”, needs one status on each side of the arrow. {_EXAMPLE}")
    if old.casefold() == new.casefold():
        raise LineError(f"Line {number}, “{line}”, forbids no change: both sides are the same.")
    return {"from": old, "to": new} | ({"entity": entity} if entity else {})


def _write_line(change: Mapping[str, Any]) -> str:
    line = f"{change.get('from', '')} -> {change.get('to', '')}"
    return f"{line} for {change['entity']}" if change.get("entity") else line
