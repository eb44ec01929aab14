"""The check page: what is looked at, a button, and what was found.

With the page's script the lines come one by one, as server-sent events of the same POST. Either way, whoever
leaves the page ends the check.
"""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import asdict

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from narrative.checkup import CheckLine, Status, plan_checkup, run_checkup, worst_status
from narrative.database import in_database
from narrative.engine import EngineSettings, read_engine

_EVENTS = "text/event-stream"
_PAGE = "narrative/check.html"
_NUMBERS = {2: "Two", 3: "Three", 4: "Four", 5: "Five"}


@require_http_methods(["GET", "HEAD", "POST"])
async def check(request: HttpRequest) -> HttpResponseBase:
    """What will be looked at, or what was found. Staff only."""
    user = await request.auser()
    if not user.is_staff:
        raise PermissionDenied
    engine = await in_database(read_engine)()
    if request.method != "POST":
        return await _page(request, {"lines": plan_checkup(engine)})
    if request.get_preferred_type(["text/html", _EVENTS]) == _EVENTS:
        return StreamingHttpResponse(
            _events(engine), content_type=_EVENTS, headers={"Cache-Control": "no-cache"}
        )
    async with aclosing(run_checkup(engine)) as running:
        lines = [line async for line in running]
    return await _page(request, {"lines": lines, **_conclusion(lines)})


async def _page(request: HttpRequest, context: dict[str, object]) -> HttpResponse:
    return await in_database(render)(request, _PAGE, context)


async def _events(engine: EngineSettings) -> AsyncGenerator[str, None]:
    yield _event("plan", {"lines": [asdict(line) for line in plan_checkup(engine)]})
    lines: list[CheckLine] = []
    async with aclosing(run_checkup(engine)) as running:
        async for line in running:
            lines.append(line)
            yield _event("line", asdict(line))
    yield _event("end", _conclusion(lines))


def _event(name: str, data: dict[str, object]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


def _conclusion(lines: Sequence[CheckLine]) -> dict[str, object]:
    return {"status": worst_status(lines), "summary": _summary(lines)}


def _summary(lines: Sequence[CheckLine]) -> str:
    """What the lines come to, as the one sentence that is read out."""
    failed = sum(line.status == Status.FAILED for line in lines)
    warned = sum(line.status == Status.WARNING for line in lines)
    if failed:
        return f"{_things(failed)} in the way of the narrator. What to do stands below."
    if warned:
        return f"The narrator works. {_things(warned)} worth knowing, and what to do stands below."
    return "The narrator works."


def _things(count: int) -> str:
    return "One thing is" if count == 1 else f"{_NUMBERS.get(count, count)} things are"
