"""The check of the narrator: each thing that can be wrong with a model server is a line that says so."""

import asyncio
import json
import socket
from collections.abc import AsyncIterable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import cast

import httpx
import pytest
from django.contrib.auth.models import User
from django.test import AsyncClient, Client
from django.urls import reverse
from pytest_django import Settings

from narrative.checkup import CheckLine, Status, plan_checkup, run_checkup, worst_status
from narrative.engine import EngineSettings, environment_settings
from tests import factories
from tests.inference_servers.scripted import (
    MODEL,
    Fault,
    Gate,
    Script,
    ScriptedServer,
    in_words,
    refusal,
)
from tests.model.fixtures import SmallModel
from tests.storyteller.game import Game, run_command

SENTENCE = Script(in_words("The inn is warm, and nobody looks up when you come in."), prompt_tokens=200)
FORM = Script(('{"place": "the cellar", ', '"is_dark": true}'), prompt_tokens=60)


async def checked(engine: EngineSettings | None = None) -> dict[str, CheckLine]:
    """Every line by its id. Each says something, and what to do where there is something to do."""
    engine = engine or environment_settings()
    lines = [line async for line in run_checkup(engine)]
    assert [(line.id, line.name) for line in lines] == [(each.id, each.name) for each in plan_checkup(engine)]
    for line in lines:
        assert line.detail
        if line.status in (Status.FAILED, Status.WARNING):
            assert line.advice, line
        if line.status == Status.OK:
            assert not line.advice, line
    return {line.id: line for line in lines}


def statuses(lines: dict[str, CheckLine]) -> dict[str, str]:
    return {name: str(line.status) for name, line in lines.items()}


@pytest.fixture
def server(narrator: ScriptedServer, settings: Settings) -> ScriptedServer:
    """The narrator of the test, with one of the two APIs only."""
    narrator.without = "/v1" if settings.INFERENCE_API == "ollama" else "/api"
    narrator.play(SENTENCE, FORM)
    return narrator


def api_of(settings: Settings) -> str:
    return str(settings.INFERENCE_API)


async def test_all_is_well(server: ScriptedServer, settings: Settings) -> None:
    lines = await checked()
    assert worst_status(lines.values()) == Status.OK
    assert "127.0.0.1, this machine" in lines["address"].detail
    assert "The inn is warm" in lines["sentence"].detail
    assert "read 200" in lines["tokens"].detail
    seen = statuses(lines)
    if api_of(settings) == "ollama":
        assert set(seen.values()) == {"ok"}
        assert "0.33.0" in lines["server"].detail
        assert "8,192" in lines["window"].detail
    else:  # this API tells neither the one nor the other
        assert [name for name, status in seen.items() if status != "ok"] == ["window", "thinking"]
        assert lines["window"].status == lines["thinking"].status == Status.SKIPPED


async def test_it_is_asked_as_turns_ask(server: ScriptedServer, settings: Settings) -> None:
    settings.CONTEXT_WINDOW = 4096
    await checked()
    sentence, form = (chat.body for chat in server.chats)
    assert [message["role"] for message in sentence["messages"]] == ["system", "user"]
    if api_of(settings) == "ollama":
        assert sentence["options"]["num_ctx"] == form["options"]["num_ctx"] == 4096
        assert sentence["options"]["num_predict"] == 60
        assert sentence["think"] is form["think"] is False
        assert form["format"]["required"] == ["place", "is_dark"]
    else:
        assert sentence["max_tokens"] == 60
        assert form["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize("api", ["ollama", "openai"])
async def test_nothing_answers(settings: Settings, api: str) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = api, "http://127.0.0.1:9"
    settings.INFERENCE_MODEL = MODEL
    lines = await checked()
    assert statuses(lines).pop("server") == "failed"
    assert "Nothing answers at http://127.0.0.1:9." in lines["server"].detail
    assert "Start the model server" in lines["server"].advice
    skipped = [line.detail for line in lines.values() if line.status == Status.SKIPPED]
    assert skipped == ["Not checked, because the server does not answer."] * 6


async def test_an_address_that_is_not_allowed(settings: Settings, scripted_server: ScriptedServer) -> None:
    settings.INFERENCE_API, settings.INFERENCE_MODEL = "ollama", MODEL
    settings.INFERENCE_URL = "http://192.168.7.7:11434"
    lines = await checked()
    assert lines["address"].status == Status.FAILED
    assert "STORYTELLER_ALLOWED_ENDPOINTS" in lines["address"].advice
    assert (
        lines["server"].detail
        == lines["thinking"].detail
        == "Not checked, because the address cannot be used."
    )


async def test_the_wrong_api(server: ScriptedServer, settings: Settings) -> None:
    right = api_of(settings)
    settings.INFERENCE_API = "openai" if right == "ollama" else "ollama"
    lines = await checked()
    assert lines["server"].status == Status.FAILED
    assert f"“{right}”" in lines["server"].advice
    assert lines["sentence"].status == Status.SKIPPED


async def test_an_ollama_behind_the_other_api(narrator: ScriptedServer, settings: Settings) -> None:
    settings.INFERENCE_API = "openai"
    narrator.play(SENTENCE, FORM)
    lines = await checked()
    assert lines["server"].status == Status.WARNING
    assert "“ollama”" in lines["server"].advice
    assert lines["sentence"].status == Status.OK
    settings.INFERENCE_API, settings.INFERENCE_URL = "ollama", f"{narrator.url}/v1"
    lines = await checked()
    assert lines["server"].status == Status.FAILED
    assert lines["server"].advice == f"Leave out /v1: {narrator.url}"


async def test_an_old_ollama(narrator: ScriptedServer, settings: Settings) -> None:
    settings.INFERENCE_API = "ollama"
    narrator.version = "0.11.9"
    narrator.play(SENTENCE, FORM)
    assert (await checked())["server"].status == Status.WARNING


async def test_a_missing_model(server: ScriptedServer, settings: Settings) -> None:
    settings.INFERENCE_MODEL = "elsewhere:8b"
    lines = await checked()
    if api_of(settings) == "ollama":
        assert lines["model"].status == Status.FAILED
        assert "ollama pull elsewhere:8b" in lines["model"].advice
        assert lines["sentence"].detail == "Not checked, because there is no model to ask."
    else:  # some of these servers answer to any name
        assert lines["model"].status == Status.WARNING
        assert MODEL in lines["model"].detail
        assert lines["sentence"].status == Status.FAILED
        assert lines["structure"].detail == "Not checked, because the model wrote nothing."


async def test_no_model_is_chosen(server: ScriptedServer, settings: Settings) -> None:
    settings.INFERENCE_MODEL = ""
    lines = await checked()
    assert lines["model"].status == Status.FAILED
    assert MODEL in lines["model"].detail
    assert server.chats == []


async def test_a_model_that_runs_elsewhere(server: ScriptedServer, settings: Settings) -> None:
    settings.INFERENCE_MODEL = "giant:cloud"
    server.remote_models.add("giant:cloud")
    refused = await checked()
    assert refused["model"].status == Status.FAILED
    assert "somebody else's machine" in refused["model"].detail
    assert server.chats == []
    settings.ALLOWED_ENDPOINTS = [":cloud"]
    allowed = await checked()
    assert allowed["model"].status == Status.WARNING
    assert allowed["sentence"].status == Status.OK


async def test_a_model_that_only_embeds(narrator: ScriptedServer, settings: Settings) -> None:
    settings.INFERENCE_API = "ollama"
    narrator.capabilities = ("embedding",)
    lines = await checked()
    assert lines["model"].status == Status.FAILED
    assert "embedding" in lines["model"].detail
    assert narrator.chats == []


async def test_models_of_other_roles(server: ScriptedServer, settings: Settings) -> None:
    server.models["small"] = 8192
    settings.EXTRACTOR_MODEL = "small"
    lines = await checked()
    assert lines["other_models"].status == Status.OK
    assert server.chats[-1].body["model"] == "small"  # events are asked of it, and so is the form
    settings.SUMMARIZER_MODEL = "nowhere"
    lines = await checked()
    assert lines["other_models"].status == Status.WARNING
    assert "“nowhere” for summaries" in lines["other_models"].detail


async def test_a_context_that_is_smaller_than_the_window(
    narrator: ScriptedServer, settings: Settings
) -> None:
    settings.INFERENCE_API = "ollama"
    narrator.models[MODEL] = 2048
    narrator.play(SENTENCE, FORM)
    lines = await checked()
    assert lines["window"].status == Status.WARNING
    assert "8,192" in lines["window"].detail
    assert "2,048 or less" in lines["window"].advice
    assert lines["tokens"].status == Status.WARNING  # and that is how it was loaded


async def test_a_model_loaded_with_another_window(narrator: ScriptedServer, settings: Settings) -> None:
    settings.INFERENCE_API = "ollama"
    narrator.loaded = {f"{MODEL}:latest": 32768}
    narrator.play(SENTENCE, FORM)
    lines = await checked()
    assert lines["window"].status == Status.WARNING
    assert "32,768" in lines["window"].detail
    assert lines["tokens"].status == Status.OK


@pytest.mark.parametrize(
    ("count", "status"), [(200, "ok"), (1000, "warning"), (60, "warning"), (None, "skipped")]
)
async def test_how_much_of_the_prompt_was_read(
    server: ScriptedServer, settings: Settings, count: int | None, status: str
) -> None:
    server.play(Script(SENTENCE.chunks, prompt_tokens=count), FORM)
    lines = await checked()
    assert lines["tokens"].status == status
    assert lines["sentence"].status == Status.OK


async def test_a_slow_first_word_and_a_busy_model(server: ScriptedServer) -> None:
    """Lines come as they are done: those before the sentence are there while the model still thinks."""
    gate = Gate(after=0)
    server.play(Script(SENTENCE.chunks, prompt_tokens=200, gate=gate), FORM)
    seen: list[str] = []
    async with aclosing(run_checkup(environment_settings())) as running:
        async for line in running:
            seen.append(line.id)
            if line.id == "window":
                break
    assert seen == ["address", "server", "model", "window"]
    assert not gate.reached.is_set()
    waiting = asyncio.create_task(checked())
    await asyncio.to_thread(gate.reached.wait, 5)
    assert not waiting.done()
    gate.opened.set()
    assert (await waiting)["sentence"].status == Status.OK


async def test_whoever_leaves_ends_the_request(server: ScriptedServer) -> None:
    gate = Gate(after=1)
    server.play(Script(SENTENCE.chunks, gate=gate))
    running = asyncio.create_task(checked())
    await asyncio.to_thread(gate.reached.wait, 5)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert await asyncio.to_thread(server.client_closed.wait, 5)
    assert len(server.chats) == 1


@pytest.mark.parametrize(
    "script",
    [
        Script(SENTENCE.chunks, fault=Fault.CUT_MIDWAY),
        Script(SENTENCE.chunks, fault=Fault.NO_END),
        Script(SENTENCE.chunks, fault=Fault.GARBAGE),
        Script(SENTENCE.chunks, fault=Fault.ERROR_MIDWAY),
        refusal(503, "server busy"),
        refusal(500),
    ],
)
async def test_a_stream_that_breaks(server: ScriptedServer, script: Script) -> None:
    server.play(script)
    lines = await checked()
    assert lines["sentence"].status == Status.FAILED
    assert (
        lines["tokens"].detail == lines["structure"].detail == "Not checked, because the model wrote nothing."
    )
    assert lines["thinking"].status != Status.FAILED


@pytest.mark.parametrize(
    "answer",
    ["It is a dark cellar.", '["cellar"]', '{"place": "cellar"}', '{"place": "x", "is_dark": "yes"}', '{"pl'],
)
async def test_a_model_that_keeps_to_no_form(server: ScriptedServer, answer: str) -> None:
    server.play(SENTENCE, answer)
    lines = await checked()
    assert lines["structure"].status == Status.WARNING
    assert "the narration does not depend on it" in lines["structure"].detail
    assert worst_status(lines.values()) == Status.WARNING


async def test_a_server_that_breaks_off_the_form(server: ScriptedServer) -> None:
    server.play(SENTENCE, refusal(503, "server busy"))
    assert (await checked())["structure"].status == Status.FAILED


async def test_thinking(narrator: ScriptedServer, settings: Settings) -> None:
    settings.INFERENCE_API = "ollama"
    engine = environment_settings()
    narrator.play(Script(SENTENCE.chunks, thinking=("Hm. ",), prompt_tokens=200), FORM)
    assert (await checked(engine))["thinking"].status == Status.WARNING  # it was told not to
    narrator.play(Script(SENTENCE.chunks, thinking=("Hm. ",), prompt_tokens=200), FORM)
    lines = await checked(replace(engine, reasoning=True))
    assert lines["thinking"].status == Status.OK
    assert "first thought" in lines["sentence"].detail
    narrator.capabilities = ("completion",)
    narrator.play(SENTENCE, FORM)
    lines = await checked(replace(engine, reasoning="high"))
    assert lines["thinking"].status == Status.WARNING
    assert "does not think" in lines["thinking"].detail


# --- the rehearsal narrator --------------------------------------------------------------------------------


async def test_the_rehearsal_narrator_is_called_what_it_is() -> None:
    lines = await checked()
    assert statuses(lines) == {"server": "skipped", "model": "ok", "sentence": "ok"}
    assert "No model server is set up" in lines["server"].detail
    assert "settings page" in lines["server"].advice
    assert "no model" in lines["model"].detail
    assert "“" in lines["sentence"].detail


async def test_what_else_answers_is_offered(settings: Settings, scripted_server: ScriptedServer) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = "auto", "http://127.0.0.1:9"
    assert "none answers at http://127.0.0.1:9" in (await checked())["server"].detail
    settings.INFERENCE_URL = scripted_server.url
    line = (await checked())["server"]
    assert line.status == Status.WARNING
    assert MODEL in line.detail
    assert scripted_server.chats == []


# --- the real small model ----------------------------------------------------------------------------------


@pytest.mark.model
@pytest.mark.parametrize("api", ["ollama", "openai"])
async def test_a_real_model(settings: Settings, small_model: SmallModel, api: str) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = api, small_model.url
    settings.INFERENCE_MODEL, settings.CONTEXT_WINDOW = small_model.name, 2048
    lines = await checked()
    assert "failed" not in statuses(lines).values(), lines
    assert lines["sentence"].status in (Status.OK, Status.WARNING)
    assert lines["tokens"].status == Status.OK


# --- page and API ------------------------------------------------------------------------------------------

pages = pytest.mark.django_db(transaction=True)


@pytest.fixture
def keeper(db: None) -> User:
    return factories.make_owner()


@pytest.fixture
def page(async_client: AsyncClient, keeper: User) -> AsyncClient:
    async_client.force_login(keeper)
    return async_client


@pages
async def test_the_page_says_what_it_will_look_at(page: AsyncClient) -> None:
    text = (await page.get(reverse("check-page"))).content.decode()
    assert "Check now" in text
    assert 'data-id="sentence" data-status="waiting"' in text


@pages
async def test_the_page_without_a_script(page: AsyncClient, server: ScriptedServer) -> None:
    server.models = {MODEL: 8192, "a<b>": 1}
    server.play("<b>Bold</b> & quiet.", "no form")
    text = (await page.post(reverse("check-page"))).content.decode()
    assert "Check again" in text
    assert "The narrator works." in text
    assert 'data-id="structure" data-status="warning"' in text
    assert "&lt;b&gt;Bold&lt;/b&gt; &amp; quiet." in text
    assert "<b>Bold" not in text


@pages
async def test_the_page_line_by_line(page: AsyncClient, server: ScriptedServer) -> None:
    server.play("Warm light.", "no form")
    response = await page.post(reverse("check-page"), headers={"Accept": "text/event-stream"})
    assert response["Content-Type"] == "text/event-stream"
    parts = cast(AsyncIterable[bytes], response)
    body = b"".join([part async for part in parts]).decode()
    events = [block.split("\ndata: ") for block in body.strip().split("\n\n")]
    names = [name.removeprefix("event: ") for name, _ in events]
    assert names == ["plan", *["line"] * 8, "end"]
    plan, end = json.loads(events[0][1]), json.loads(events[-1][1])
    assert [line["id"] for line in plan["lines"]] == [json.loads(data)["id"] for _, data in events[1:-1]]
    assert end["status"] == "warning"


@pages
def test_the_check_over_the_api(client: Client, keeper: User, scripted_server: ScriptedServer) -> None:
    client.force_login(keeper)
    report = client.post("/api/v1/settings/check").json()
    assert report["status"] == "ok"
    assert [item["id"] for item in report["items"]] == ["server", "model", "sentence"]
    assert set(report["items"][0]) == {"id", "name", "status", "detail", "advice"}


@pytest.mark.process
@pytest.mark.parametrize("path", ["/settings/check/", "/api/v1/settings/check"])
def test_a_caller_who_hangs_up_ends_the_check(
    tmp_path: Path, scripted_server: ScriptedServer, path: str
) -> None:
    gate = Gate(after=2)
    scripted_server.play(Script(SENTENCE.chunks, gate=gate))
    told_by = {
        "STORYTELLER_INFERENCE_API": "ollama",
        "STORYTELLER_INFERENCE_URL": scripted_server.url,
        "STORYTELLER_MODEL": MODEL,
    }
    with (
        Game(tmp_path, **told_by) as game,
        socket.create_connection((game.host.split(":")[0], game.port)) as line,
    ):
        headers = _signed_in(game) if path.startswith("/settings") else _token(tmp_path)
        line.sendall(
            f"POST {path} HTTP/1.1\r\nHost: {game.host}\r\nContent-Length: 0\r\n{headers}\r\n".encode()
        )
        assert gate.reached.wait(10)
        line.close()
        assert scripted_server.client_closed.wait(10)
        assert len(scripted_server.chats) == 1


def _token(data: Path) -> str:
    made = run_command(data, "api_token", "create", "check", check=True)
    return f"Authorization: Bearer {made.stdout.strip()}\r\n"


def _signed_in(game: Game) -> str:
    """The headers of a browser that came in by the link."""
    with httpx.Client(base_url=f"http://{game.host}", follow_redirects=True) as browser:
        browser.get(game.link)
        token = browser.cookies["storyteller_csrf"]
        browser.post(game.link, data={"csrfmiddlewaretoken": token})
        cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        return f"Cookie: {cookies}\r\nX-CSRFToken: {browser.cookies['storyteller_csrf']}\r\n"


@pages
def test_only_staff_may_check(client: Client, db: None) -> None:
    client.force_login(User.objects.create_user("guest"))
    answer = client.post("/api/v1/settings/check")
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert client.get(reverse("check-page")).status_code == 403
    assert client.post(reverse("check-page")).status_code == 403
