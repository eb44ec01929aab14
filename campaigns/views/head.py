"""Moving the head: Undo, Redo, Go to, and the way back from a move."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from campaigns.path import Position
from campaigns.services import head
from campaigns.services.returning import return_to
from campaigns.views.answers import answers_errors, back_to_story, own_campaign
from campaigns.views.way_back import offer_way_back


@require_POST
@answers_errors
def undo(request: HttpRequest, campaign_id: int) -> HttpResponse:
    head.undo(campaign_id=own_campaign(request, campaign_id).pk)
    return back_to_story(request, campaign_id)


@require_POST
@answers_errors
def redo(request: HttpRequest, campaign_id: int) -> HttpResponse:
    head.redo(campaign_id=own_campaign(request, campaign_id).pk)
    return back_to_story(request, campaign_id)


@require_POST
@answers_errors
def go_to(request: HttpRequest, campaign_id: int, branch_id: int, depth: int) -> HttpResponse:
    campaign = own_campaign(request, campaign_id)
    head.go_to(campaign_id=campaign.pk, branch_id=branch_id, depth=depth)
    offer_way_back(request, campaign)
    return back_to_story(request, campaign_id)


@require_POST
@answers_errors
def go_back(request: HttpRequest, campaign_id: int, branch_id: int, depth: int) -> HttpResponse:
    """Where the story was read before a move: the Undo of its notice."""
    return_to(campaign_id=own_campaign(request, campaign_id).pk, position=Position(branch_id, depth))
    return back_to_story(request, campaign_id)
