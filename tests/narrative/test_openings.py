"""Openings that a narrator writes, and that nothing keeps."""

import asyncio
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from campaigns.models import Campaign, TurnRequest
from narrative.errors import ContextOverflowError
from narrative.inference.base import BadResponseError
from narrative.models import PromptRecord
from narrative.openings import narrate_opening
from storyteller.asgi import application
from tests.api_client import Api, json_of, problem_of
from tests.inference_servers.scripted import MODEL, Fault, Script, ScriptedServer, in_words, refusal

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "The lift stops between two decks.\n\nYou hear your own name, from below."
BRIEF: dict[str, Any] = {
    "profile": {"genre": "Science fiction", "tense": "Past"},
    "protagonist": {"name": "Ode Maric", "description": "A welder."},
    "canon": {"rules": ["Nobody has been to the lower decks."], "single_valued": ["captain"]},
}


@pytest.fixture
def api(owner: User) -> Api:
    return Api(owner)


def test_it_is_asked_with_what_a_turn_is_told_under(api: Api, narrator: ScriptedServer) -> None:
    narrator.play(TEXT)
    assert json_of(api.post("/openings", BRIEF)) == {"text": TEXT}
    system, asked = narrator.chats[0].body["messages"]
    for words in ("Genre: Science fiction", "Ode Maric", "A welder.", "Nobody has been to the lower decks."):
        assert words in system["content"]
    assert system["content"].startswith("You are the narrator of an interactive story.")
    assert asked["content"].startswith("[Open the story.]\n")
    assert not Campaign.objects.exists()
    assert not TurnRequest.objects.exists()
    assert not PromptRecord.objects.exists()


def test_rehearsal_writes_one_as_well(api: Api) -> None:
    text = json_of(api.post("/openings", BRIEF))["text"]
    assert 1 <= len(text) <= 20_000
    assert text.rstrip().endswith((".", "!", "?", "…", "”"))
    assert json_of(api.post("/openings", {}))["text"]


def test_rehearsal_writes_another_one_when_it_is_asked_again(api: Api) -> None:
    assert len({json_of(api.post("/openings", BRIEF))["text"] for _ in range(4)}) > 1


def test_a_seed_that_was_set_is_kept_to(api: Api) -> None:
    json_of(api.patch("/settings", {"seed": 7}))
    assert len({json_of(api.post("/openings", BRIEF))["text"] for _ in range(4)}) == 1


def test_the_brief_is_cleaned_as_a_campaign_would_be(api: Api, narrator: ScriptedServer) -> None:
    brief = {
        "profile": {"genre": " Sci\x00fi\ud800 ", "tone": " "},
        "protagonist": {"name": "Ode\x07 "},
        "canon": {"rules": [" Nobody flies. ", "\x1f", ""]},
    }
    json_of(api.post("/openings", brief))
    system = narrator.chats[0].body["messages"][0]["content"]
    assert "Genre: Scifi\nWrite in" in system
    assert "protagonist is Ode, played" in system
    assert system.endswith("change it:\n- Nobody flies.")


def test_thinking_is_dropped(api: Api, narrator: ScriptedServer) -> None:
    narrator.play(Script(in_words(TEXT), thinking=("Hm. ",)))
    assert json_of(api.post("/openings", BRIEF))["text"] == TEXT


@pytest.mark.parametrize("end", [" And then the", " It is 3.5 metres to the", " “But", " Mar"])
def test_a_cut_opening_ends_with_a_sentence(api: Api, narrator: ScriptedServer, end: str) -> None:
    narrator.play(Script(in_words(TEXT + end), finish="length"))
    assert json_of(api.post("/openings", BRIEF))["text"] == TEXT


@pytest.mark.parametrize("text", ["“Who is there?” And", "*Run.* And", "(It rains.) And", "So it goes… And"])
def test_what_closes_a_sentence_stays_with_it(api: Api, narrator: ScriptedServer, text: str) -> None:
    narrator.play(Script(in_words(text), finish="length"))
    assert json_of(api.post("/openings", BRIEF))["text"] == text.removesuffix(" And")


def test_an_opening_that_is_too_long_ends_within_its_length(api: Api, narrator: ScriptedServer) -> None:
    narrator.play("It rains on. " * 2_000)
    text = json_of(api.post("/openings", BRIEF))["text"]
    assert 19_900 < len(text) <= 20_000
    assert text.endswith("It rains on.")


@pytest.mark.parametrize(
    ("script", "code"),
    [
        (refusal(503, "server busy"), "inference_overloaded"),
        (refusal(404, "model 'scripted' not found"), "inference_model_missing"),
        (Script(in_words(TEXT), fault=Fault.CUT_MIDWAY), "inference_bad_response"),
        (Script(in_words(TEXT), fault=Fault.NO_END), "inference_bad_response"),
        (Script(), "inference_bad_response"),
        (Script(in_words(TEXT), fault=Fault.HANG_MIDWAY), "inference_timed_out"),
    ],
)
def test_faults(api: Api, narrator: ScriptedServer, settings: Settings, script: Script, code: str) -> None:
    settings.TOKEN_TIMEOUT = 0.2
    narrator.play(script)
    problem_of(api.post("/openings", BRIEF), 502, code)


def test_a_brief_that_the_server_cut_without_a_word(
    api: Api, scripted_server: ScriptedServer, settings: Settings
) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = "ollama", scripted_server.url
    settings.INFERENCE_MODEL = MODEL
    scripted_server.play(Script(in_words(TEXT), prompt_tokens=20))
    problem_of(api.post("/openings", BRIEF), 502, "inference_context_exceeded")


def test_a_brief_that_does_not_fit(api: Api, narrator: ScriptedServer) -> None:
    canon = {"rules": ["Nobody has been to the lower decks. " * 50] * 30}
    problem_of(api.post("/openings", {"canon": canon}), 422, "context_overflow")
    assert narrator.chats == []


@pytest.mark.parametrize(
    "body",
    [{"title": "x"}, {"profile": {"colour": "red"}}, {"protagonist": "Ode"}, {"canon": {"rules": "x"}}],
)
def test_what_is_no_brief(api: Api, body: dict[str, Any]) -> None:
    problem_of(api.post("/openings", body), 422, "invalid")


async def test_whoever_leaves_leaves_nothing_running(narrator: ScriptedServer) -> None:
    narrator.play(Script(in_words(TEXT), fault=Fault.HANG_MIDWAY))
    asking = asyncio.create_task(narrate_opening(profile={}, canon={}))
    while not narrator.chats:  # noqa: ASYNC110 - what it waits for is a server's
        await asyncio.sleep(0.01)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert await asyncio.to_thread(narrator.client_closed.wait, 2)


async def test_a_caller_who_hangs_up_cancels_it(api: Api, narrator: ScriptedServer) -> None:
    narrator.play(Script(in_words(TEXT), fault=Fault.HANG_MIDWAY))
    headers = api.headers | {"Host": "127.0.0.1", "Content-Type": "application/json"}
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "path": "/api/v1/openings",
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
    }
    sent: asyncio.Queue[dict[str, object]] = asyncio.Queue()
    answered: asyncio.Queue[dict[str, object]] = asyncio.Queue()
    sent.put_nowait({"type": "http.request", "body": b"{}"})
    calling = asyncio.create_task(application(scope, sent.get, answered.put))
    while not narrator.chats:  # noqa: ASYNC110 - what it waits for is a server's
        await asyncio.sleep(0.01)
    sent.put_nowait({"type": "http.disconnect"})
    assert await asyncio.to_thread(narrator.client_closed.wait, 10)
    await asyncio.wait_for(calling, 10)
    assert answered.empty()


async def test_errors_are_typed(narrator: ScriptedServer, settings: Settings) -> None:
    narrator.play("\u200b\n\n\x00")
    with pytest.raises(BadResponseError):
        await narrate_opening(profile={}, canon={})
    settings.CONTEXT_WINDOW = 700
    with pytest.raises(ContextOverflowError):
        await narrate_opening(profile={}, canon={})
