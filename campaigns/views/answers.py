"""What every page shares: whose campaign it is, what becomes of an anticipated error, and the way back."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from campaigns.errors import InvalidError, NotFoundError, StoryError
from campaigns.models import Campaign
from campaigns.selectors import get_campaign

# The anchor at the end of the story. Without a script the browser goes there by itself.
STORY_END = "now"

Page = Callable[..., HttpResponse]


def answers_errors(page: Page) -> Page:
    """What is not found is 404; every other StoryError is told on the page that the player goes back to."""

    @wraps(page)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return page(request, *args, **kwargs)
        except NotFoundError as error:
            raise Http404(error.message) from error
        except StoryError as error:
            messages.error(request, error.message)
            return back_to_story(request, kwargs["campaign_id"])

    return answer


def form_again(
    request: HttpRequest, template: str, context: dict[str, Any], error: StoryError
) -> HttpResponse:
    """The form with everything that was typed into it, and why it was refused: words are never the price of
    an error. What is not found stays so."""
    if isinstance(error, NotFoundError):
        raise error
    status = 422 if isinstance(error, InvalidError) else 409
    return render(request, template, context | {"refused": error.message}, status=status)


def own_campaign(request: HttpRequest, campaign_id: int) -> Campaign:
    return get_campaign(owner_id=request.user.pk, campaign_id=campaign_id)


def back_to_story(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """The story's end, with the panel and what was open in it; or the map, if asked from there."""
    if request.POST.get("back") == "tree":
        place = urlencode({"at": request.POST.get("at", "")})
        return redirect(f"{reverse('tree', args=[campaign_id])}?{place}")
    kept = {name: request.POST.get(name) for name in ("panel", "versions")}
    query = urlencode({name: value for name, value in kept.items() if value})
    query = f"?{query}" if query else ""
    return redirect(f"{reverse('play', args=[campaign_id])}{query}#{STORY_END}")


def read_number(text: str | None, *, otherwise: int | None = None) -> int | None:
    """A whole number from an address or a form, or ``otherwise``. Longer ones are no depth and no id."""
    if text is None or not text.isascii() or not text.isdecimal() or len(text) > 9:
        return otherwise
    return int(text)
