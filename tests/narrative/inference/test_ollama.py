"""What Ollama is sent, and what is made of what it sends."""

from dataclasses import replace

import pytest

from narrative.inference.base import BadResponseError, ContextExceededError, RefusedByPolicyError
from narrative.inference.ollama import OllamaBackend
from tests.inference_servers.scripted import MODEL, Script, ScriptedServer, in_words
from tests.inference_servers.scripts import WHOLE_PROMPT
from tests.narrative.inference.servers import OPTIONS, ask, client_of, read

WORDS = in_words("You wake in the rain.")


@pytest.fixture
def backend(scripted_server: ScriptedServer) -> OllamaBackend:
    return OllamaBackend(client_of(scripted_server))


async def test_everything_is_said_every_time(backend: OllamaBackend, scripted_server: ScriptedServer) -> None:
    await read(backend, ask())
    assert scripted_server.chats[0].body == {
        "model": MODEL,
        "messages": [{"role": "system", "content": "You narrate."}, {"role": "user", "content": "I wake."}],
        "stream": True,
        "think": False,
        "truncate": False,
        "shift": False,
        "keep_alive": "30m",
        "options": {
            "num_ctx": 4096,
            "num_predict": 300,
            "temperature": 0.8,
            "top_p": 0.95,
            "min_p": 0.05,
            "repeat_penalty": 1.05,
            "seed": 11,
            "stop": ["\n>"],
        },
    }


@pytest.mark.parametrize(("setting", "sent"), [("300", 300), ("-1", -1), ("0", 0), ("10m", "10m")])
async def test_keep_alive_has_a_unit_or_is_a_number(
    backend: OllamaBackend, scripted_server: ScriptedServer, setting: str, sent: str | int
) -> None:
    await read(backend, ask(options=replace(OPTIONS, keep_alive=setting, seed=None)))
    body = scripted_server.chats[0].body
    assert body["keep_alive"] == sent
    assert "seed" not in body["options"]


async def test_thinking_is_kept_apart(backend: OllamaBackend, scripted_server: ScriptedServer) -> None:
    scripted_server.play(Script(("<think>More.", "</think>", *WORDS), thinking=("Hm. ",)))
    text, reasoning, _ = await read(backend, ask())
    assert (text, reasoning) == ("You wake in the rain.", "Hm. More.")


async def test_usage_is_in_seconds(backend: OllamaBackend, scripted_server: ScriptedServer) -> None:
    scripted_server.play(Script(WORDS, finish="length", output_tokens=9))
    _, _, last = await read(backend, ask())
    assert (last.reason, last.usage.prompt_tokens, last.usage.output_tokens) == ("length", WHOLE_PROMPT, 9)
    assert (last.usage.prompt_seconds, last.usage.output_seconds) == (0.02, 0.5)


@pytest.mark.parametrize(
    ("read_tokens", "estimate", "is_cut"),
    [
        (2000, 4000, True),
        (599, 1000, True),
        (600, 1000, False),
        (100, 299, False),
        (100, 300, True),
        (None, 4000, False),
        (2000, None, False),
    ],
)
async def test_a_prompt_cut_in_silence_is_noticed(
    backend: OllamaBackend,
    scripted_server: ScriptedServer,
    read_tokens: int | None,
    estimate: int | None,
    is_cut: bool,
) -> None:
    scripted_server.play(Script(WORDS, prompt_tokens=read_tokens))
    if is_cut:
        with pytest.raises(ContextExceededError, match=f"only {read_tokens} of about {estimate}"):
            await read(backend, ask(estimate=estimate))
    else:
        await read(backend, ask(estimate=estimate))


async def test_a_model_with_a_remote_host_gets_no_story(
    backend: OllamaBackend, scripted_server: ScriptedServer
) -> None:
    scripted_server.remote_models.add("harmless")
    with pytest.raises(RefusedByPolicyError):
        await read(backend, ask(model="harmless"))
    assert scripted_server.chats == []
    assert [(model.name, model.is_remote) for model in await backend.list_models()] == [
        (MODEL, False),
        ("harmless", True),
    ]


async def test_the_trained_context_length_is_described(backend: OllamaBackend) -> None:
    description = await backend.describe_model(MODEL)
    assert (description.context_length, description.capabilities) == (
        8192,
        frozenset({"completion", "thinking"}),
    )


async def test_another_server_is_not_ollama(scripted_server: ScriptedServer) -> None:
    with pytest.raises(BadResponseError):
        await OllamaBackend(client_of(scripted_server, "/v1")).check_health()
