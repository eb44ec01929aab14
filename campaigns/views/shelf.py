"""Campaigns as a shelf of books: list, new, archive, delete."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.errors import StoryError
from campaigns.forms import NewCampaignForm
from campaigns.forms.shelf import SORT_NAMES, ShelfView
from campaigns.notices import Undo, give_notice
from campaigns.services.campaigns import archive_campaign, create_campaign, unarchive_campaign
from campaigns.services.deletion import delete_campaign
from campaigns.shelf import Shelf, read_shelf
from campaigns.views.answers import answers_errors, form_again, own_campaign

NEW = "campaigns/new.html"
# The browser's copy of a new campaign is dropped when this names it: then the campaign is made.
_MADE_COOKIE = "made_draft"
_DAY = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class SampleCard:
    """A campaign to begin with, as a page offers it."""

    slug: str
    title: str
    line: str
    hook: str


@require_safe
def shelf(request: HttpRequest, samples: Sequence[SampleCard] = ()) -> HttpResponse:
    """The campaigns as the address asks for them; the first page and its samples where there is none."""
    view = ShelfView.read(request.GET.dict())
    shown = read_shelf(
        owner_id=request.user.pk, status=view.status, words=view.words, sort=view.sort, page=view.page
    )
    return render(request, "campaigns/list.html", _shelf_context(view, shown) | {"samples": samples})


def _shelf_context(view: ShelfView, shown: Shelf) -> dict[str, object]:
    lead = shown.rows[0] if view.is_plain and shown.rows else None
    return {
        "view": view,
        "shelf": shown,
        "sorts": SORT_NAMES.items(),
        "lead": lead,
        "rows": shown.rows[1:] if lead else shown.rows,
        "of": shown.archived if view.is_archive else shown.active,
        "is_empty": not shown.active and not shown.archived,
        "here": view.address(),
        "more": view.address(page=shown.page + 1) if shown.has_more else "",
        "before": view.address(page=shown.page - 1) if shown.page > 1 else None,
    }


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, samples: Sequence[SampleCard] = ()) -> HttpResponse:
    form = NewCampaignForm(request.POST or None)
    context = {"form": form, "samples": samples}
    if request.method == "POST" and form.is_valid() and request.user.pk is not None:
        try:
            campaign = create_campaign(owner_id=request.user.pk, new=form.as_new_campaign())
        except StoryError as error:
            form.blame(error)
            return form_again(request, NEW, context, error)
        response = redirect("play", campaign.pk)
        response.set_cookie(
            _MADE_COOKIE, form.cleaned_data["draft"], max_age=_DAY, path=request.path, samesite="Strict"
        )
        return response
    return render(request, NEW, context, status=422 if form.errors else 200)


@require_POST
@answers_errors
def archive(request: HttpRequest, campaign_id: int) -> HttpResponse:
    archive_campaign(campaign_id=own_campaign(request, campaign_id).pk)
    undo = Undo(reverse("unarchive-campaign", args=[campaign_id]))
    give_notice(request, "Archived. It is under Archived.", undo=undo)
    return _back_to_shelf(request)


@require_POST
@answers_errors
def unarchive(request: HttpRequest, campaign_id: int) -> HttpResponse:
    unarchive_campaign(campaign_id=own_campaign(request, campaign_id).pk)
    undo = Undo(reverse("archive-campaign", args=[campaign_id]))
    give_notice(request, "It is back among those you play.", undo=undo)
    return _back_to_shelf(request)


def _back_to_shelf(request: HttpRequest) -> HttpResponse:
    query = ShelfView.read_address(request.POST.get("view", "")).address()
    return redirect(reverse("campaigns") + (f"?{query}" if query else ""))


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
