"""What all shapes have in common."""

from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer, WithJsonSchema

from campaigns.json_values import require_bounded
from campaigns.texts import clean_text

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


# Written in one way whoever serialises it, so that a turn is the same text on every surface.
Time = Annotated[
    datetime,
    PlainSerializer(_written, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
CleanText = Annotated[str, AfterValidator(clean_text)]
JsonObject = Annotated[dict[str, Any], AfterValidator(require_bounded)]
