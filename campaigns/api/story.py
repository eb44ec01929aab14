"""The story being read, and moving the head through it."""

from typing import Annotated

from django.http import HttpRequest
from ninja import Query, Router

from campaigns.api.caller import Id, own_campaign
from campaigns.api.paging import Limit
from campaigns.schemas.story import GotoIn, StepsIn, StoryOut, story_out
from campaigns.selectors import WINDOW, read_story
from campaigns.services import head

router = Router(tags=["story"])

_ONE_STEP = StepsIn()


@router.get("/campaigns/{campaign_id}/story", response=StoryOut)
def story_read(
    request: HttpRequest,
    campaign_id: Id,
    before: Annotated[int | None, Query(ge=0)] = None,
    limit: Limit = WINDOW,
) -> StoryOut:
    """The newest turns on the path to the head, or those before a depth."""
    return story_out(read_story(own_campaign(request, campaign_id), before=before, limit=limit))


@router.post("/campaigns/{campaign_id}/undo", response=StoryOut)
def story_undo(request: HttpRequest, campaign_id: Id, payload: StepsIn = _ONE_STEP) -> StoryOut:
    """Step up the path. Nothing is deleted, and at the opening nothing changes."""
    head.undo(campaign_id=own_campaign(request, campaign_id).pk, steps=payload.steps)
    return story_now(request, campaign_id)


@router.post("/campaigns/{campaign_id}/redo", response=StoryOut)
def story_redo(request: HttpRequest, campaign_id: Id, payload: StepsIn = _ONE_STEP) -> StoryOut:
    """Step down the turns that are retained on the active branch."""
    head.redo(campaign_id=own_campaign(request, campaign_id).pk, steps=payload.steps)
    return story_now(request, campaign_id)


@router.post("/campaigns/{campaign_id}/goto", response=StoryOut)
def story_goto(request: HttpRequest, campaign_id: Id, payload: GotoIn) -> StoryOut:
    """Read the story at a position. The active branch stays where the position is on its path."""
    campaign = own_campaign(request, campaign_id)
    head.go_to(campaign_id=campaign.pk, branch_id=payload.branch, depth=payload.depth)
    return story_now(request, campaign_id)


def story_now(request: HttpRequest, campaign_id: int) -> StoryOut:
    """The story as it is to be read after the head has moved."""
    return story_out(read_story(own_campaign(request, campaign_id)))
