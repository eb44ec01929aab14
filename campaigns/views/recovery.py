"""What to do with a submission that did not become a turn. Keeping and retrying it are narrative's."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from campaigns.errors import NotFoundError
from campaigns.models import TurnRequest
from campaigns.selectors import get_request
from campaigns.services import requests
from campaigns.views.answers import answers_errors, back_to_story, own_campaign


@require_POST
@answers_errors
def discard(request: HttpRequest, campaign_id: int, request_id: int) -> HttpResponse:
    requests.discard_request(
        campaign_id=campaign_id, request_id=own_request(request, campaign_id, request_id).pk
    )
    return back_to_story(request, campaign_id)


def own_request(request: HttpRequest, campaign_id: int, request_id: int) -> TurnRequest:
    """A submission of this campaign of the user's."""
    own_campaign(request, campaign_id)
    submission = get_request(owner_id=request.user.pk, request_id=request_id)
    if submission.campaign_id != campaign_id:
        raise NotFoundError("There is no such request in this campaign.")
    return submission
