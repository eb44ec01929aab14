"""Pages that need the narrator: the play page, and every way of having a turn told.

With the page's script a turn is submitted and followed over the socket; here it is awaited, so that a browser
without one plays as well.
"""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.errors import NotFoundError, StoppedError, StoryError
from campaigns.forms import InputForm
from campaigns.models import Campaign, Turn, TurnRequest
from campaigns.selectors import get_turn
from campaigns.services.requests import Submission
from campaigns.services.writing import has_continuation, require_told
from campaigns.views.answers import answers_errors, back_to_story, form_again, own_campaign
from campaigns.views.recovery import own_request
from campaigns.views.story import Story, read_page
from narrative import live
from narrative.database import in_database
from narrative.engine import endpoint_policy, read_engine
from narrative.errors import TurnFailedError
from narrative.narrator_status import NarratorStatus, State, last_status, look_at_narrator
from narrative.samples import FIRST, start_sample
from narrative.state_panel import StatePanel, read_state_panel
from narrative.turns import keep_turn, speed_of_last_turn
from narrative.warming import begin_warming

Telling = Callable[..., Coroutine[Any, Any, HttpResponse]]

_EDIT = "campaigns/edit_input.html"
# Below so many tokens a second one waits for the words.
_SLOW = 3.0
# What the chip says beside the narrator's name: nothing where all is as it should be.
_WORDS = {
    State.REHEARSAL: "",
    State.UNKNOWN: "",
    State.CONNECTED: "",
    State.NOT_LOADED: "not loaded",
    State.LOADING: "loading",
    State.NO_MODEL: "",
    State.MODEL_MISSING: "missing",
    State.REFUSED: "refused",
    State.GONE: "gone",
}
_OFFERING = (State.REHEARSAL, State.NO_MODEL, State.MODEL_MISSING)


@require_safe
@answers_errors
def play(request: HttpRequest, campaign_id: int) -> HttpResponse:
    return _play_page(request, own_campaign(request, campaign_id))


@require_safe
@answers_errors
def transcript(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """The parts of the play page that change, for its script; with ``?before=`` the turns before a depth."""
    campaign = own_campaign(request, campaign_id)
    story = read_page(request, campaign)
    context = {"story": story, "narrator": _narrator(campaign), "state": _state(request, story)}
    return render(request, "campaigns/_story.html", context)


def _play_page(
    request: HttpRequest, campaign: Campaign, *, written: tuple[str, str] | None = None, status: int = 200
) -> HttpResponse:
    """The play page. The composer holds what was just ``written`` (mode, text) and could not be sent, else
    what an earlier submission lost."""
    story = read_page(request, campaign)
    offered = (story.offered.mode, story.offered.text) if story.offered else (Turn.Mode.ACTION, "")
    mode, text = written or offered
    context = {
        "story": story,
        "narrator": _narrator(campaign),
        "state": _state(request, story),
        "modes": Turn.Mode.choices,
        "mode": mode,
        "text": text,
    }
    return render(request, "campaigns/play.html", context, status=status)


def _state(request: HttpRequest, story: Story) -> StatePanel | None:
    is_open = story.panel is not None and story.panel.name == "state"
    return read_state_panel(request, story.campaign) if is_open else None


@require_safe
async def narrator(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """How the narrator is now. A part of the play page that is fetched later, for it may take a while."""
    try:
        campaign = await _own_campaign(request, campaign_id)
    except NotFoundError as error:
        raise Http404(error.message) from error
    engine = await in_database(read_engine)(campaign)
    status = await look_at_narrator(engine)
    if status.state == State.NOT_LOADED:  # somebody reads, and will want a turn told
        begin_warming(engine)
        status = replace(status, state=State.LOADING)
    context = _narrator(campaign, status, await in_database(speed_of_last_turn)(campaign))
    return await in_database(render)(request, "campaigns/_narrator.html", {"narrator": context})


def _narrator(
    campaign: Campaign, status: NarratorStatus | None = None, speed: float | None = None
) -> dict[str, object]:
    """What the chip at the top of the page shows; ``speed`` is the last turn's, in tokens a second."""
    status = status or last_status(read_engine(campaign))
    is_rehearsal = status.state == State.REHEARSAL
    is_own = bool(campaign.settings.get("model"))
    is_slow = speed is not None and speed < _SLOW and not is_rehearsal
    return {
        "status": status,
        "label": status.model or "no model chosen",
        "word": "slow" if is_slow and not _WORDS[status.state] else _WORDS[status.state],
        "slow": f"{speed:.1f}" if is_slow else "",
        "is_rehearsal": is_rehearsal,
        "is_own": is_own,
        # A model that is chosen for all stories would not narrate this one.
        "offers": status.offers if status.state in _OFFERING and not is_own else (),
        "allows_remote": endpoint_policy().allows_remote_models,
        "here": reverse("play", args=[campaign.pk]),
    }


def _awaits_turn(page: Telling) -> Telling:
    """How a page that awaits a turn ends: the story shows what became of it, kept text included."""

    @wraps(page)
    async def answer(request: HttpRequest, campaign_id: int, **ids: int) -> HttpResponse:
        try:
            return await page(request, campaign_id, **ids)
        except NotFoundError as error:
            raise Http404(error.message) from error
        except (TurnFailedError, StoppedError):
            pass  # a card on the page tells it
        except StoryError as error:
            messages.error(request, error.message)
        return back_to_story(request, campaign_id)

    return answer


@require_POST
@_awaits_turn
async def submit_turn(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = await _own_campaign(request, campaign_id)
    mode, text = request.POST.get("mode", ""), request.POST.get("text", "")
    submission = Submission(
        kind=TurnRequest.Kind.NEW, mode=mode, text=text, client_id=request.POST.get("request_id") or None
    )
    try:
        ticket = await live.submit(campaign_id=campaign_id, submission=submission)
    except StoryError as error:  # nothing was stored, so the words go back into the composer
        messages.error(request, error.message)
        return await in_database(_play_page)(request, campaign, written=(mode, text), status=422)
    await live.outcome(ticket)
    return back_to_story(request, campaign_id)


@require_POST
@_awaits_turn
async def retry_turn(request: HttpRequest, campaign_id: int, turn_id: int) -> HttpResponse:
    await _own_campaign(request, campaign_id)
    submission = Submission(kind=TurnRequest.Kind.RETRY, replaces_id=turn_id)
    await live.outcome(await live.submit(campaign_id=campaign_id, submission=submission))
    return back_to_story(request, campaign_id)


@require_POST
@_awaits_turn
async def retry_request(request: HttpRequest, campaign_id: int, request_id: int) -> HttpResponse:
    await in_database(own_request)(request, campaign_id, request_id)
    await live.outcome(await live.resubmit(campaign_id=campaign_id, request_id=request_id))
    return back_to_story(request, campaign_id)


@require_POST
@_awaits_turn
async def rehearse_request(request: HttpRequest, campaign_id: int, request_id: int) -> HttpResponse:
    """Have a lost turn told by the narrator that needs no server, this once."""
    await in_database(own_request)(request, campaign_id, request_id)
    await live.outcome(
        await live.resubmit(campaign_id=campaign_id, request_id=request_id, backend="rehearsal")
    )
    return back_to_story(request, campaign_id)


@require_POST
@_awaits_turn
async def stop_turn(request: HttpRequest, campaign_id: int) -> HttpResponse:
    await _own_campaign(request, campaign_id)
    await live.stop(campaign_id=campaign_id, keep=request.POST.get("keep") != "0")
    return back_to_story(request, campaign_id)


@require_http_methods(["GET", "HEAD", "POST"])
@_awaits_turn
async def edit_input(request: HttpRequest, campaign_id: int, turn_id: int) -> HttpResponse:
    """A turn's words, to write over. Other words are another turn, told beside it."""
    campaign = await _own_campaign(request, campaign_id)
    turn = await in_database(get_turn)(campaign_id=campaign_id, turn_id=turn_id)
    require_told(turn)
    form = InputForm(request.POST or None, initial={"mode": turn.mode, "text": turn.input})
    context = {
        "campaign": campaign,
        "turn": turn,
        "form": form,
        "modes": Turn.Mode.choices,
        "has_continuation": await in_database(has_continuation)(turn),
    }
    if request.method == "POST" and form.is_valid():
        mode, text = form.cleaned_data["mode"], form.cleaned_data["text"]
        submission = Submission(kind=TurnRequest.Kind.NEW, mode=mode, text=text, replaces_id=turn_id)
        try:
            ticket = await live.submit(campaign_id=campaign_id, submission=submission)
        except StoryError as error:  # nothing was stored: the form holds the only copy of the words
            return await in_database(form_again)(request, _EDIT, context, error)
        await live.outcome(ticket)
        return back_to_story(request, campaign_id)
    status = 422 if form.errors else 200
    return await in_database(render)(request, _EDIT, context, status=status)


@require_POST
@answers_errors
def keep_request(request: HttpRequest, campaign_id: int, request_id: int) -> HttpResponse:
    """Make what had arrived the narration."""
    keep_turn(campaign_id=campaign_id, request_id=own_request(request, campaign_id, request_id).pk)
    return back_to_story(request, campaign_id)


@require_POST
@answers_errors
def begin_sample(request: HttpRequest) -> HttpResponse:
    """One button: the sample, ready to play."""
    campaign = start_sample(request.user.pk or 0, request.POST.get("sample", FIRST))
    return redirect("play", campaign.pk)


async def _own_campaign(request: HttpRequest, campaign_id: int) -> Campaign:
    return await in_database(own_campaign)(request, campaign_id)
