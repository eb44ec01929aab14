"""The one module that opens connections: bounds, policy at connection time, and nothing leaking."""

import asyncio
import logging
import time
from contextlib import aclosing

import pytest

from narrative.inference.base import (
    BadResponseError,
    RefusedByPolicyError,
    TimedOutError,
    UnreachableError,
)
from narrative.inference.http import HttpClient, Resolver, StatusError, Timeouts, resolve
from narrative.inference.openai import OpenAIBackend
from narrative.inference.reading import BODY_LIMIT
from narrative.inference.server_json import JsonObject
from tests.inference_servers.scripted import MODEL, Fault, Script, ScriptedServer, in_words, refusal
from tests.narrative.inference.servers import ask, read

TIMEOUTS = Timeouts(first_token=20, between_tokens=20)
CHAT: JsonObject = {"model": MODEL, "messages": [{"role": "user", "content": "I wake."}]}
KEY = "sk-very-secret"


def answers(*rounds: list[str]) -> Resolver:
    """A resolver that gives another answer each time it is asked; the last one stays."""
    left = list(rounds)

    async def resolver(host: str, port: int) -> list[str]:
        return left.pop(0) if len(left) > 1 else left[0]

    return resolver


async def read_lines(client: HttpClient) -> list[str]:
    async with client.stream("/api/chat", CHAT) as stream, aclosing(stream.lines()) as lines:
        read = []
        async for line in lines:
            stream.token_arrived()
            read.append(line)
        return read


def client_of(
    server: ScriptedServer, *, timeouts: Timeouts = TIMEOUTS, key: str = "", resolver: Resolver = resolve
) -> HttpClient:
    return HttpClient(server.url, timeouts, key, resolver)


async def test_the_checked_address_is_connected_to_and_the_host_keeps_its_name(
    scripted_server: ScriptedServer,
) -> None:
    url = scripted_server.url.replace("127.0.0.1", "storyteller.test")
    client = HttpClient(url, TIMEOUTS, resolve=answers(["127.0.0.1"]))
    assert await client.call("/api/version")
    assert scripted_server.requests[0].headers["Host"] == url.removeprefix("http://")


async def test_a_name_that_answers_differently_the_second_time_is_refused(
    scripted_server: ScriptedServer,
) -> None:
    client = client_of(scripted_server, resolver=answers(["127.0.0.1"], ["8.8.8.8"]))
    assert await client.call("/api/version")
    with pytest.raises(RefusedByPolicyError):
        await client.call("/api/version")
    assert len(scripted_server.requests) == 1


async def test_a_mixed_answer_reaches_nobody(scripted_server: ScriptedServer) -> None:
    client = client_of(scripted_server, resolver=answers(["127.0.0.1", "10.0.0.1"]))
    with pytest.raises(RefusedByPolicyError):
        await client.call("/api/version")
    assert scripted_server.requests == []


async def test_the_next_address_is_tried_where_nobody_listens(scripted_server: ScriptedServer) -> None:
    client = client_of(scripted_server, resolver=answers(["127.0.0.2", "127.0.0.1"]))
    assert await client.call("/api/version")


async def test_proxies_of_the_environment_are_ignored(
    scripted_server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert await client_of(scripted_server).call("/api/version")


async def test_nobody_at_home() -> None:
    with pytest.raises(UnreachableError, match=r"Nothing answers at http://127\.0\.0\.1:1\. Start"):
        await HttpClient("http://127.0.0.1:1", TIMEOUTS).call("/api/version")


async def test_an_unknown_host() -> None:
    async def unknown(host: str, port: int) -> list[str]:
        raise OSError("no such name")

    with pytest.raises(UnreachableError, match="does not know the host"):
        await HttpClient("http://models.test", TIMEOUTS, resolve=unknown).call("/api/version")


async def test_redirects_are_not_followed(scripted_server: ScriptedServer) -> None:
    scripted_server.play(Script(fault=Fault.REDIRECT))
    with pytest.raises(RefusedByPolicyError, match="redirect"):
        await read_lines(client_of(scripted_server))
    assert len(scripted_server.requests) == 1


async def test_the_key_is_sent_and_never_shown(
    scripted_server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    scripted_server.play(refusal(401, f"Incorrect API key provided: {KEY}"))
    client = client_of(scripted_server, key=KEY)
    with pytest.raises(StatusError) as error:
        await read_lines(client)
    assert scripted_server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in error.value.message + error.value.body + repr(client) + caplog.text


async def test_a_key_quoted_inside_a_stream_is_not_shown(scripted_server: ScriptedServer) -> None:
    scripted_server.play(Script(raw=f'{{"error": "bad key {KEY}"}}'.encode()))
    backend = OpenAIBackend(client_of(scripted_server, key=KEY))
    with pytest.raises(BadResponseError, match="bad key …") as error:
        await read(backend, ask())
    assert KEY not in str(error.value)


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY}é"])
async def test_a_key_that_cannot_be_sent_is_not_shown_either(
    scripted_server: ScriptedServer, key: str
) -> None:
    with pytest.raises(RefusedByPolicyError) as error:
        await client_of(scripted_server, key=key).call("/api/version")
    assert KEY not in error.value.message
    assert scripted_server.requests == []


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault.HUGE, "far more"),
        (Fault.LONG_LINE, "far more"),
        (Fault.INVALID_UTF8, "UTF-8"),
        (Fault.CUT_MIDWAY, "broke the connection off"),
    ],
)
async def test_bad_bodies(scripted_server: ScriptedServer, fault: Fault, said: str) -> None:
    scripted_server.play(Script(in_words("You wake up."), fault=fault))
    with pytest.raises(BadResponseError, match=said):
        await read_lines(client_of(scripted_server))


async def test_an_error_page_is_bounded_too(scripted_server: ScriptedServer) -> None:
    scripted_server.play(Script(status=500, body=b"x" * (BODY_LIMIT + 1)))
    with pytest.raises(BadResponseError, match="far more"):
        await read_lines(client_of(scripted_server))


async def test_half_a_surrogate_pair_is_sent_as_text(scripted_server: ScriptedServer) -> None:
    await client_of(scripted_server).call("/api/show", {"model": MODEL, "text": "a\ud800b"})
    assert scripted_server.requests[0].body["text"] == "a?b"


@pytest.mark.parametrize(
    ("fault", "timeouts"),
    [
        (Fault.HANG_BEFORE, Timeouts(first_token=0.1, between_tokens=20)),
        (Fault.HANG_MIDWAY, Timeouts(first_token=20, between_tokens=0.1)),
    ],
)
async def test_silence_is_granted_so_long_and_no_longer(
    scripted_server: ScriptedServer, fault: Fault, timeouts: Timeouts
) -> None:
    scripted_server.play(Script(in_words("You wake up."), fault=fault))
    with pytest.raises(TimedOutError, match="STORYTELLER_FIRST_TOKEN_TIMEOUT"):
        await read_lines(client_of(scripted_server, timeouts=timeouts))
    assert await asyncio.to_thread(scripted_server.client_closed.wait, 2)


async def test_a_slow_reader_is_not_a_silent_server(scripted_server: ScriptedServer) -> None:
    timeouts = Timeouts(first_token=5, between_tokens=0.2)
    async with (
        client_of(scripted_server, timeouts=timeouts).stream("/api/chat", CHAT) as stream,
        aclosing(stream.lines()) as lines,
    ):
        await anext(lines)
        stream.token_arrived()
        await asyncio.sleep(0.3)
        assert len([line async for line in lines]) > 1


@pytest.mark.parametrize("fault", [Fault.HANG_BEFORE, Fault.HANG_MIDWAY])
async def test_cancelling_while_waiting_closes_at_once(scripted_server: ScriptedServer, fault: Fault) -> None:
    scripted_server.play(Script(in_words("You wake up."), fault=fault))
    reading = asyncio.create_task(read_lines(client_of(scripted_server)))
    await asyncio.sleep(0.2)
    assert scripted_server.chats
    started = time.monotonic()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert await asyncio.to_thread(scripted_server.client_closed.wait, 2)
    assert time.monotonic() - started < 0.5
