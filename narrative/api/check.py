"""Checking the narrator over HTTP."""

from contextlib import aclosing

from django.http import HttpRequest
from ninja import Router

from narrative.api.staff import require_staff
from narrative.checkup import run_checkup, worst_status
from narrative.database import in_database
from narrative.engine import read_engine
from narrative.schemas.engine import CheckupOut, check_line_out

router = Router()


@router.post("/settings/check", response=CheckupOut, tags=["settings"])
async def settings_check(request: HttpRequest) -> CheckupOut:
    """Check the narrator as it is set up: server, model, window, a sentence, an answer in a given form. May
    take minutes where the model has to be loaded; closing the connection ends it. Staff only."""
    require_staff(request)
    engine = await in_database(read_engine)()
    async with aclosing(run_checkup(engine)) as running:
        lines = [line async for line in running]
    return CheckupOut(items=[check_line_out(line) for line in lines], status=worst_status(lines))
