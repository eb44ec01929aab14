"""The canon of a campaign: five keys with a known shape, and whatever else somebody keeps there."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from campaigns.schemas.base import Input, require_bounded


class ForbiddenChange(Input):
    from_: str = Field(alias="from")
    to: str
    entity: str | None = None


class LockedFact(Input):
    subject: str | None = None
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

    @model_validator(mode="after")
    def _require_bounded(self) -> Self:
        require_bounded(self.as_stored())
        return self

    def as_stored(self) -> dict[str, Any]:
        return self.model_dump(by_alias=True, exclude_unset=True)


def canon_out(canon: Mapping[str, Any]) -> dict[str, Any]:
    """The canon with all of its known keys."""
    return {name: [] for name in CanonIn.model_fields} | dict(canon)
