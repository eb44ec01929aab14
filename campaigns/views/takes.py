"""A turn's narration: choosing another take, and editing one."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from campaigns.errors import NotFoundError, StoryError
from campaigns.forms import NarrationForm
from campaigns.notices import Undo, give_notice
from campaigns.selectors import get_turn, list_takes
from campaigns.services import writing
from campaigns.views.answers import answers_errors, back_to_story, form_again, own_campaign
from campaigns.views.way_back import undo_move

_EDIT = "campaigns/edit_narration.html"
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


@require_http_methods(["GET", "HEAD", "POST"])
@answers_errors
def edit_narration(request: HttpRequest, campaign_id: int, turn_id: int, take_id: int) -> HttpResponse:
    """The words of a take, to write over. They become a take of their own; the old one stays."""
    campaign = own_campaign(request, campaign_id)
    turn = get_turn(campaign_id=campaign.pk, turn_id=turn_id)
    take = next((take for take in list_takes(turn) if take.pk == take_id), None)
    if take is None:
        raise NotFoundError("There is no such take of this turn.")
    form = NarrationForm(request.POST or None, initial={"text": take.narration})
    context = {
        "campaign": campaign,
        "turn": turn,
        "take": take,
        "form": form,
        "has_continuation": writing.has_continuation(turn),
    }
    if request.method == "POST" and form.is_valid():
        try:
            text = form.cleaned_data["text"]
            writing.edit_narration(campaign_id=campaign.pk, turn_id=turn_id, text=text, take_id=take_id)
            return back_to_story(request, campaign_id)
        except StoryError as error:
            return form_again(request, _EDIT, context, error)
    return render(request, _EDIT, context, status=422 if form.errors else 200)
