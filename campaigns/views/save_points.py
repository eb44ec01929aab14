"""Making, naming, restoring and deleting Save Points. The list of them is a panel of the play page."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from campaigns.errors import StoryError
from campaigns.services.head import restore_save_point
from campaigns.services.save_points import (
    create_save_point,
    delete_save_point,
    require_save_point,
    update_save_point,
)
from campaigns.views.answers import answers_errors, back_to_story, form_again, own_campaign
from campaigns.views.way_back import offer_old_name, offer_way_back

_FORM = "campaigns/save_point.html"


@require_POST
@answers_errors
def create(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = own_campaign(request, campaign_id)
    name, note = request.POST.get("name", ""), request.POST.get("note", "")
    try:
        create_save_point(campaign_id=campaign.pk, name=name, note=note)
    except StoryError as error:
        depth = campaign.head_depth
        context = {"campaign": campaign, "depth": depth, "name": name, "note": note}
        return form_again(request, _FORM, context, error)
    return back_to_story(request, campaign_id)


@require_POST
@answers_errors
def restore(request: HttpRequest, campaign_id: int, save_point_id: int) -> HttpResponse:
    campaign = own_campaign(request, campaign_id)
    restore_save_point(campaign_id=campaign.pk, save_point_id=save_point_id)
    offer_way_back(request, campaign)
    return back_to_story(request, campaign_id)


@require_POST
@answers_errors
def update(request: HttpRequest, campaign_id: int, save_point_id: int) -> HttpResponse:
    campaign = own_campaign(request, campaign_id)
    name, note = request.POST.get("name"), request.POST.get("note")
    old = require_save_point(campaign.pk, save_point_id)
    try:
        point = update_save_point(campaign_id=campaign.pk, save_point_id=save_point_id, name=name, note=note)
    except StoryError as error:
        context = {"campaign": campaign, "point": old, "name": name, "note": note}
        return form_again(request, _FORM, context, error)
    offer_old_name(request, request.path, old=old.name, new=point.name, also=(("note", old.note),))
    return back_to_story(request, campaign_id)


@require_POST
@answers_errors
def delete(request: HttpRequest, campaign_id: int, save_point_id: int) -> HttpResponse:
    delete_save_point(campaign_id=own_campaign(request, campaign_id).pk, save_point_id=save_point_id)
    messages.success(request, "The Save Point has been deleted. The story is as it was.")
    return back_to_story(request, campaign_id)
