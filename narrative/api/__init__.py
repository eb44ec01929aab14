"""What needs the narrator, over HTTP."""

from ninja import Router

from narrative.api import check, openings, settings, state, turns

router = Router()
for _group in (turns, state, openings, settings, check):
    router.add_router("", _group.router)

__all__ = ["router"]
