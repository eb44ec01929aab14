"""Submissions, as they are shown."""

from pydantic import BaseModel

from campaigns.models import TurnRequest
from campaigns.schemas.base import Time


class TurnRequestOut(BaseModel):
    id: int
    kind: str
    mode: str
    text: str
    status: str
    partial: str
    code: str
    detail: str
    branch: int
    depth: int
    created_at: Time


def request_out(request: TurnRequest) -> TurnRequestOut:
    """Makes no query."""
    return TurnRequestOut(
        id=request.pk,
        kind=request.kind,
        mode=request.mode,
        text=request.text,
        status=request.status,
        partial=request.partial,
        code=request.code,
        detail=request.detail,
        branch=request.branch_id,
        depth=request.depth,
        created_at=request.created_at,
    )
