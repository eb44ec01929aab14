"""Editing a narration: the page with its words, and where its changes to the state come from."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from campaigns.errors import NotFoundError, StoryError
from campaigns.models import Campaign, Take, Turn
from campaigns.selectors import get_turn
from campaigns.services.writing import has_continuation, require_take
from campaigns.views.answers import back_to_story, form_again, own_campaign
from narrative.database import in_database
from narrative.edit_forms import EditForm
from narrative.editing import Edit, default_derive
from narrative.editing import edit_narration as save_narration
from narrative.engine import read_engine

_EDIT = "campaigns/edit_narration.html"


@dataclass(frozen=True, slots=True)
class _Edited:
    campaign: Campaign
    turn: Turn
    take: Take
    context: dict[str, Any]


@require_http_methods(["GET", "HEAD", "POST"])
async def edit_narration(request: HttpRequest, campaign_id: int, turn_id: int, take_id: int) -> HttpResponse:
    """The words of a take, to write over. They become a take of their own; the old one stays."""
    try:
        edited = await in_database(_read)(request, campaign_id, turn_id, take_id)
        return await _answer(request, edited)
    except NotFoundError as error:
        raise Http404(error.message) from error


async def _answer(request: HttpRequest, edited: _Edited) -> HttpResponse:
    form: EditForm = edited.context["form"]
    if request.method != "POST" or not form.is_valid():
        status = 422 if form.errors else 200
        return await in_database(render)(request, _EDIT, edited.context, status=status)
    edit = Edit(
        campaign_id=edited.campaign.pk,
        turn_id=edited.turn.pk,
        text=form.cleaned_data["text"],
        take_id=edited.take.pk,
        derive=form.cleaned_data["derive"] or None,
    )
    try:
        saved = await save_narration(edit)
    except StoryError as error:
        return await in_database(form_again)(request, _EDIT, edited.context, error)
    if saved.kept:
        messages.info(request, saved.kept)
    return back_to_story(request, edited.campaign.pk)


def _read(request: HttpRequest, campaign_id: int, turn_id: int, take_id: int) -> _Edited:
    campaign = own_campaign(request, campaign_id)
    turn = get_turn(campaign_id=campaign.pk, turn_id=turn_id)
    take = require_take(turn, take_id)
    initial = {"text": take.narration, "derive": default_derive(read_engine(campaign))}
    context = {
        "campaign": campaign,
        "turn": turn,
        "take": take,
        "form": EditForm(request.POST or None, initial=initial),
        "has_continuation": has_continuation(turn),
    }
    return _Edited(campaign, turn, take, context)
