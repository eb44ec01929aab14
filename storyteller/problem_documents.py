"""Problem documents (RFC 9457): what every refusal under ``/api/v1/`` looks like, whoever refuses."""

import json
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

_Answer = HttpResponseBase | Awaitable[HttpResponseBase]

MEDIA_TYPE = "application/problem+json"
PREFIX = "/api/v1/"

# Code and detail of the refusals that no error of the apps stands for.
_PLAIN = {
    400: ("malformed", "The request cannot be read: its host or its body is not as it should be."),
    401: ("not_signed_in", "Sign in, or send a valid token as “Authorization: Bearer …”."),
    403: ("forbidden", "This is not allowed. With a session, a change needs the X-CSRFToken header."),
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address knows only the methods that the Allow header names."),
    413: ("too_large", "The request is larger than what is accepted here."),
    500: ("internal", "Something went wrong in the program. The log says more."),
}
_OTHER = ("refused", "The request was refused.")


def problem(status: int, *, code: str, detail: str, **members: object) -> HttpResponse:
    """An answer that is a problem document. ``members`` are those of this kind of problem alone."""
    response = HttpResponse(status=status)
    _write(response, code=code, detail=detail, members=members)
    return response


def plain_problem(status: int) -> HttpResponse:
    """The problem document of a refusal that its status says everything about."""
    code, detail = _PLAIN.get(status, _OTHER)
    response = problem(status, code=code, detail=detail)
    if status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = "Bearer"
    return response


class ProblemDocuments:
    """Outermost middleware: a refusal from anywhere becomes a problem document, its other headers kept."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], _Answer]) -> None:
        self.get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> _Answer:
        answer = self.get_response(request)
        if isinstance(answer, HttpResponseBase):
            return _as_problem(request, answer)
        return _as_problem_later(request, answer)


async def _as_problem_later(request: HttpRequest, answer: Awaitable[HttpResponseBase]) -> HttpResponseBase:
    return _as_problem(request, await answer)


def _as_problem(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    is_refusal = request.path_info.startswith(PREFIX) and response.status_code >= HTTPStatus.BAD_REQUEST
    if is_refusal and isinstance(response, HttpResponse) and response.get("Content-Type") != MEDIA_TYPE:
        code, detail = _PLAIN.get(response.status_code, _OTHER)
        _write(response, code=code, detail=detail, members={})
    return response


def _write(response: HttpResponse, *, code: str, detail: str, members: dict[str, object]) -> None:
    status = HTTPStatus(response.status_code)
    named = {"type": "about:blank", "title": status.phrase, "status": status, "code": code, "detail": detail}
    response.content = json.dumps(named | members).encode()
    response["Content-Type"] = MEDIA_TYPE
    if response.has_header("Content-Length"):
        response["Content-Length"] = str(len(response.content))
