"""Writing to the state from its panel: corrections, taking a change back, and asking again."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from campaigns.errors import InvalidError, NotFoundError, StoryError
from campaigns.models import Campaign
from campaigns.notices import Undo, give_notice
from campaigns.selectors import get_turn
from campaigns.views.answers import own_campaign, read_number
from narrative.corrections import Corrected, correct_state
from narrative.corrections import take_back as take_back_event
from narrative.database import in_database
from narrative.editing import ask_again as ask_what_changed
from narrative.errors import EventRefusedError, NarrativeError
from narrative.models import StateEvent
from narrative.state_additions import KINDS, read_form
from narrative.state_forms import CorrectionForm, RowRef, read_ref
from narrative.state_history import read_state_at
from narrative.state_row_forms import STATUSES
from narrative.state_why import can_be_taken_back, name_keys

_FORM = "narrative/state/correct.html"
_GONE = "narrative/state/gone.html"
_SAVED = "The narrator is told so from the next turn on."
_HELD = "That holds already. Nothing was changed."

Page = Callable[..., HttpResponse]


def _tells_errors(page: Page) -> Page:
    """What is not found is 404; what is refused is told on the panel that was asked from."""

    @wraps(page)
    def answer(request: HttpRequest, campaign_id: int, **ids: int) -> HttpResponse:
        try:
            return page(request, campaign_id, **ids)
        except NotFoundError as error:
            raise Http404(error.message) from error
        except (StoryError, NarrativeError) as error:
            messages.error(request, error.message)
            return _back(request, campaign_id)

    return answer


@require_POST
@_tells_errors
def correct(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Change what one row says, or note something down. A form that is refused comes back as it was typed."""
    campaign = own_campaign(request, campaign_id)
    document = read_state_at(campaign).document
    ref = read_ref(request.POST.get("row"))
    form = read_form(document, ref, request.POST) if ref is not None else None
    if form is None:
        return render(request, _GONE, {"campaign": campaign}, status=409)
    if not form.is_valid():
        return _form_page(request, campaign, form, status=422)
    if form.overtaken():
        return _form_page(request, campaign, form, status=409)
    events = form.events()
    if not events:
        messages.info(request, _HELD)
        return _back(request, campaign_id, at=form.row)
    try:
        corrected = correct_state(campaign_id=campaign.pk, events=events, note=form.cleaned_data["note"])
    except (StoryError, NarrativeError) as error:
        return _refused(request, campaign, form, error)
    _tell(request, campaign, corrected)
    return _back(request, campaign_id, at=form.row)


@require_POST
@_tells_errors
def take_back(request: HttpRequest, campaign_id: int, event_id: int) -> HttpResponse:
    """Undo what one event did, as a correction."""
    campaign = own_campaign(request, campaign_id)
    corrected = take_back_event(campaign_id=campaign.pk, event_id=event_id)
    if corrected.review.events:
        give_notice(request, f"Taken back. {_SAVED}")
    else:
        messages.info(request, _HELD)
    return _back(request, campaign_id)


@require_POST
async def ask_again(request: HttpRequest, campaign_id: int, turn_id: int) -> HttpResponse:
    """Ask once more what the turn at the head changed."""
    try:
        await in_database(_require_own)(request, campaign_id, turn_id)
        missing = await ask_what_changed(campaign_id=campaign_id, turn_id=turn_id)
    except NotFoundError as error:
        raise Http404(error.message) from error
    except (StoryError, NarrativeError) as error:
        missing = error.message
    if missing:
        messages.error(request, missing)
    else:
        give_notice(request, "It was asked again what this turn changed.")
    return _back(request, campaign_id)


def _require_own(request: HttpRequest, campaign_id: int, turn_id: int) -> None:
    get_turn(campaign_id=own_campaign(request, campaign_id).pk, turn_id=turn_id)


def _form_page(
    request: HttpRequest,
    campaign: Campaign,
    form: CorrectionForm,
    *,
    status: int,
    refused: list[str] | None = None,
) -> HttpResponse:
    shown: dict[str, Any] = {"statuses": STATUSES, "kinds": KINDS}
    context = {"campaign": campaign, "form": form, "refused": refused or [], "state": shown}
    return render(request, _FORM, context, status=status)


def _refused(
    request: HttpRequest, campaign: Campaign, form: CorrectionForm, error: StoryError | NarrativeError
) -> HttpResponse:
    if isinstance(error, NotFoundError):
        raise error
    said = [error.message]
    if isinstance(error, EventRefusedError):
        details = (name_keys(form.document, each.detail) for each in error.refused)
        said = [*dict.fromkeys(details), "Nothing was changed."]
    is_wrong = isinstance(error, InvalidError | EventRefusedError)
    return _form_page(request, campaign, form, status=422 if is_wrong else 409, refused=said)


def _tell(request: HttpRequest, campaign: Campaign, corrected: Corrected) -> None:
    """Say what was changed, with an Undo where one step takes all of it back."""
    if not corrected.review.events:
        messages.info(request, _HELD)
        return
    made = len(corrected.review.events)
    events = StateEvent.objects.filter(campaign=campaign, proposal__take__turn=corrected.turn_id)
    newest = list(events.order_by("-pk")[:made])[::-1]
    undo = None
    if made == 1 and can_be_taken_back(corrected.document, newest[0]):
        undo = Undo(reverse("take-back", args=[campaign.pk, newest[0].pk]))
    more = f" and {made - 1} more" if made > 1 else ""
    give_notice(request, f"{newest[0].line}{more}. {_SAVED}", undo=undo)


def _back(request: HttpRequest, campaign_id: int, *, at: RowRef | None = None) -> HttpResponse:
    """The panel that was asked from: at the row that was corrected, or at the turn that was asked about."""
    panel = request.POST.get("panel", "state")
    query = {"panel": panel} if panel else {}
    why = read_number(request.POST.get("why"))
    if panel == "state" and why is not None:
        query["why"] = str(why)
    if panel == "state" and at is not None and at.kind != "new":
        query["at"] = str(at)
    address = reverse("play", args=[campaign_id])
    fragment = f"#row-{at.kind}-{at.key}" if "at" in query and at is not None else ""
    return redirect(f"{address}?{urlencode(query)}{fragment}" if query else address)
