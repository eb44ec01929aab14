"""Campaigns as a shelf of books: list, new, archive, delete."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.errors import StoryError
from campaigns.forms import NewCampaignForm
from campaigns.models import Campaign
from campaigns.selectors import list_campaigns
from campaigns.services.campaigns import archive_campaign, create_campaign, unarchive_campaign
from campaigns.services.deletion import delete_campaign
from campaigns.views.answers import answers_errors, form_again, own_campaign


@require_safe
def shelf(request: HttpRequest) -> HttpResponse:
    """Every campaign, the one played last first; the first page where there is none."""
    rows = list_campaigns(owner_id=request.user.pk)
    is_archive = request.GET.get("status") == Campaign.Status.ARCHIVED
    status = Campaign.Status.ARCHIVED if is_archive else Campaign.Status.ACTIVE
    shown = [row for row in rows if row.campaign.status == status]
    shown.sort(key=lambda row: (row.campaign.updated_at, row.campaign.pk), reverse=True)
    context = {
        "lead": None if is_archive else next(iter(shown), None),
        "rows": shown if is_archive else shown[1:],
        "is_archive": is_archive,
        "is_empty": not rows,
    }
    return render(request, "campaigns/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    form = NewCampaignForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and request.user.pk is not None:
        try:
            campaign = create_campaign(owner_id=request.user.pk, new=form.as_new_campaign())
            return redirect("play", campaign.pk)
        except StoryError as error:
            form.blame(error)
            return form_again(request, "campaigns/new.html", {"form": form}, error)
    return render(request, "campaigns/new.html", {"form": form}, status=422 if form.errors else 200)


@require_POST
@answers_errors
def archive(request: HttpRequest, campaign_id: int) -> HttpResponse:
    archive_campaign(campaign_id=own_campaign(request, campaign_id).pk)
    messages.success(request, "Archived. It is under Archived.")
    return redirect("campaigns")


@require_POST
@answers_errors
def unarchive(request: HttpRequest, campaign_id: int) -> HttpResponse:
    unarchive_campaign(campaign_id=own_campaign(request, campaign_id).pk)
    return redirect("campaigns")


@require_http_methods(["GET", "HEAD", "POST"])
@answers_errors
def delete(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Says what goes, and asks for the title."""
    campaign = own_campaign(request, campaign_id)
    confirmation = request.POST.get("confirm", "")
    context = {"campaign": campaign, "confirm": confirmation}
    if request.method == "POST":
        try:
            delete_campaign(campaign_id=campaign.pk, confirmation=confirmation)
            messages.success(request, f"“{campaign.title}” has been deleted.")
            return redirect("campaigns")
        except StoryError as error:
            return form_again(request, "campaigns/delete.html", context, error)
    return render(request, "campaigns/delete.html", context)
