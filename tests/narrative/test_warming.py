"""Loading the model ahead of the first turn."""

import asyncio

import pytest
from pytest_django.fixtures import Settings

from narrative.engine import environment_settings
from narrative.narrator_status import State, forget_status, look_at_narrator
from narrative.warming import begin_warming, is_loading
from tests.inference_servers.scripted import MODEL, ScriptedServer

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _told_by_ollama(settings: Settings, scripted_server: ScriptedServer) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = "ollama", scripted_server.url
    settings.INFERENCE_MODEL = MODEL


async def _warm() -> None:
    engine = environment_settings()
    begin_warming(engine)
    while is_loading(engine):  # noqa: ASYNC110 - what it waits for is a server's
        await asyncio.sleep(0.01)


async def test_it_is_loaded_with_the_window_that_turns_ask_for(scripted_server: ScriptedServer) -> None:
    scripted_server.loaded = {}
    await _warm()
    assert scripted_server.loaded == {MODEL: 8192}
    [request] = scripted_server.loads
    assert request.body["options"] == {"num_ctx": 8192}
    assert request.body["keep_alive"] == "30m"
    assert request.body["shift"] is False


async def test_what_is_loaded_is_left_alone(scripted_server: ScriptedServer) -> None:
    scripted_server.loaded = {f"{MODEL}:latest": 8192}
    await _warm()
    assert scripted_server.loads == []


async def test_what_is_loaded_with_another_window_is_loaded_anew(scripted_server: ScriptedServer) -> None:
    scripted_server.loaded = {MODEL: 4096}
    await _warm()
    assert scripted_server.loaded == {MODEL: 8192}


async def test_a_window_beyond_what_the_model_was_made_for_is_no_reason_to_load_it_again(
    scripted_server: ScriptedServer,
) -> None:
    scripted_server.models[MODEL] = 2048
    scripted_server.loaded = {MODEL: 2048}
    await _warm()
    assert scripted_server.loads == []
    assert (await look_at_narrator(environment_settings())).state == State.CONNECTED


async def test_many_pages_are_one_load(scripted_server: ScriptedServer) -> None:
    scripted_server.loaded = {}
    for _ in range(5):
        begin_warming(environment_settings())
    await _warm()
    await _warm()
    assert len(scripted_server.loads) == 1


@pytest.mark.parametrize("api", ["openai", "rehearsal"])
async def test_only_ollama_is_asked(settings: Settings, scripted_server: ScriptedServer, api: str) -> None:
    settings.INFERENCE_API = api
    await _warm()
    assert scripted_server.requests == []


async def test_a_server_that_is_gone_is_no_error(settings: Settings) -> None:
    settings.INFERENCE_URL = "http://127.0.0.1:1"
    await _warm()
    forget_status()
    assert (await look_at_narrator(environment_settings())).state == State.GONE


async def test_a_remote_model_is_not_loaded(scripted_server: ScriptedServer) -> None:
    scripted_server.loaded = {}
    scripted_server.remote_models = {MODEL}
    scripted_server.models = {}
    await _warm()
    assert scripted_server.loads == []
