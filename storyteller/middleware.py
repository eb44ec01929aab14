"""What every answer carries, which Host is answered at all, and which pages need a session.

The first two are written for both worlds: a middleware that is only synchronous would send each asynchronous
view through a thread.
"""

from collections.abc import Awaitable, Callable
from typing import Any, cast

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from storyteller.problem_documents import PREFIX

_API_DOCS = f"{PREFIX}docs"

_CONTENT_SECURITY_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "font-src": "'self'",
    "connect-src": "'self'",  # covers the page's own WebSocket too
    "manifest-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    "object-src": "'none'",
}
_NO_POWERFUL_FEATURES = (
    "accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), fullscreen=(),"
    " geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), midi=(),"
    " payment=(), picture-in-picture=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(),"
    " usb=(), xr-spatial-tracking=()"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Other sites learn nothing. Stricter would break forms: under no-referrer a browser sends "Origin: null"
    # with them even to their own site, and the CSRF check refuses that.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": _NO_POWERFUL_FEATURES,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

_GetResponse = Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]


class _BothWorldsMiddleware:
    """``refuse`` may answer before anything further in runs; ``finish`` sees every answer on its way out."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: _GetResponse) -> None:
        self.get_response = get_response
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self.is_async:
            return self._call_async(request)
        response = self.refuse(request) or cast(HttpResponseBase, self.get_response(request))
        self.finish(request, response)
        return response

    async def _call_async(self, request: HttpRequest) -> HttpResponseBase:
        response = self.refuse(request) or await cast(Awaitable[HttpResponseBase], self.get_response(request))
        self.finish(request, response)
        return response

    def refuse(self, request: HttpRequest) -> HttpResponseBase | None:
        return None

    def finish(self, request: HttpRequest, response: HttpResponseBase) -> None:
        pass


class SecurityHeaders(_BothWorldsMiddleware):
    """Every answer says what its page may do: use this site's own files, and nothing else."""

    def finish(self, request: HttpRequest, response: HttpResponseBase) -> None:
        policy = _CONTENT_SECURITY_POLICY
        if request.path == _API_DOCS:
            policy = policy | {"img-src": "'self' data:"}  # the icons in Swagger's own style sheet
        response["Content-Security-Policy"] = "; ".join(f"{key} {value}" for key, value in policy.items())
        for header, value in _HEADERS.items():
            response[header] = value
        if request.is_secure():
            for cookie in response.cookies.values():
                cookie["secure"] = True


class KnownHosts(_BothWorldsMiddleware):
    """Answers only to the game's own names: a foreign name made to point here gets nothing."""

    def refuse(self, request: HttpRequest) -> HttpResponseBase | None:
        try:
            request.get_host()
        except DisallowedHost:
            return HttpResponse(
                "The game does not answer to this name. Open it as 127.0.0.1, or have the operator add the "
                "name to STORYTELLER_HOSTS.\n",
                status=400,
                content_type="text/plain; charset=utf-8",
            )
        return None


class SessionRequired(LoginRequiredMiddleware):
    """Every view needs a session, but for those marked otherwise; the API asks for a token itself."""

    def process_view(
        self,
        request: HttpRequest,
        view_func: Callable[..., HttpResponseBase],
        view_args: Any,
        view_kwargs: Any,
    ) -> HttpResponseBase | None:
        if request.path.startswith(PREFIX):
            return None
        return super().process_view(request, view_func, view_args, view_kwargs)

    def get_login_url(self, view_func: Callable[..., HttpResponseBase]) -> str:
        return str(settings.LOGIN_URL)  # also for the admin, whose views name a page of their own
