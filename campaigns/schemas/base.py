"""What all shapes have in common."""

import json
from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer, WithJsonSchema

from campaigns.texts import clean_text

_JSON_BYTES = 64 * 1024
_JSON_LEVELS = 20

_Item = TypeVar("_Item")


class Input(BaseModel):
    """What is sent in. An unknown key is refused, and no type is guessed: “3” is no number."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Page(BaseModel, Generic[_Item]):
    """A part of a list. ``next`` is the address of the part that follows, or null."""

    items: list[_Item]
    next: str | None


def _written(time: datetime) -> str:
    return time.isoformat().replace("+00:00", "Z")


def require_bounded(value: Any) -> Any:
    """The same JSON value, if it can be stored and is not unreasonably large. Raises ValueError."""
    if not _is_shallow(value, _JSON_LEVELS):
        raise ValueError(f"It may be nested at most {_JSON_LEVELS} levels deep.")
    try:
        size = len(json.dumps(value, allow_nan=False))
    except ValueError as error:
        raise ValueError("It holds a number that JSON has no word for.") from error
    if size > _JSON_BYTES:
        raise ValueError(f"It may take at most {_JSON_BYTES:,} bytes as JSON; this takes {size:,}.")
    return value


def _is_shallow(value: Any, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return True
    parts = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_shallow(part, levels - 1) for part in parts)


# Written in one way whoever serialises it, so that a turn is the same text on every surface.
Time = Annotated[
    datetime,
    PlainSerializer(_written, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
CleanText = Annotated[str, AfterValidator(clean_text)]
JsonObject = Annotated[dict[str, Any], AfterValidator(require_bounded)]
