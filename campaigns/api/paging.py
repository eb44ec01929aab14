"""Lists in parts. Each begins behind the last id of the one before: rows added meanwhile shift nothing."""

from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from django.http import HttpRequest
from ninja import Query
from pydantic import BaseModel

from campaigns.schemas.base import Page

Limit = Annotated[int, Query(ge=1, le=500)]
Cursor = Annotated[int | None, Query(ge=0, le=2**63 - 1, description="The id that the list goes on behind.")]

DEFAULT_LIMIT = 100

_Row = TypeVar("_Row")
_Shown = TypeVar("_Shown", bound=BaseModel)


def page_of(
    request: HttpRequest, rows: Sequence[_Row], *, limit: int, show: Callable[[_Row], _Shown]
) -> Page[_Shown]:
    """The first ``limit`` of the rows, of which one more was read to see whether the list goes on."""
    items = [show(row) for row in rows[:limit]]
    return Page(items=items, next=_address(request, items[-1]) if len(rows) > limit else None)


def _address(request: HttpRequest, last: BaseModel) -> str:
    query = request.GET.copy()
    query["cursor"] = str(dict(last)["id"])
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
