"""Replies as a whole, and as JSON."""

from dataclasses import replace
from typing import Any

import pytest

from narrative.inference.base import BadResponseError
from narrative.inference.completing import complete, complete_object
from narrative.inference.ollama import OllamaBackend
from narrative.inference.openai import OpenAIBackend
from tests.inference_servers.scripted import Script, ScriptedServer, in_words
from tests.narrative.inference.servers import ask, client_of

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"place": {"type": "string"}}}
ASKED = replace(ask(), schema=SCHEMA)


@pytest.fixture(params=[OllamaBackend, OpenAIBackend])
def backend(request: pytest.FixtureRequest, scripted_server: ScriptedServer) -> OllamaBackend | OpenAIBackend:
    made: OllamaBackend | OpenAIBackend = request.param(client_of(scripted_server))
    return made


async def test_the_text_without_the_thinking(backend: OllamaBackend, scripted_server: ScriptedServer) -> None:
    scripted_server.play(Script(in_words("You wake up."), thinking=("Hm. ", "So.")))
    completion = await complete(backend, ask())
    assert (completion.text, completion.is_cut) == ("You wake up.", False)


async def test_a_reply_at_the_limit_says_so(backend: OllamaBackend, scripted_server: ScriptedServer) -> None:
    scripted_server.play(Script(in_words("You wake up."), finish="length"))
    assert (await complete(backend, ask())).is_cut


@pytest.mark.parametrize(
    "text",
    [
        '{"place": "crypt"}',
        ' \n{"place": "crypt"}\n ',
        '```json\n{"place": "crypt"}\n```',
        '```\n{"place": "crypt"}\n```\n',
        '```JSON\n{"place":\n "crypt"}```',
    ],
)
async def test_json_with_a_fence_or_without(
    backend: OllamaBackend, scripted_server: ScriptedServer, text: str
) -> None:
    scripted_server.play(Script((text,)))
    assert await complete_object(backend, ASKED) == {"place": "crypt"}
    assert len(scripted_server.chats) == 1


@pytest.mark.parametrize("text", ["no JSON", "[1]", '"text"', '{"place": ', "[" * 5000, "{}{}"])
async def test_anything_else_is_a_bad_response(
    backend: OllamaBackend, scripted_server: ScriptedServer, text: str
) -> None:
    scripted_server.play(Script((text,)))
    with pytest.raises(BadResponseError, match="The model answered"):
        await complete_object(backend, ASKED)


async def test_json_that_was_cut_is_a_bad_response(
    backend: OllamaBackend, scripted_server: ScriptedServer
) -> None:
    scripted_server.play(Script(('{"place": "crypt"}',), finish="length"))
    with pytest.raises(BadResponseError, match="cut off"):
        await complete_object(backend, ASKED)


async def test_ollama_gets_the_schema_and_is_asked_once_more_without_a_word_on_thinking(
    scripted_server: ScriptedServer,
) -> None:
    scripted_server.play("I would rather tell a story.", '{"place": "crypt"}')
    backend = OllamaBackend(client_of(scripted_server))
    assert await complete_object(backend, ASKED) == {"place": "crypt"}
    first, second = (chat.body for chat in scripted_server.chats)
    assert (first["format"], first["think"]) == (SCHEMA, False)
    assert second == {name: value for name, value in first.items() if name != "think"}


async def test_other_servers_get_the_schema_as_a_response_format(scripted_server: ScriptedServer) -> None:
    scripted_server.play("no JSON")
    with pytest.raises(BadResponseError):
        await complete_object(OpenAIBackend(client_of(scripted_server)), ASKED)
    [chat] = scripted_server.chats
    assert chat.body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": SCHEMA},
    }


@pytest.mark.parametrize(
    ("refused", "formats"),
    [
        (("response_format",), ["json_schema", "json_object", None]),
        (("stream_options",), ["json_schema", "json_object"]),
    ],
)
async def test_a_server_that_refuses_a_schema_is_asked_for_plain_json(
    scripted_server: ScriptedServer, refused: tuple[str, ...], formats: list[str | None]
) -> None:
    scripted_server.refused_fields = refused
    scripted_server.play('{"place": "crypt"}')
    backend = OpenAIBackend(client_of(scripted_server))
    assert await complete_object(backend, ASKED) == {"place": "crypt"}
    sent = [chat.body.get("response_format", {}).get("type") for chat in scripted_server.chats]
    assert sent == formats
