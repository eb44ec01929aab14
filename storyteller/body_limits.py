"""How large a request's body may be, by its path, how long it may take to come, and what is said if it is not
so. Enforced before a byte is stored (storyteller/bounded_requests.py)."""

import re
from dataclasses import dataclass

from django.http import HttpResponse

from storyteller.problem_documents import PREFIX, problem

MIB = 2**20
# Time for the slowest line that is waited for, and for the connection to come up to speed.
_SLOWEST_BYTES_A_SECOND = 64 * 1024
_SECONDS_TO_BEGIN = 30

# A refusal comes from in front of the application, so that its middleware does not add these.
_HEADERS = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'"}


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """The bytes that are accepted as one body, and the seconds within which they have to arrive."""

    size: int

    @property
    def seconds(self) -> int:
        return _SECONDS_TO_BEGIN + self.size // _SLOWEST_BYTES_A_SECOND


ORDINARY = BodyLimit(2 * MIB)
# What is larger, by a pattern of the path as it was sent; the first that matches counts. A path that is spelt
# in a roundabout way matches none, and is held to the ordinary limit.
_LARGER: tuple[tuple[re.Pattern[bytes], BodyLimit], ...] = (
    # A source of 1 MiB, and the form around it.
    (re.compile(rb"(?:/api/v1)?/campaigns/\d+/knowledge(?:/|$)"), BodyLimit(3 * MIB)),
)


def limit_for(target: bytes) -> BodyLimit:
    """The limit of a request target, which is a path with or without a query."""
    path = target.partition(b"?")[0]
    return next((limit for pattern, limit in _LARGER if pattern.match(path)), ORDINARY)


def too_large(target: bytes) -> HttpResponse:
    size = limit_for(target).size // MIB
    return _refusal(
        target, 413, "too_large", f"The request is larger than the {size} MiB that are accepted here."
    )


def too_slow(target: bytes) -> HttpResponse:
    seconds = limit_for(target).seconds
    return _refusal(
        target, 408, "too_slow", f"The request did not arrive within {seconds} seconds. Send it again."
    )


def _refusal(target: bytes, status: int, code: str, detail: str) -> HttpResponse:
    if target.startswith(PREFIX.encode()):
        response = problem(status, code=code, detail=detail)
    else:
        response = HttpResponse(f"{detail}\n", status=status, content_type="text/plain; charset=utf-8")
    for name, value in _HEADERS.items():
        response[name] = value
    return response
