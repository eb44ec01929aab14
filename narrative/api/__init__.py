"""What needs the narrator, over HTTP."""

from ninja import Router

from narrative.api import check, memories, openings, prompts, settings, state, turns

router = Router()
for _group in (turns, state, prompts, memories, openings, settings, check):
    router.add_router("", _group.router)

__all__ = ["router"]
