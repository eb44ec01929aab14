"""The one table: an app's error -> the status, code and members of its problem document."""

import logging
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from campaigns import errors as story
from campaigns.schemas import request_out
from narrative.errors import (
    ContextOverflowError,
    EndpointRefusedError,
    EventRefusedError,
    NarrativeError,
    TurnFailedError,
)
from narrative.inference.base import InferenceError
from narrative.live import STORAGE_DETAIL, STORAGE_FAILED
from narrative.schemas.state import refused_out
from storyteller.problem_documents import plain_problem, problem

_log = logging.getLogger(__name__)

STATUS: dict[type[Exception], int] = {
    story.NotFoundError: 404,
    story.InvalidError: 422,
    story.TurnInFlightError: 409,
    story.HeadMovedError: 409,
    story.NothingRunningError: 409,
    story.RequestFailedError: 409,
    story.StoppedError: 409,
    story.BranchInUseError: 409,
    story.SavePointInBranchError: 409,
    ContextOverflowError: 422,
    EndpointRefusedError: 422,
    EventRefusedError: 422,
}
# A turn that failed keeps why, as a code, on its request.
_STATUS_OF_FAILURE = {ContextOverflowError.code: 422, story.HeadMovedError.code: 409}
_INFERENCE = "inference_"


def install(api: NinjaAPI) -> None:
    """Answer every anticipated error with its problem document. Anything else is a bug, and rises."""
    api.add_exception_handler(story.StoryError, _story_problem)
    api.add_exception_handler(NarrativeError, _story_problem)
    api.add_exception_handler(TurnFailedError, _failed_turn_problem)
    api.add_exception_handler(InferenceError, _inference_problem)
    api.add_exception_handler(ValidationError, _validation_problem)
    api.add_exception_handler(HttpError, _http_problem)
    api.add_exception_handler(DatabaseError, _storage_problem)
    api.add_exception_handler(RequestDataTooBig, lambda request, error: plain_problem(413))


def _story_problem(request: HttpRequest, error: Any) -> HttpResponse:
    members: dict[str, object] = {}
    if isinstance(error, story.InvalidError) and error.field is not None:
        members["errors"] = [{"field": error.field, "detail": error.message}]
    if isinstance(error, EndpointRefusedError):
        members["errors"] = [{"field": error.field, "detail": error.message}]
    if isinstance(error, EventRefusedError):
        members["errors"] = [{"field": each.layer, "detail": each.detail} for each in error.refused]
        members["rejected"] = [refused_out(each).model_dump(mode="json") for each in error.refused]
    if isinstance(error, story.HeadMovedError):
        members |= {"branch": error.branch_id, "depth": error.depth}
    return problem(STATUS[type(error)], code=error.code, detail=error.message, **members)


def _failed_turn_problem(request: HttpRequest, error: Any) -> HttpResponse:
    failed = error.request
    status = 502 if failed.code.startswith(_INFERENCE) else _STATUS_OF_FAILURE.get(failed.code, 503)
    return problem(
        status,
        code=failed.code,
        detail=error.message,
        request=request_out(failed).model_dump(mode="json"),
    )


def _inference_problem(request: HttpRequest, error: Any) -> HttpResponse:
    """A model was asked for something other than a turn, so that no request keeps what became of it."""
    return problem(502, code=f"{_INFERENCE}{error.code}", detail=error.message)


def _storage_problem(request: HttpRequest, error: Any) -> HttpResponse:
    _log.error("The database could not serve %s %s: %s", request.method, request.path, error)
    return problem(503, code=STORAGE_FAILED, detail=STORAGE_DETAIL)


def _http_problem(request: HttpRequest, error: Any) -> HttpResponse:
    return plain_problem(error.status_code)


def _validation_problem(request: HttpRequest, error: Any) -> HttpResponse:
    """422 with a sentence for each field; an id in the address that cannot be one is merely not found."""
    if any(item["loc"][0] == "path" for item in error.errors):
        return plain_problem(404)
    faults = [{"field": _field_of(item["loc"]), "detail": _sentence(item)} for item in error.errors]
    return problem(422, code="invalid", detail=faults[0]["detail"], errors=faults)


def _field_of(location: tuple[str | int, ...]) -> str:
    # The first part is the source; in a body the second is our name for the whole of it.
    source, *parts = location
    named = parts[1:] if source == "body" else parts
    return ".".join(str(part) for part in named) or str(source)


def _sentence(item: dict[str, Any]) -> str:
    field = _field_of(item["loc"])
    match item["type"]:
        case "missing":
            return f"“{field}” is missing."
        case "extra_forbidden":
            return f"“{field}” is not known here."
        case "value_error":
            return f"“{field}”: {item['ctx']['error']}"
    return f"“{field}”: {item['msg']}."
