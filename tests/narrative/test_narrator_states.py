"""How the narrator is, on the page where a story is read."""

import asyncio
import re
from collections.abc import Callable

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.test import AsyncClient
from pytest_django.fixtures import Settings

from campaigns.models import Campaign, Take
from campaigns.services.campaigns import CampaignChanges, update_campaign
from narrative.engine import read_engine
from narrative.warming import is_loading
from tests import factories
from tests.inference_servers.scripted import MODEL, ScriptedServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def page(async_client: AsyncClient, owner: User) -> AsyncClient:
    async_client.force_login(owner)
    return async_client


async def look(page: AsyncClient, campaign: Campaign) -> tuple[str, str]:
    """The state and everything that is said."""
    response = await page.get(f"/campaigns/{campaign.pk}/narrator/")
    assert response.status_code == 200
    text = response.content.decode()
    found = re.search(r'<details class="narrator" data-state="(\w+)"', text)
    assert found
    return found[1], text


async def _loaded(campaign: Campaign) -> None:
    engine = await sync_to_async(read_engine)(campaign)
    while is_loading(engine):  # noqa: ASYNC110 - what it waits for is a server's
        await asyncio.sleep(0.01)


def _gone(settings: Settings, server: ScriptedServer) -> None:
    settings.INFERENCE_URL = "http://127.0.0.1:1"


def _refused(settings: Settings, server: ScriptedServer) -> None:
    settings.INFERENCE_URL = "http://192.168.77.7"


def _remote(settings: Settings, server: ScriptedServer) -> None:
    server.models, server.remote_models = {}, {MODEL}


def _missing(settings: Settings, server: ScriptedServer) -> None:
    settings.INFERENCE_MODEL = "mistral"


def _none_chosen(settings: Settings, server: ScriptedServer) -> None:
    settings.INFERENCE_MODEL = ""


def _small(settings: Settings, server: ScriptedServer) -> None:
    server.models[MODEL] = 4096


def _not_loaded(settings: Settings, server: ScriptedServer) -> None:
    server.loaded = {}


def _well(settings: Settings, server: ScriptedServer) -> None:
    pass


@pytest.mark.parametrize(
    ("arrange", "state", "said"),
    [
        (_well, "connected", "“scripted” narrates."),
        (_gone, "gone", "ollama serve"),
        (_refused, "refused", "STORYTELLER_ALLOWED_ENDPOINTS"),
        (_remote, "refused", "somebody else&#x27;s machine"),
        (_missing, "model_missing", "ollama pull mistral"),
        (_none_chosen, "no_model", "No model is chosen"),
        (_small, "connected", "the model was made for 4,096"),
        (_not_loaded, "loading", "Loading “scripted”"),
    ],
)
async def test_states(
    page: AsyncClient,
    settings: Settings,
    scripted_server: ScriptedServer,
    campaign: Campaign,
    arrange: Callable[[Settings, ScriptedServer], None],
    state: str,
    said: str,
) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = "ollama", scripted_server.url
    settings.INFERENCE_MODEL = MODEL
    arrange(settings, scripted_server)
    found, text = await look(page, campaign)
    assert found == state
    assert said in text
    assert 'href="/settings/"' in text
    await _loaded(campaign)
    # Loaded as turns ask for it, and only where it was not.
    windows = [request.body["options"]["num_ctx"] for request in scripted_server.loads]
    assert windows == ([settings.CONTEXT_WINDOW] if state == "loading" else [])


@pytest.mark.parametrize(
    ("arrange", "state", "said"),
    [(_gone, "gone", "Nothing answers at"), (_refused, "refused", "STORYTELLER_ALLOWED_ENDPOINTS")],
)
async def test_states_of_another_server(
    page: AsyncClient,
    settings: Settings,
    scripted_server: ScriptedServer,
    campaign: Campaign,
    arrange: Callable[[Settings, ScriptedServer], None],
    state: str,
    said: str,
) -> None:
    settings.INFERENCE_API, settings.INFERENCE_MODEL = "openai", MODEL
    arrange(settings, scripted_server)
    found, text = await look(page, campaign)
    assert found == state
    assert said in text


async def test_another_server_that_has_the_model_under_another_name(
    page: AsyncClient, settings: Settings, scripted_server: ScriptedServer, campaign: Campaign
) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = "openai", scripted_server.url
    settings.INFERENCE_MODEL = "whatever"  # many of them serve one model under any name
    assert (await look(page, campaign))[0] == "connected"


async def test_a_story_with_a_model_of_its_own_is_offered_no_other(
    page: AsyncClient, settings: Settings, scripted_server: ScriptedServer, campaign: Campaign
) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = "ollama", scripted_server.url
    changes = CampaignChanges(settings={"model": "mistral"})
    await sync_to_async(update_campaign)(campaign_id=campaign.pk, changes=changes)
    state, text = await look(page, campaign)
    assert state == "model_missing"
    assert "This story names its model itself." in text
    assert "/settings/model/" not in text


@pytest.mark.parametrize(("seconds", "is_slow"), [(100.0, True), (4.0, False), (None, False)])
async def test_a_slow_turn_is_said_with_advice(
    page: AsyncClient,
    settings: Settings,
    scripted_server: ScriptedServer,
    campaign: Campaign,
    seconds: float | None,
    *,
    is_slow: bool,
) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = "ollama", scripted_server.url
    settings.INFERENCE_MODEL = MODEL
    turn = await sync_to_async(factories.play)(campaign)
    await Take.objects.filter(turn=turn).aupdate(usage={"output_tokens": 150, "output_seconds": seconds})
    _, text = await look(page, campaign)
    assert ("1.5 tokens a second" in text) == is_slow


async def test_nobody_is_offered_anything_who_may_not_choose(
    async_client: AsyncClient, settings: Settings, scripted_server: ScriptedServer
) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = "auto", scripted_server.url
    player = await sync_to_async(factories.make_owner)("player")
    player.is_staff = False
    await player.asave()
    await sync_to_async(async_client.force_login)(player)
    campaign = await sync_to_async(factories.make_campaign)(owner=player)
    _, text = await look(async_client, campaign)
    assert "/settings/" not in text


async def test_somebody_elses_story(page: AsyncClient) -> None:
    stranger = await sync_to_async(factories.make_owner)("stranger")
    campaign = await sync_to_async(factories.make_campaign)(owner=stranger)
    assert (await page.get(f"/campaigns/{campaign.pk}/narrator/")).status_code == 404


async def test_the_page_itself_asks_no_server(
    page: AsyncClient, settings: Settings, scripted_server: ScriptedServer, campaign: Campaign
) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = "ollama", scripted_server.url
    settings.INFERENCE_MODEL = MODEL
    text = (await page.get(f"/campaigns/{campaign.pk}/")).content.decode()
    assert 'data-state="unknown"' in text
    assert scripted_server.requests == []
