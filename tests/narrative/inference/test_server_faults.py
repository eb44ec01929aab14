"""Each thing that can go wrong with a server is the right typed error, whichever API it speaks."""

import asyncio

import pytest

from narrative.inference.base import (
    Backend,
    BadResponseError,
    ContextExceededError,
    InferenceError,
    ModelMissingError,
    OverloadedError,
    RefusedByPolicyError,
    TimedOutError,
)
from narrative.inference.ollama import OllamaBackend
from narrative.inference.openai import OpenAIBackend
from tests.inference_servers.scripted import Fault, Gate, Script, ScriptedServer, in_words, refusal
from tests.narrative.inference.servers import TIMEOUTS, ask, client_of, read

WORDS = in_words("You wake in the rain.")
NESTED = '{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size"}}'


@pytest.fixture(params=[OllamaBackend, OpenAIBackend])
def backend(request: pytest.FixtureRequest, scripted_server: ScriptedServer) -> Backend:
    made: Backend = request.param(client_of(scripted_server))
    return made


@pytest.mark.parametrize(
    ("script", "kind", "said"),
    [
        (Script(WORDS, fault=Fault.HANG_MIDWAY), TimedOutError, "took too long"),
        (Script(WORDS, fault=Fault.HANG_MIDWAY, after=0), TimedOutError, "took too long"),
        (Script(WORDS, fault=Fault.CUT_MIDWAY), BadResponseError, "broke the connection off"),
        (Script(WORDS, fault=Fault.ERROR_MIDWAY), BadResponseError, "llama runner process"),
        (Script(WORDS, fault=Fault.NO_END), BadResponseError, "in the middle of the reply"),
        (Script(WORDS, fault=Fault.INVALID_UTF8), BadResponseError, "UTF-8"),
        (Script(WORDS, fault=Fault.GARBAGE), BadResponseError, "not JSON"),
        (Script(WORDS, fault=Fault.HUGE), BadResponseError, "far more"),
        (Script(WORDS, fault=Fault.REDIRECT), RefusedByPolicyError, "redirect"),
        (Script(), BadResponseError, "without writing a word"),
        (Script(thinking=("Hm.",), finish="length"), BadResponseError, "STORYTELLER_MAX_OUTPUT_TOKENS"),
        (refusal(500, "something broke"), BadResponseError, "something broke"),
        (refusal(500), BadResponseError, "no explanation"),
        (refusal(404, "model 'scripted' not found"), ModelMissingError, "STORYTELLER_MODEL"),
        (refusal(404), BadResponseError, "STORYTELLER_INFERENCE_API"),
        (refusal(403), BadResponseError, "127.0.0.1"),
        (refusal(401, "no"), BadResponseError, "STORYTELLER_INFERENCE_KEY"),
        (refusal(503, "server busy, please try again."), OverloadedError, "Wait a little"),
        (refusal(429, "slow down"), OverloadedError, "Wait a little"),
        (refusal(400, NESTED), ContextExceededError, "STORYTELLER_CONTEXT_WINDOW"),
        (refusal(400, {"message": "maximum context length is 4096"}), ContextExceededError, "longer"),
        (refusal(400, '"scripted" does not support chat'), BadResponseError, "makes embeddings"),
    ],
)
async def test_faults(
    backend: Backend, scripted_server: ScriptedServer, script: Script, kind: type[InferenceError], said: str
) -> None:
    scripted_server.play(script)
    with pytest.raises(InferenceError) as error:
        await read(backend, ask())
    assert type(error.value) is kind
    assert said in error.value.message
    assert error.value.message.endswith((".", "?", ")"))
    assert len(scripted_server.chats) == 1


async def test_the_first_token_has_its_own_patience(
    backend: Backend, scripted_server: ScriptedServer
) -> None:
    gate = Gate(after=0)
    scripted_server.play(Script(WORDS, gate=gate))
    asyncio.get_running_loop().call_later(2 * TIMEOUTS.between_tokens, gate.opened.set)
    text, _, _ = await read(backend, ask())
    assert text == "You wake in the rain."


async def test_no_model_chosen_names_those_there_are(
    backend: Backend, scripted_server: ScriptedServer
) -> None:
    scripted_server.models = {"mistral": 8192, "qwen": 8192}
    with pytest.raises(ModelMissingError, match=r"STORYTELLER_MODEL.*mistral, qwen"):
        await read(backend, ask(model=""))


async def test_no_model_chosen_and_nobody_to_ask(backend: Backend, scripted_server: ScriptedServer) -> None:
    scripted_server.close()
    with pytest.raises(ModelMissingError, match="STORYTELLER_MODEL"):
        await read(backend, ask(model=""))


async def test_a_model_that_runs_elsewhere_gets_no_story(
    backend: Backend, scripted_server: ScriptedServer
) -> None:
    scripted_server.models["big:cloud"] = 8192
    with pytest.raises(RefusedByPolicyError, match="somebody else's machine"):
        await read(backend, ask(model="big:cloud"))
    assert scripted_server.chats == []
    assert [model.is_remote for model in await backend.list_models()] == [False, True]
