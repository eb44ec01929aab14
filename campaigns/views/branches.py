"""Opening, naming and deleting branches. The list of them is a panel of the play page."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from campaigns.errors import StoryError
from campaigns.services.branches import update_branch
from campaigns.services.deletion import delete_branch
from campaigns.services.head import activate_branch, require_branch
from campaigns.views.answers import answers_errors, back_to_story, form_again, own_campaign


@require_POST
@answers_errors
def activate(request: HttpRequest, campaign_id: int, branch_id: int) -> HttpResponse:
    activate_branch(campaign_id=own_campaign(request, campaign_id).pk, branch_id=branch_id)
    return back_to_story(request, campaign_id)


@require_POST
@answers_errors
def rename(request: HttpRequest, campaign_id: int, branch_id: int) -> HttpResponse:
    campaign = own_campaign(request, campaign_id)
    name = request.POST.get("name", "")
    try:
        update_branch(campaign_id=campaign.pk, branch_id=branch_id, name=name)
    except StoryError as error:
        context = {"campaign": campaign, "branch": require_branch(campaign, branch_id), "name": name}
        return form_again(request, "campaigns/branch.html", context, error)
    return back_to_story(request, campaign_id)


@require_POST
@answers_errors
def delete(request: HttpRequest, campaign_id: int, branch_id: int) -> HttpResponse:
    delete_branch(campaign_id=own_campaign(request, campaign_id).pk, branch_id=branch_id)
    messages.success(request, "The branch has been deleted.")
    return back_to_story(request, campaign_id)
