"""What OpenAPI says of refusals. Which of them an operation knows follows from its form, so that none is
forgotten; those of the narrator are declared where a turn is told."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from storyteller.problem_documents import MEDIA_TYPE

_PROBLEM = {"content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemOut"}}}}


def describe_problems(paths: dict[str, Any]) -> None:
    """Add to each operation of a schema's ``paths`` the refusals that it may answer with."""
    for path, operations in paths.items():
        for method, operation in operations.items():
            answers = operation["responses"]
            declared = [status for status in answers if status >= HTTPStatus.BAD_REQUEST]
            for status in sorted({*declared, *_refusals(path, method, operation)}):
                answers[status] = {"description": HTTPStatus(status).phrase, **_PROBLEM}


def _refusals(path: str, method: str, operation: dict[str, Any]) -> Iterator[HTTPStatus]:
    is_change, is_about_something = method != "get", "{" in path
    has_query = any(parameter["in"] == "query" for parameter in operation["parameters"])
    if "security" in operation:
        yield HTTPStatus.UNAUTHORIZED
        if is_change:  # a session without its CSRF token
            yield HTTPStatus.FORBIDDEN
    if "requestBody" in operation:
        yield HTTPStatus.BAD_REQUEST
        yield HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    if is_about_something:
        yield HTTPStatus.NOT_FOUND
        if is_change:  # a turn is being told there, or the head is somewhere else
            yield HTTPStatus.CONFLICT
    if is_change or has_query:
        yield HTTPStatus.UNPROCESSABLE_ENTITY
