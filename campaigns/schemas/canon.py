"""The canon of a campaign: five keys with a known shape, and whatever else somebody keeps there."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from campaigns.json_values import require_bounded
from campaigns.schemas.base import Input


def _is_none(value: object) -> bool:
    return value is None


# A name that may be left out is left out on the way back as well.
NameIfAny = Annotated[str | None, Field(exclude_if=_is_none)]


class ForbiddenChange(Input):
    from_: str = Field(alias="from")
    to: str
    entity: NameIfAny = None


class LockedFact(Input):
    subject: NameIfAny = None
    predicate: str


class LockedAttribute(Input):
    entity: str
    attribute: str


class CanonIn(BaseModel):
    """Keys that are not given stay as they are. Keys that are not known are kept."""

    model_config = ConfigDict(extra="allow", strict=True)

    rules: list[str] = []
    forbidden_status_changes: list[ForbiddenChange] = []
    locked_facts: list[LockedFact] = []
    locked_attributes: list[LockedAttribute] = []
    single_valued: list[str] = []

    # The service asks once more, of what the canon becomes with these keys.
    @model_validator(mode="before")
    @classmethod
    def _require_bounded(cls, given: Any) -> Any:
        return require_bounded(given)

    def as_stored(self) -> dict[str, Any]:
        return self.model_dump(by_alias=True, exclude_unset=True)


class CanonOut(BaseModel):
    """The canon with all of its known keys, and the unknown ones that are kept in it."""

    model_config = ConfigDict(extra="allow", json_schema_serialization_defaults_required=True)

    rules: list[str] = []
    forbidden_status_changes: list[ForbiddenChange] = []
    locked_facts: list[LockedFact] = []
    locked_attributes: list[LockedAttribute] = []
    single_valued: list[str] = []
