"""Where a story begins: samples on the shelf and on New campaign, and an opening that the narrator writes."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import AsyncClient, Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from campaigns.models import Campaign
from narrative.samples import FIRST, list_samples
from tests.inference_servers.scripted import MODEL, ScriptedServer, refusal

pytestmark = pytest.mark.django_db(transaction=True)

TYPED = {
    "title": "Salt Road",
    "genre": "Western",
    "tone": "Bleak & dry",
    "protagonist_name": "Wren",
    "protagonist_description": "A ferrier.",
    "narrator_rules": "Be brief.",
    "canon_rules": "Nobody flies.",
    "forbidden_changes": "dead -> alive",
}
NARRATED = "The wells are dry from here to the coast. You have counted them, and so has somebody else."


@pytest.fixture
def page(async_client: AsyncClient, owner: User) -> AsyncClient:
    async_client.force_login(owner)
    return async_client


@pytest.fixture
def told(settings: Settings, scripted_server: ScriptedServer) -> ScriptedServer:
    settings.INFERENCE_API, settings.INFERENCE_URL = "ollama", scripted_server.url
    settings.INFERENCE_MODEL = MODEL
    return scripted_server


def field(text: str, name: str) -> str:
    found = re.search(rf'<textarea name="{name}"[^>]*>\n?(.*?)</textarea>', text, re.DOTALL)
    assert found
    return found[1]


async def narrate(page: AsyncClient, **data: str) -> tuple[int, str]:
    response = await page.post(reverse("narrate-opening"), TYPED | data)
    return response.status_code, response.content.decode()


# --- samples -----------------------------------------------------------------------------------------------


def test_the_empty_shelf_offers_every_sample_under_the_one_button(client: Client, owner: User) -> None:
    client.force_login(owner)
    text = client.get(reverse("campaigns")).content.decode()
    assert text.index("Begin the story") < text.index("Or choose where to begin")
    for sample in list_samples():
        assert f'name="sample" value="{sample.slug}"' in text
        assert sample.new.title in text


def test_new_campaign_offers_every_sample_the_first_one_first(client: Client, owner: User) -> None:
    client.force_login(owner)
    text = client.get(reverse("new-campaign")).content.decode()
    slugs = re.findall(r'name="sample" value="([\w-]+)"', text)
    assert slugs[0] == FIRST
    assert sorted(slugs) == [sample.slug for sample in list_samples()]
    for slug in slugs:
        client.post(reverse("begin-sample"), {"sample": slug})
    assert Campaign.objects.filter(owner=owner).count() == len(slugs)


# --- an opening, narrated ----------------------------------------------------------------------------------


async def test_an_opening_is_narrated_into_the_form(page: AsyncClient, told: ScriptedServer) -> None:
    told.play(NARRATED)
    status, text = await narrate(page)
    assert status == 200
    assert field(text, "opening") == NARRATED
    assert 'value="Salt Road"' in text
    assert 'value="Bleak &amp; dry"' in text
    assert field(text, "canon_rules") == "Nobody flies."
    assert field(text, "forbidden_changes") == "dead -&gt; alive"
    assert 'role="alert"' not in text
    sent = str(told.chats[0].body["messages"])
    assert all(words in sent for words in ("Western", "Wren", "Nobody flies."))
    assert not await Campaign.objects.aexists()


async def test_what_stood_there_can_be_put_back(page: AsyncClient, told: ScriptedServer) -> None:
    told.play(NARRATED)
    _, text = await narrate(page, opening="My own words.")
    assert field(text, "opening") == NARRATED
    assert 'name="earlier_opening" value="My own words."' in text
    _, text = await narrate(page, opening=NARRATED, earlier_opening="My own words.", put_back="1")
    assert field(text, "opening") == "My own words."
    assert f'value="{NARRATED}"' in text
    assert len(told.chats) == 1


async def test_a_narrator_that_fails_is_told_beside_the_field(
    page: AsyncClient, told: ScriptedServer
) -> None:
    told.play(refusal(503, "server busy"))
    status, text = await narrate(page, opening="My own words.")
    assert status == 502
    assert 'id="id_opening_error"' in text
    assert "No opening was narrated." in text
    assert field(text, "opening") == "My own words."
    assert 'value="Salt Road"' in text


async def test_nothing_need_be_filled_in_but_what_is_must_be_right(page: AsyncClient) -> None:
    status, text = await narrate(page, title="", forbidden_changes="dead, alive")
    assert status == 422
    assert 'id="id_forbidden_changes_error"' in text
    assert 'id="id_title_error"' not in text
    assert 'id="id_opening_error"' not in text


async def test_putting_back_needs_no_narrator(page: AsyncClient) -> None:
    status, text = await narrate(page, opening="New.", earlier_opening="Old.", put_back="1")
    assert status == 200
    assert field(text, "opening") == "Old."


async def test_without_a_session_nothing_is_narrated(async_client: AsyncClient) -> None:
    response = await async_client.post(reverse("narrate-opening"), TYPED)
    assert response.status_code == 302
    assert response["Location"].startswith(reverse("sign-in"))
