"""Access tokens on their page."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from storyteller.access import authenticate_token, create_token
from storyteller.models import ApiToken
from tests import factories

pytestmark = pytest.mark.django_db
PATH = "/settings/tokens/"


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def test_a_new_token_is_shown_once_and_works(page: Client, owner: User) -> None:
    response = page.post(PATH, {"name": "My bot"})
    found = re.search(r"<code>([\w-]{40,})</code>", response.content.decode())
    assert found
    assert authenticate_token(found[1]) == owner
    assert "no-store" in response["Cache-Control"]
    text = page.get(PATH).content.decode()
    assert found[1] not in text
    assert "My bot" in text
    assert "used" in text


@pytest.mark.parametrize("name", ["", "   ", "x" * 101, "two\nlines", "My bot"])
def test_a_name_that_cannot_be(page: Client, owner: User, name: str) -> None:
    create_token(owner, "My bot")
    response = page.post(PATH, {"name": name})
    assert response.status_code == 422
    assert 'id="token-error"' in response.content.decode()
    assert ApiToken.objects.count() == 1


def test_revoking(page: Client, owner: User) -> None:
    secret = create_token(owner, "My bot")
    token = ApiToken.objects.get()
    assert page.post(f"{PATH}{token.pk}/revoke/").status_code == 302
    assert authenticate_token(secret) is None
    text = page.get(PATH).content.decode()
    assert "lets nobody in any more" in text
    assert "There is none yet." in text
    assert page.post(f"{PATH}{token.pk}/revoke/").status_code == 302  # a second click


def test_a_number_is_no_name(page: Client, owner: User) -> None:
    create_token(owner, "First")
    first = ApiToken.objects.get()
    secret = create_token(owner, str(first.pk))
    page.post(f"{PATH}{first.pk}/revoke/")
    assert authenticate_token(secret) == owner


def test_somebody_elses_token(page: Client) -> None:
    secret = create_token(factories.make_owner("stranger"), "Theirs")
    assert page.post(f"{PATH}{ApiToken.objects.get().pk}/revoke/").status_code == 404
    assert authenticate_token(secret)
    assert "Theirs" not in page.get(PATH).content.decode()
