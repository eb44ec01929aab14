"""What the narrator was told, and what it would be told now."""

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Query, Router

from campaigns.api.caller import Id, own_campaign
from narrative.prompt_lookup import dry_run, find_take, record_of_take
from narrative.schemas.prompt import PromptRecordOut

router = Router(tags=["prompt"])

_Take = Annotated[int | None, Query(ge=0, le=2**63 - 1)]


@router.get("/campaigns/{campaign_id}/prompt", response=PromptRecordOut, by_alias=True)
def prompt_ahead(
    request: HttpRequest, campaign_id: Id, mode: str = "action", text: str = ""
) -> dict[str, Any]:
    """The prompt that a turn with this input would be told with now. Nothing is sent and nothing stored."""
    return dry_run(own_campaign(request, campaign_id), mode=mode, text=text)


@router.get("/campaigns/{campaign_id}/turns/{turn_id}/prompt", response=PromptRecordOut, by_alias=True)
def prompt_of_turn(request: HttpRequest, campaign_id: Id, turn_id: Id, take: _Take = None) -> dict[str, Any]:
    """The prompt that a turn was told with, or one of its other takes."""
    return record_of_take(find_take(own_campaign(request, campaign_id), turn_id=turn_id, take_id=take))
