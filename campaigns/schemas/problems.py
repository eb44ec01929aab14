"""Problem documents (RFC 9457), as the API documents them."""

from pydantic import BaseModel, ConfigDict

from campaigns.schemas.requests import TurnRequestOut


class FieldFault(BaseModel):
    """A part of what was sent in that cannot be used; `field` is its path, with dots."""

    field: str
    detail: str


class ProblemOut(BaseModel):
    """Why something was refused. `code` is for a program, `detail` for a person.

    `errors` comes with single fields at fault, `branch` and `depth` with `head_moved`, and `request` with a
    turn that failed while it was told: it keeps the words and what had arrived.
    """

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    code: str
    detail: str
    errors: list[FieldFault] | None = None
    branch: int | None = None
    depth: int | None = None
    request: TurnRequestOut | None = None
