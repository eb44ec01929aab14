"""How a server is told to think, and what is said where its model cannot."""

import json
from dataclasses import replace

import pytest

from narrative.inference.base import BadResponseError, Reasoning
from narrative.inference.ollama import OllamaBackend
from narrative.inference.openai import OpenAIBackend
from tests.inference_servers.scripted import MODEL, Script, ScriptedServer
from tests.narrative.inference.servers import OPTIONS, ask, client_of, read

CASES = [(False, 300), (True, 1000), ("low", 1000), ("high", 1000)]


@pytest.mark.parametrize(("reasoning", "tokens"), CASES)
async def test_ollama(scripted_server: ScriptedServer, reasoning: Reasoning, tokens: int) -> None:
    options = replace(OPTIONS, reasoning=reasoning, reasoning_tokens=700)
    await read(OllamaBackend(client_of(scripted_server)), ask(options=options))
    body = scripted_server.chats[0].body
    assert body["think"] is reasoning or body["think"] == reasoning
    assert body["options"]["num_predict"] == tokens
    assert body["options"]["num_ctx"] == 4096


@pytest.mark.parametrize(("reasoning", "tokens"), CASES)
async def test_openai(scripted_server: ScriptedServer, reasoning: Reasoning, tokens: int) -> None:
    options = replace(OPTIONS, reasoning=reasoning, reasoning_tokens=700)
    await read(OpenAIBackend(client_of(scripted_server)), ask(options=options))
    body = scripted_server.chats[0].body
    assert body["max_tokens"] == tokens
    sent = {False: "none", True: None}[reasoning] if isinstance(reasoning, bool) else reasoning
    assert body.get("reasoning_effort") == sent
    assert ("reasoning_effort" in body) == (reasoning is not True)


async def test_a_server_that_knows_no_such_field_is_asked_without_it(scripted_server: ScriptedServer) -> None:
    scripted_server.refused_fields = ("reasoning_effort",)
    text, *_ = await read(OpenAIBackend(client_of(scripted_server)), ask())
    assert text == "You wake in the rain."
    assert ["reasoning_effort" in chat.body for chat in scripted_server.chats] == [True, False]


async def test_a_model_that_cannot_think_is_not_asked_to(scripted_server: ScriptedServer) -> None:
    scripted_server.capabilities = ("completion",)
    options = replace(OPTIONS, reasoning=True)
    await read(OllamaBackend(client_of(scripted_server)), ask(options=options))
    assert scripted_server.chats[0].body["think"] is False


@pytest.mark.parametrize(
    "said",
    [
        f'"{MODEL}" does not support thinking',
        f'"registry.ollama.ai/library/{MODEL}:latest" does not support thinking',
        'think value "low" is not supported for this model',
    ],
)
async def test_a_model_that_cannot_think(scripted_server: ScriptedServer, said: str) -> None:
    scripted_server.play(Script((), status=400, body=json.dumps({"error": said}).encode()))
    options = replace(OPTIONS, reasoning="low")
    with pytest.raises(BadResponseError, match=rf"“{MODEL}” cannot think.*“reasoning” to false"):
        await read(OllamaBackend(client_of(scripted_server)), ask(options=options))


async def test_a_server_that_knows_no_levels(scripted_server: ScriptedServer) -> None:
    scripted_server.refused_fields = ("reasoning_effort",)
    options = replace(OPTIONS, reasoning="high")
    with pytest.raises(BadResponseError, match="cannot think"):
        await read(OpenAIBackend(client_of(scripted_server)), ask(options=options))
    assert len(scripted_server.chats) == 1


@pytest.mark.parametrize(("setting", "sent"), [("1.5", 1.5), ("0.25", 0.25), ("300", 300), ("1.5h", "1.5h")])
async def test_a_keep_alive_that_is_a_number_goes_as_one(
    scripted_server: ScriptedServer, setting: str, sent: float | str
) -> None:
    backend = OllamaBackend(client_of(scripted_server))
    await read(backend, ask(options=replace(OPTIONS, keep_alive=setting)))
    body = scripted_server.chats[0].body
    assert (body["keep_alive"], type(body["keep_alive"])) == (sent, type(sent))
