"""Choosing another take of a turn."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from campaigns.notices import Undo, give_notice
from campaigns.selectors import get_turn
from campaigns.services import writing
from campaigns.views.answers import answers_errors, back_to_story, own_campaign
from campaigns.views.way_back import undo_move

_ON_A_BRANCH = "The story goes on from this take, on a branch of its own. What followed stays on the old one."


@require_POST
@answers_errors
def select(request: HttpRequest, campaign_id: int, turn_id: int, take_id: int) -> HttpResponse:
    campaign = own_campaign(request, campaign_id)
    told = get_turn(campaign_id=campaign.pk, turn_id=turn_id).live_take_id
    turn = writing.select_take(campaign_id=campaign.pk, turn_id=turn_id, take_id=take_id)
    if turn.pk != turn_id:
        give_notice(request, _ON_A_BRANCH, undo=undo_move(campaign, campaign.head))
    elif told != take_id:
        undo = Undo(reverse("select-take", args=[campaign.pk, turn_id, told]))
        give_notice(request, f"Turn {turn.depth} is told this way now.", undo=undo)
    return back_to_story(request, campaign_id)
