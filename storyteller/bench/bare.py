"""The least that Django can do with a request that stores something: one view, one row, no middleware."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.sessions.models import Session
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path
from django.utils import timezone

from storyteller.bench.samples import Measure, timed


def write_row(request: HttpRequest) -> HttpResponse:
    with transaction.atomic():
        Session.objects.create(session_key=secrets.token_hex(16), session_data="", expire_date=timezone.now())
    return HttpResponse(b"stored")


urlpatterns = [path("", write_row)]


@contextmanager
def bare_django() -> Iterator[Measure]:
    """A measure of one such request."""
    with override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=[]):
        client = Client()
        yield lambda: timed(lambda: client.post("/"))
