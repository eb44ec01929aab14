"""The line before a model: one at a time, the player first, and nobody left standing in it."""

import asyncio
from contextlib import aclosing
from dataclasses import replace

import pytest

from narrative.inference.base import ChatRequest, Message, Priority, TextDelta
from narrative.inference.ollama import OllamaBackend
from narrative.inference.one_at_a_time import OneAtATime, line_of
from tests.inference_servers.scripted import Fault, Gate, Script, ScriptedServer, in_words
from tests.narrative.inference.servers import OPTIONS, ask, client_of, read


@pytest.fixture
def backend(scripted_server: ScriptedServer) -> OneAtATime:
    return OneAtATime(OllamaBackend(client_of(scripted_server)), scripted_server.url)


def saying(text: str, priority: Priority) -> ChatRequest:
    return replace(ask(), messages=(Message("user", text),), priority=priority)


async def _settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def said(server: ScriptedServer) -> list[str]:
    return [chat.body["messages"][-1]["content"] for chat in server.chats]


async def test_the_player_comes_before_what_waits_already(
    backend: OneAtATime, scripted_server: ScriptedServer
) -> None:
    gate = Gate()
    scripted_server.play(Script(in_words("You wake up."), gate=gate), "Done.")
    tasks = []
    for text, priority in (
        ("first", Priority.BACKGROUND),
        ("summary", Priority.BACKGROUND),
        ("turn", Priority.PLAYER),
        ("memory", Priority.BACKGROUND),
        ("second turn", Priority.PLAYER),
    ):
        tasks.append(asyncio.create_task(read(backend, saying(text, priority))))
        await _settle()
    await asyncio.to_thread(gate.reached.wait, 5)
    assert said(scripted_server) == ["first"]
    gate.opened.set()
    await asyncio.gather(*tasks)
    assert said(scripted_server) == ["first", "turn", "second turn", "summary", "memory"]
    assert not line_of(scripted_server.url, "scripted").is_taken


async def test_another_model_has_a_line_of_its_own(
    backend: OneAtATime, scripted_server: ScriptedServer
) -> None:
    gate = Gate()
    scripted_server.models["other"] = 8192
    scripted_server.play(Script(in_words("You wake up."), gate=gate), "Done.")
    first = asyncio.create_task(read(backend, ask()))
    await asyncio.to_thread(gate.reached.wait, 5)
    text, *_ = await read(backend, ask(model="other"))
    assert text == "Done."
    gate.opened.set()
    await first


async def test_one_who_leaves_the_line_is_not_waited_for(
    backend: OneAtATime, scripted_server: ScriptedServer
) -> None:
    gate = Gate()
    scripted_server.play(Script(in_words("You wake up."), gate=gate), "Done.")
    first, leaver, last = (asyncio.create_task(read(backend, ask())) for _ in range(3))
    await asyncio.to_thread(gate.reached.wait, 5)
    leaver.cancel()
    await asyncio.gather(leaver, return_exceptions=True)
    gate.opened.set()
    await asyncio.gather(first, last)
    assert len(scripted_server.chats) == 2


async def test_one_who_leaves_as_the_turn_comes_passes_it_on() -> None:
    line = line_of("http://nowhere", "model")
    order: list[str] = []

    async def stand(name: str) -> None:
        async with line.turn(Priority.PLAYER):
            order.append(name)

    async with line.turn(Priority.PLAYER):
        leaver, last = asyncio.create_task(stand("leaver")), asyncio.create_task(stand("last"))
        await _settle()
    leaver.cancel()  # it has been given the turn, and has not run yet
    await asyncio.gather(leaver, last, return_exceptions=True)
    assert order == ["last"]
    assert not line.is_taken


@pytest.mark.parametrize("fault", [Fault.CUT_MIDWAY, Fault.ERROR_MIDWAY, Fault.HANG_MIDWAY])
async def test_a_failure_frees_the_line(
    backend: OneAtATime, scripted_server: ScriptedServer, fault: Fault
) -> None:
    scripted_server.play(Script(in_words("You wake up."), fault=fault), "Done.")
    results = await asyncio.gather(read(backend, ask()), read(backend, ask()), return_exceptions=True)
    assert isinstance(results[0], Exception)
    assert not isinstance(results[1], BaseException)
    assert results[1][0] == "Done."


async def test_a_reader_who_stops_frees_the_line(
    backend: OneAtATime, scripted_server: ScriptedServer
) -> None:
    scripted_server.play(Script(in_words("You wake up."), fault=Fault.HANG_MIDWAY), "Done.")
    async with aclosing(backend.stream_chat(ask())) as events:
        assert isinstance(await anext(events), TextDelta)
    assert (await read(backend, ask()))[0] == "Done."


async def test_loading_waits_behind_a_turn(backend: OneAtATime, scripted_server: ScriptedServer) -> None:
    gate = Gate()
    scripted_server.play(Script(in_words("You wake up."), gate=gate))
    turn = asyncio.create_task(read(backend, ask()))
    await asyncio.to_thread(gate.reached.wait, 5)
    load = asyncio.create_task(backend.load_model("scripted", OPTIONS))
    await _settle()
    assert scripted_server.loads == []
    gate.opened.set()
    await asyncio.gather(turn, load)
    [request] = scripted_server.loads
    assert request.body["options"]["num_ctx"] == OPTIONS.context_window
