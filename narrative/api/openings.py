"""Openings over HTTP, for whoever makes a campaign from elsewhere."""

from django.http import HttpRequest
from ninja import Router

from campaigns.schemas.problems import ProblemOut
from narrative.openings import narrate_opening
from narrative.schemas.engine import OpeningIn, OpeningOut

router = Router()


@router.post("/openings", response={200: OpeningOut, 502: ProblemOut}, tags=["campaigns"])
async def opening_narrate(request: HttpRequest, payload: OpeningIn) -> OpeningOut:
    """Have the narrator write the opening of such a story. Nothing is stored."""
    profile = payload.profile.model_dump(exclude_none=True)
    text = await narrate_opening(
        profile=profile,
        protagonist_name=payload.protagonist.name or "",
        protagonist_description=payload.protagonist.description or "",
        canon=payload.canon.as_stored(),
    )
    return OpeningOut(text=text)
