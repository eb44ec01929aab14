"""JSON as small models write it: forgiven in how it is written, never in what it means. Pure.

A comma before a closing bracket, ``+5``, a line break inside a text, a code fence around the whole and what
was left lying after the value are forgiven. Nothing else is: no quotation mark is added, no bracket closed.
"""

import json
import re
from enum import Enum
from typing import Final


class Unparseable(Enum):
    UNPARSEABLE = "unparseable"


UNPARSEABLE: Final = Unparseable.UNPARSEABLE

_DECODER = json.JSONDecoder(strict=False)
_OPENING_FENCE = re.compile(r"\s*+(?:`{3,}|~{3,})[ \t]?(?:(?ai:json|state)(?![\w.\-]):?)?")
# A text is passed over whole, so that nothing inside it is touched; one that never ends lasts to the end.
_MENDED = re.compile(
    r'(?P<text>"[^"\\]*+(?:\\.[^"\\]*+)*+"?)|,(?=\s*+[}\]])|(?<![\w.+\-])\+(?=\d)', re.DOTALL
)
# What may not be left lying after the value: it would be a second one.
_SECOND_VALUE = re.compile(r'[{\["]')


def parse_lenient(text: str) -> object:
    """The JSON value in ``text``, or ``UNPARSEABLE``. Raises nothing, whatever the text."""
    inside = _without_fence(text)
    try:
        return _DECODER.decode(inside)
    except (ValueError, RecursionError):
        pass
    try:
        return _parse_mended(_MENDED.sub(lambda found: found["text"] or "", inside).lstrip())
    except (ValueError, RecursionError):
        return UNPARSEABLE


def _without_fence(text: str) -> str:
    opening = _OPENING_FENCE.match(text)
    if not opening:
        return text
    inside = text[opening.end() :].rstrip()
    return inside.rstrip(inside[-1]) if inside.endswith(("```", "~~~")) else inside


def _parse_mended(text: str) -> object:
    value: object
    value, end = _DECODER.raw_decode(text)
    rest = text[end:]
    is_clear = isinstance(value, dict | list) and not _SECOND_VALUE.search(rest)
    return value if is_clear or not rest.strip() else UNPARSEABLE
