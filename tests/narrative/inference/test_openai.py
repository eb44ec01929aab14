"""What an OpenAI-compatible server is sent, and what is made of what it sends."""

import json

import pytest

from narrative.inference.base import BadResponseError
from narrative.inference.openai import OpenAIBackend
from tests.inference_servers.scripted import MODEL, Script, ScriptedServer, in_words
from tests.inference_servers.scripts import WHOLE_PROMPT
from tests.narrative.inference.servers import ask, client_of, read

WORDS = in_words("You wake in the rain.")


@pytest.fixture
def backend(scripted_server: ScriptedServer) -> OpenAIBackend:
    return OpenAIBackend(client_of(scripted_server))


async def test_everything_is_said_every_time(backend: OpenAIBackend, scripted_server: ScriptedServer) -> None:
    await read(backend, ask())
    assert scripted_server.chats[0].body == {
        "model": MODEL,
        "messages": [{"role": "system", "content": "You narrate."}, {"role": "user", "content": "I wake."}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 300,
        "temperature": 0.8,
        "top_p": 0.95,
        "min_p": 0.05,
        "repeat_penalty": 1.05,
        "reasoning_effort": "none",
        "seed": 11,
        "stop": ["\n>"],
    }


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/"])
async def test_the_address_may_end_in_v1(scripted_server: ScriptedServer, path: str) -> None:
    backend = OpenAIBackend(client_of(scripted_server, path))
    await backend.check_health()
    text, _, last = await read(backend, ask())
    assert text == "You wake in the rain."
    assert (last.usage.prompt_tokens, last.usage.output_tokens) == (WHOLE_PROMPT, 5)


async def test_refused_extensions_are_left_out_the_second_time(
    backend: OpenAIBackend, scripted_server: ScriptedServer
) -> None:
    scripted_server.refused_fields = ("stream_options",)
    text, _, last = await read(backend, ask())
    first, second = (chat.body for chat in scripted_server.chats)
    assert text == "You wake in the rain."
    assert last.usage.prompt_tokens is None
    assert set(first) - set(second) == {
        "stream_options",
        "min_p",
        "repeat_penalty",
        "reasoning_effort",
    }


async def test_a_second_refusal_is_final(backend: OpenAIBackend, scripted_server: ScriptedServer) -> None:
    scripted_server.refused_fields = ("min_p", "top_p")
    with pytest.raises(BadResponseError, match="top_p"):
        await read(backend, ask())
    assert len(scripted_server.chats) == 2


async def test_thinking_is_kept_apart(backend: OpenAIBackend, scripted_server: ScriptedServer) -> None:
    scripted_server.play(Script(("<think>More.", "</think>", *WORDS), thinking=("Hm. ",)))
    text, reasoning, _ = await read(backend, ask())
    assert (text, reasoning) == ("You wake in the rain.", "Hm. More.")


def chunk(delta: dict[str, str], finish: str | None = None) -> str:
    return "data: " + json.dumps({"choices": [{"delta": delta, "finish_reason": finish}]})


def wire(lines: list[str]) -> bytes:
    return "".join(f"{line}\r\n\r\n" for line in lines).encode()


@pytest.mark.parametrize(
    "lines",
    [
        [chunk({"content": "You."}), chunk({}, "stop"), "data: [DONE]"],
        [chunk({"content": "You."}, "stop"), "data: [DONE]"],
        [": keep-alive", "", chunk({"role": "assistant"}), chunk({"content": "You."}, "stop"), "data:[DONE]"],
        ["event: message", chunk({"reasoning": "Hm."}), chunk({"content": "You."}, "eos"), "data: [DONE]"],
    ],
)
async def test_complete_replies(
    backend: OpenAIBackend, scripted_server: ScriptedServer, lines: list[str]
) -> None:
    scripted_server.play(Script(raw=wire(lines)))
    text, _, last = await read(backend, ask())
    assert (text, last.reason) == ("You.", "stop")


@pytest.mark.parametrize(
    "lines",
    [
        [chunk({"content": "You."})],
        [chunk({"content": "You."}), "data: [DONE]"],
        [chunk({"content": "You."}, "stop")],
        ['{"choices": [{"message": {"content": "You."}, "finish_reason": "stop"}]}'],
        ['{"error": {"message": "broken"}}'],
        ['data: {"error": "broken"}'],
        ['error: {"code": 500, "message": "broken"}'],
        ['data: {"choices": [{"delta": {"content": ["You."]}}]}'],
        ["data: [1, 2]"],
        ["data: " + "[" * 100_000],
    ],
)
async def test_incomplete_and_broken_replies(
    backend: OpenAIBackend, scripted_server: ScriptedServer, lines: list[str]
) -> None:
    scripted_server.play(Script(raw=wire(lines)))
    with pytest.raises(BadResponseError):
        await read(backend, ask())
