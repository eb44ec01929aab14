"""What every narrator back end does: rehearsal, and both APIs on a scripted server and on a real model."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

import pytest

from narrative.inference.base import (
    Backend,
    ChatRequest,
    Finished,
    GenerationOptions,
    Message,
    ModelMissingError,
    StreamEvent,
    TextDelta,
)
from narrative.inference.http import HttpClient, Timeouts
from narrative.inference.ollama import OllamaBackend
from narrative.inference.openai import OpenAIBackend
from narrative.inference.rehearsal import RehearsalBackend
from tests.inference_servers.scripted import MODEL, Gate, Script, ScriptedServer, in_words

NOWHERE = "http://127.0.0.1:1"
TIMEOUTS = Timeouts(first_token=60, between_tokens=60)


@dataclass(frozen=True, slots=True)
class Subject:
    """A back end with a model it has, and how to prepare and look at what is behind it."""

    backend: Backend
    model: str
    make_unconnected: Callable[[], Backend]
    servers: list[ScriptedServer] = field(default_factory=list)


def _rehearsal(_: pytest.FixtureRequest) -> Subject:
    return Subject(RehearsalBackend(rate=0), "rehearsal", lambda: RehearsalBackend(rate=0))


def _scripted(make: Callable[[HttpClient], Backend], request: pytest.FixtureRequest) -> Subject:
    server: ScriptedServer = request.getfixturevalue("scripted_server")
    backend = make(HttpClient(server.url, TIMEOUTS))
    return Subject(backend, MODEL, lambda: make(HttpClient(NOWHERE, TIMEOUTS)), [server])


def _real(make: Callable[[HttpClient], Backend], request: pytest.FixtureRequest) -> Subject:
    model = request.getfixturevalue("small_model")
    return Subject(
        make(HttpClient(model.url, TIMEOUTS)), model.name, lambda: make(HttpClient(NOWHERE, TIMEOUTS))
    )


@pytest.fixture(
    params=[
        pytest.param(_rehearsal, id="rehearsal"),
        pytest.param(lambda request: _scripted(OllamaBackend, request), id="ollama"),
        pytest.param(lambda request: _scripted(OpenAIBackend, request), id="openai"),
        pytest.param(
            lambda request: _real(OllamaBackend, request), id="ollama-model", marks=pytest.mark.model
        ),
        pytest.param(
            lambda request: _real(OpenAIBackend, request), id="openai-model", marks=pytest.mark.model
        ),
    ]
)
def subject(request: pytest.FixtureRequest) -> Subject:
    made: Subject = request.param(request)
    return made


def ask(model: str, text: str = "I open the door.") -> ChatRequest:
    messages = (
        Message("system", "You narrate a story in the second person. The protagonist is Maren."),
        Message("assistant", "You stand before a bronze door, and the rain stands behind you."),
        Message("user", text),
    )
    return ChatRequest(model, messages, GenerationOptions(context_window=2048, max_output_tokens=24, seed=7))


async def collect(backend: Backend, request: ChatRequest) -> list[StreamEvent]:
    async with aclosing(backend.stream_chat(request)) as events:
        return [event async for event in events]


def text_of(events: list[StreamEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


class TestBackend:
    async def test_it_streams_deltas_and_then_one_finished(self, subject: Subject) -> None:
        events = await collect(subject.backend, ask(subject.model))
        assert isinstance(events[-1], Finished)
        assert sum(isinstance(event, Finished) for event in events) == 1
        assert sum(isinstance(event, TextDelta) for event in events) > 1
        assert text_of(events).strip()

    async def test_it_reports_what_was_written(self, subject: Subject) -> None:
        last = (await collect(subject.backend, ask(subject.model)))[-1]
        assert isinstance(last, Finished)
        assert last.usage.output_tokens

    async def test_an_empty_message_is_answered(self, subject: Subject) -> None:
        assert text_of(await collect(subject.backend, ask(subject.model, ""))).strip()

    @pytest.mark.parametrize("text", ["Ich öffne die Tür. 🐉", "我打开门。", "\u202eI open\u0000 it\ud800"])
    async def test_any_script_is_answered(self, subject: Subject, text: str) -> None:
        assert text_of(await collect(subject.backend, ask(subject.model, text))).strip()

    async def test_a_stream_can_be_closed_after_its_first_word(self, subject: Subject) -> None:
        for server in subject.servers:
            server.play(Script(in_words("You open it and go on."), gate=Gate(after=2)))
        events = subject.backend.stream_chat(ask(subject.model))
        assert isinstance(await anext(events), TextDelta)
        await events.aclose()
        for server in subject.servers:
            assert await asyncio.to_thread(server.client_closed.wait, 2)

    async def test_it_lists_the_model(self, subject: Subject) -> None:
        assert subject.model in [model.name for model in await subject.backend.list_models()]

    async def test_it_describes_the_model(self, subject: Subject) -> None:
        description = await subject.backend.describe_model(subject.model)
        assert description.name == subject.model
        assert description.context_length is None or description.context_length >= 2048

    async def test_it_is_well(self, subject: Subject) -> None:
        await subject.backend.check_health()

    async def test_an_unknown_model_is_missing(self, subject: Subject) -> None:
        with pytest.raises(ModelMissingError) as error:
            await collect(subject.backend, ask("no-such-model"))
        assert "model" in error.value.message

    async def test_an_unknown_model_is_not_described(self, subject: Subject) -> None:
        with pytest.raises(ModelMissingError):
            await subject.backend.describe_model("no-such-model")

    def test_building_one_connects_to_nothing(self, subject: Subject) -> None:
        assert subject.make_unconnected().api == subject.backend.api
