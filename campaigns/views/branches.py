"""Opening, naming and deleting branches. The list of them is a panel of the play page."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from campaigns.errors import StoryError
from campaigns.services.branches import update_branch
from campaigns.services.deletion import delete_branch
from campaigns.services.head import activate_branch, require_branch
from campaigns.views.answers import answers_errors, back_to_story, form_again, own_campaign
from campaigns.views.way_back import offer_old_name, offer_way_back


@require_POST
@answers_errors
def activate(request: HttpRequest, campaign_id: int, branch_id: int) -> HttpResponse:
    campaign = own_campaign(request, campaign_id)
    activate_branch(campaign_id=campaign.pk, branch_id=branch_id)
    offer_way_back(request, campaign)
    return back_to_story(request, campaign_id)


@require_POST
@answers_errors
def rename(request: HttpRequest, campaign_id: int, branch_id: int) -> HttpResponse:
    campaign = own_campaign(request, campaign_id)
    name = request.POST.get("name", "")
    old = require_branch(campaign, branch_id).name
    try:
        branch = update_branch(campaign_id=campaign.pk, branch_id=branch_id, name=name)
    except StoryError as error:
        context = {"campaign": campaign, "branch": require_branch(campaign, branch_id), "name": name}
        return form_again(request, "campaigns/branch.html", context, error)
    offer_old_name(request, request.path, old=old, new=branch.name)
    return back_to_story(request, campaign_id)


@require_POST
@answers_errors
def keep(request: HttpRequest, campaign_id: int, branch_id: int) -> HttpResponse:
    """Keep a branch from being tidied away, or not any more."""
    is_kept = request.POST.get("kept") == "1"
    update_branch(campaign_id=own_campaign(request, campaign_id).pk, branch_id=branch_id, is_kept=is_kept)
    return back_to_story(request, campaign_id)


@require_POST
@answers_errors
def delete(request: HttpRequest, campaign_id: int, branch_id: int) -> HttpResponse:
    delete_branch(campaign_id=own_campaign(request, campaign_id).pk, branch_id=branch_id)
    messages.success(request, "The branch has been deleted.")
    return back_to_story(request, campaign_id)
