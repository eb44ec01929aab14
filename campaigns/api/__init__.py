"""The story over HTTP. Each operation asks for the caller's campaign, calls one service or selector, and
shows what came of it."""

from ninja import Router

from campaigns.api import branches, campaigns, save_points, story, turns

router = Router()
for _group in (campaigns, story, turns, branches, save_points):
    router.add_router("", _group.router)

__all__ = ["router"]
