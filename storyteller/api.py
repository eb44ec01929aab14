"""The one API: who may call it, its documentation, and the routers of the apps."""

import functools
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from ninja import NinjaAPI
from ninja.errors import AuthenticationError
from ninja.openapi.schema import OpenAPISchema
from ninja.security import HttpBearer, SessionAuth
from pydantic import BaseModel

from campaigns.api import router as campaigns_router
from narrative.api import router as narrative_router
from storyteller import __version__, api_errors
from storyteller.access import authenticate_token
from storyteller.api_description import describe_problems
from storyteller.problem_documents import plain_problem

_DESCRIPTION = """
Every answer of 400 and above is a problem document (`application/problem+json`) with the members `type`,
`title`, `status`, `code`, `detail`, and where single fields are at fault `errors`. Lists are `{items, next}`;
`next` is the address of what follows, or null. Times are ISO 8601 in UTC.
"""


class BearerToken(HttpBearer):
    """A token of `manage.py api_token`. A wrong one is refused, whatever session comes with it."""

    def authenticate(self, request: HttpRequest, token: str) -> User:
        user = authenticate_token(token)
        if user is None:
            raise AuthenticationError
        return user


class OwnSession(SessionAuth):
    """The session of somebody signed in; changes need the CSRF token. A stranger is told to sign in."""

    def __call__(self, request: HttpRequest) -> Any:
        return super().__call__(request) if request.user.is_authenticated else None


# The session comes last: it answers a change without a CSRF token with 403, also where a token would do.
AUTHENTICATION: list[Callable[[HttpRequest], Any]] = [BearerToken(), OwnSession()]


def _authenticated(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """The documentation's pages are no operations, so that they have to ask by themselves."""

    @functools.wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            is_known = any(way(request) for way in AUTHENTICATION)
        except AuthenticationError:
            is_known = False
        return view(request, *args, **kwargs) if is_known else plain_problem(401)

    return guarded


class StoryApi(NinjaAPI):
    """The API, with its refusals documented."""

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        schema = super().get_openapi_schema(**options)
        describe_problems(schema["paths"])
        return schema


api = StoryApi(
    title="Adventure Storyteller",
    version=__version__,
    description=_DESCRIPTION,
    urls_namespace="api",
    auth=AUTHENTICATION,
    docs_decorator=_authenticated,
)
api_errors.install(api)
api.add_router("", campaigns_router)
api.add_router("", narrative_router)


class HealthOut(BaseModel):
    status: str
    version: str


@api.get("/health", auth=None, response=HealthOut, tags=["health"])
def health(request: HttpRequest) -> HealthOut:
    """Whether the program answers, and which version it is. Needs no token."""
    return HealthOut(status="ok", version=__version__)
