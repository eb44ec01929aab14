"""Single turns: their takes, and their words."""

from django.http import HttpRequest
from ninja import Router

from campaigns.api.caller import Id, own_campaign
from campaigns.positions import is_on_path
from campaigns.schemas.story import TurnOut, TurnWithTakesOut, turn_out
from campaigns.selectors import get_turn, list_takes
from campaigns.services.writing import select_take

router = Router(tags=["turns"])


@router.get("/campaigns/{campaign_id}/turns/{turn_id}", response=TurnWithTakesOut)
def turn_read(request: HttpRequest, campaign_id: Id, turn_id: Id) -> TurnOut:
    """A turn of any line, with all of its takes."""
    campaign = own_campaign(request, campaign_id)
    turn = get_turn(campaign_id=campaign.pk, turn_id=turn_id)
    return turn_out(turn, on_path=is_on_path(campaign, turn), takes=list_takes(turn))


@router.post("/campaigns/{campaign_id}/turns/{turn_id}/takes/{take_id}/select", response=TurnOut)
def take_select(request: HttpRequest, campaign_id: Id, turn_id: Id, take_id: Id) -> TurnOut:
    """Make a take the one that the story tells. Forks where the story went on below the turn."""
    campaign = own_campaign(request, campaign_id)
    turn = select_take(campaign_id=campaign.pk, turn_id=turn_id, take_id=take_id)
    return turn_now(request, campaign_id, turn.pk)


def turn_now(request: HttpRequest, campaign_id: int, turn_id: int) -> TurnOut:
    """A turn as it is after a write, which may have moved the head."""
    campaign = own_campaign(request, campaign_id)
    turn = get_turn(campaign_id=campaign.pk, turn_id=turn_id)
    return turn_out(turn, on_path=is_on_path(campaign, turn))
