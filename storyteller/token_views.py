"""Access tokens for programs: the list, a new one, and revoking one. Everybody has their own."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from storyteller.access import create_token, list_tokens, revoke_token_by_id
from storyteller.errors import TokenNameError, UnknownTokenError

_PAGE = "storyteller/tokens.html"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """The tokens in use. A new one is shown in the answer to its form, and never again."""
    owner = _owner(request)
    name = request.POST.get("name", "")
    secret = error = ""
    if request.method == "POST":
        try:
            secret = create_token(owner, name)
        except TokenNameError as refusal:
            error = str(refusal)
    in_use = [token for token in list_tokens(owner) if token.revoked_at is None]
    context = {"tokens": in_use, "name": name, "secret": secret, "error": error}
    return render(request, _PAGE, context, status=422 if error else 200)


@require_POST
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    try:
        token = revoke_token_by_id(_owner(request), token_id)
    except UnknownTokenError as error:
        raise Http404(str(error)) from error
    messages.success(request, f"“{token.name}” lets nobody in any more.")
    return redirect("tokens")


def _owner(request: HttpRequest) -> User:
    if not isinstance(request.user, User):  # no page without a session gets here
        raise TypeError("Tokens belong to somebody who is signed in.")
    return request.user
