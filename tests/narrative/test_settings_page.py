"""The settings page, without a script."""

import re
import socket

import pytest
from django.contrib.auth.models import User
from django.test import AsyncClient
from pytest_django.fixtures import Settings

from campaigns.models import Campaign
from narrative import settings_views
from narrative.models import SavedSettings
from tests import factories
from tests.inference_servers.scripted import MODEL, ScriptedServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def page(async_client: AsyncClient, owner: User) -> AsyncClient:
    async_client.force_login(owner)
    return async_client


async def read(page: AsyncClient, path: str = "/settings/") -> str:
    response = await page.get(path)
    assert response.status_code == 200
    return response.content.decode()


def value_of(text: str, name: str) -> str:
    found = re.search(rf'<input id="setting-{name}" name="{name}" value="([^"]*)"', text)
    assert found, name
    return found[1]


async def saved() -> dict[str, object]:
    row = await SavedSettings.objects.afirst()
    return {} if row is None else row.values


async def test_a_field_is_empty_until_something_is_saved_and_says_what_holds(
    page: AsyncClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CONTEXT_WINDOW = 4096
    monkeypatch.setenv("STORYTELLER_CONTEXT_WINDOW", "4096")
    text = await read(page)
    assert value_of(text, "context_window") == ""
    assert "<code>STORYTELLER_CONTEXT_WINDOW</code> says: 4096." in text
    assert "Where it is empty: 600." in text
    assert "STORYTELLER_MAX_OUTPUT_TOKENS" not in text


async def test_saving_and_giving_back(page: AsyncClient) -> None:
    response = await page.post("/settings/", {"context_window": "16384", "reasoning": "low", "seed": " 5 "})
    assert response.status_code == 302
    assert await saved() == {"context_window": 16384, "reasoning": "low", "seed": 5}
    text = await read(page)
    assert "Saved. It holds from the next turn on." in text
    assert value_of(text, "context_window") == "16384"
    await page.post("/settings/", {"context_window": "", "reasoning": "off"})
    assert await saved() == {"reasoning": False, "seed": 5}


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("context_window", "many", "It must be a number."),
        ("context_window", "100", "It must be at least 512."),
        ("temperature", "9", "It must be at most 5.0."),
        ("top_p", "0", "It must be above 0.0."),
        ("keep_alive", "soon", "It must be a number of seconds"),
        ("inference_url", "http://8.8.8.8", "not on this machine or your own network"),
        ("inference_url", "nowhere", "must begin with http://"),
        ("model", "big:cloud", "somebody else&#x27;s machine"),
        ("summarizer_model", "big:cloud", "somebody else&#x27;s machine"),
    ],
)
async def test_what_cannot_be_saved_is_said_beside_its_field_and_stays_typed(
    page: AsyncClient, name: str, typed: str, said: str
) -> None:
    response = await page.post("/settings/", {name: typed, "max_output_tokens": "700"})
    assert response.status_code == 422
    text = response.content.decode()
    assert value_of(text, name) == typed
    assert value_of(text, "max_output_tokens") == "700"
    error = re.search(rf'id="setting-{name}-error">(.*?)</p>', text)
    assert error
    assert said in error[1]
    assert await saved() == {}


async def test_what_is_wrong_is_listed_with_a_way_there(page: AsyncClient) -> None:
    response = await page.post("/settings/", {"seed": "often", "temperature": "9", "top_p": "0.5"})
    text = response.content.decode()
    assert re.findall(r'<li><a href="#setting-(\w+)">', text) == ["temperature", "seed"]
    assert re.search(r'<details class="group" open><summary><h2>Sampling', text)


async def test_what_is_saved_can_be_given_back_and_nothing_else_offers_to(
    page: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STORYTELLER_CONTEXT_WINDOW", "8192")
    await page.post("/settings/", {"context_window": "4096", "min_p": "0.1"})
    text = await read(page)
    assert re.findall(r'data-give-back="setting-(\w+)"', text) == ["context_window", "min_p"]
    assert "Back to <code>STORYTELLER_CONTEXT_WINDOW</code>" in text


async def test_a_window_beyond_the_model_is_said_beside_its_field(
    page: AsyncClient, settings: Settings, scripted_server: ScriptedServer
) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = "ollama", scripted_server.url
    settings.INFERENCE_MODEL = MODEL
    scripted_server.models[MODEL] = 2048
    assert "“scripted” was made for 2048 tokens. <strong>The window is larger" in await read(page)
    await page.post("/settings/", {"context_window": "2048"})
    text = await read(page)
    assert "was made for 2048 tokens." in text
    assert "The window is larger" not in text


async def test_of_a_key_only_whether_it_is_set(page: AsyncClient, settings: Settings) -> None:
    assert "If the server wants a key" in await read(page)
    settings.INFERENCE_KEY = "sk-very-secret"
    text = await read(page)
    assert "A key is sent to the server." in text
    assert "sk-very-secret" not in text


async def test_a_script_in_a_field_is_text(page: AsyncClient) -> None:
    response = await page.post("/settings/", {"seed": '"><script>alert(1)</script>'})
    assert "<script>alert" not in response.content.decode()


@pytest.mark.parametrize(
    ("hidden", "values"), [(None, {"model": MODEL}), ("/api/", {"inference_api": "openai"})]
)
async def test_one_button_connects_what_was_found(
    page: AsyncClient,
    settings: Settings,
    scripted_server: ScriptedServer,
    campaign: Campaign,
    hidden: str | None,
    values: dict[str, str],
) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = "auto", scripted_server.url
    scripted_server.without = hidden
    scripted_server.remote_models = {"big:cloud"}
    story = f"/campaigns/{campaign.pk}/"
    text = await read(page, f"{story}narrator/")
    assert "The rehearsal narrator." in text
    assert f'name="model" value="{MODEL}"' in text
    assert "runs on somebody else’s machine" in text
    assert 'value="big:cloud"' not in text
    api = "openai" if hidden else "ollama"
    response = await page.post("/settings/model/", {"model": MODEL, "api": api, "next": story})
    assert (response.status_code, response["Location"]) == (302, story)
    assert await saved() == {"model": MODEL} | values
    assert "“scripted” narrates." in await read(page, f"{story}narrator/")


@pytest.mark.parametrize("model", ["big:cloud", "", "x" * 300])
async def test_a_model_that_cannot_be_chosen(page: AsyncClient, model: str) -> None:
    response = await page.post("/settings/model/", {"model": model, "next": "https://elsewhere.example/"})
    assert (response.status_code, response["Location"]) == (302, "/settings/")
    assert await saved() == {}


async def test_a_server_that_never_answers_keeps_nobody_from_choosing_another(
    page: AsyncClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings_views, "PATIENCE_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.INFERENCE_API, settings.INFERENCE_MODEL = "ollama", MODEL
        settings.INFERENCE_URL = f"http://127.0.0.1:{silent.getsockname()[1]}"
        text = await read(page)
    assert 'data-state="unknown"' in text
    assert "has not answered yet" in text
    assert value_of(text, "inference_url") == ""


async def test_settings_are_for_staff(async_client: AsyncClient, owner: User) -> None:
    from asgiref.sync import sync_to_async

    player = await sync_to_async(factories.make_owner)("player")
    player.is_staff = False
    await player.asave()
    await sync_to_async(async_client.force_login)(player)
    for response in (
        await async_client.get("/settings/"),
        await async_client.post("/settings/", {"seed": "1"}),
        await async_client.post("/settings/model/", {"model": "x"}),
        await async_client.get("/settings/check/"),
    ):
        assert response.status_code == 403
    assert await saved() == {}
    assert (await async_client.get("/settings/tokens/")).status_code == 200
