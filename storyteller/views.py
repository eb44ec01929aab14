"""The door: sign in with a password or a one-time link, sign out, and refuse a form from elsewhere."""

import sys
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from storyteller import access, sign_in_attempts
from storyteller.errors import SignInLinkError
from storyteller.problem_documents import PREFIX, plain_problem

# Fields of forms that hold what a person wrote.
_TYPED = ("text", "name", "note", "title", "opening", "protagonist_description", "authors_note")
_BACKEND = "django.contrib.auth.backends.ModelBackend"


@login_not_required
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """How to get a link, and the password form where a password has been set."""
    form = AuthenticationForm(request)
    if request.method == "POST":
        keys = [_address_key(request), f"account {request.POST.get('username', '').casefold()}"]
        if wait := sign_in_attempts.seconds_to_wait(*keys):
            return _too_many_attempts(request, wait)
        form = AuthenticationForm(request, data=request.POST)
        if form.is_valid():
            sign_in_attempts.forget_failures(*keys)
            login(request, form.get_user())
            return redirect(_next_page(request) or resolve_url(settings.LOGIN_REDIRECT_URL))
        sign_in_attempts.record_failure(*keys)
    context = {"form": form, "next": _next_page(request), "has_password": access.is_any_password_set()}
    return render(request, "storyteller/sign_in.html", context)


@login_not_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def use_link(request: HttpRequest, token: str) -> HttpResponse:
    """A page with one button, whose POST signs in: what merely fetches the link does not spend it.

    Wrong links are not slowed: nobody guesses 256 bits, but any web page could fetch wrong ones in the
    owner's browser and so keep the owner waiting.
    """
    try:
        if request.method != "POST":
            access.check_sign_in_link(token)
            return render(request, "storyteller/sign_in_link.html")
        user = access.use_sign_in_link(token)
    except SignInLinkError as error:
        return render(request, "storyteller/sign_in_link_gone.html", {"reason": error.message}, status=410)
    login(request, user, backend=_BACKEND)
    return redirect("/")


@login_not_required
@never_cache
@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect(settings.LOGOUT_REDIRECT_URL)


@login_not_required
def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """The admin has no sign-in page of its own."""
    target = _next_page(request) or reverse("admin:index")
    return redirect(f"{reverse('sign-in')}?{urlencode({'next': target})}")


def server_error(request: HttpRequest) -> HttpResponse:
    """The page of last resort. What was typed stands on it, to be copied: it may be stored nowhere."""
    is_storage = isinstance(sys.exc_info()[1], DatabaseError)
    words = [text for name in _TYPED for text in request.POST.getlist(name) if text.strip()]
    context = {"is_storage": is_storage, "words": words}
    return render(request, "500.html", context, status=503 if is_storage else 500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Refuses a form that was not sent from a page of this game, or from one older than the session."""
    if request.path.startswith(PREFIX):
        return plain_problem(403)
    return render(request, "storyteller/csrf_failure.html", status=403)


def _too_many_attempts(request: HttpRequest, wait: int) -> HttpResponse:
    response = render(request, "storyteller/too_many_attempts.html", {"seconds": wait}, status=429)
    response["Retry-After"] = str(wait)
    return response


def _address_key(request: HttpRequest) -> str:
    return f"address {request.META.get('REMOTE_ADDR', '')}"


def _next_page(request: HttpRequest) -> str:
    """Where to go after signing in: a path of this site, or nothing."""
    target = request.POST.get("next") or request.GET.get("next", "")
    # With no host allowed, only addresses without one pass.
    return target if url_has_allowed_host_and_scheme(target, allowed_hosts=None) else ""
