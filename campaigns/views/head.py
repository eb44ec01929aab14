"""Moving the head: Undo, Redo, Go to."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from campaigns.services import head
from campaigns.views.answers import answers_errors, back_to_story, own_campaign


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
    head.go_to(campaign_id=own_campaign(request, campaign_id).pk, branch_id=branch_id, depth=depth)
    return back_to_story(request, campaign_id)
