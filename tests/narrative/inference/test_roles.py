"""Who serves a role, by what was chosen."""

import socket

import pytest

from narrative.inference.base import ChatRequest, GenerationOptions, ModelMissingError
from narrative.inference.http import Timeouts
from narrative.inference.policy import EndpointPolicy
from narrative.inference.roles import Connection, Role, build_backend, rehearsal, serve_role

NOWHERE = "http://127.0.0.1:1"


def connection(api: str, narrator: str = "", **models: str) -> Connection:
    return Connection(
        api=api,
        url=NOWHERE,
        key="",
        models={Role.NARRATOR: narrator} | {Role(role): model for role, model in models.items()},
        timeouts=Timeouts(1, 1),
        policy=EndpointPolicy(),
        ca_file="",
        rehearsal_rate=0,
    )


@pytest.mark.parametrize(
    ("chosen", "model", "api", "named"),
    [
        ("auto", "", "rehearsal", "rehearsal"),
        ("auto", "mistral", "ollama", "mistral"),
        ("ollama", "", "ollama", ""),
        ("openai", "mistral", "openai", "mistral"),
        ("rehearsal", "mistral", "rehearsal", "rehearsal"),
    ],
)
def test_the_narrator(chosen: str, model: str, api: str, named: str) -> None:
    served = serve_role(connection(chosen, model))
    assert (served.backend.api, served.model) == (api, named)


def test_the_embedded_narrator_can_be_had_whatever_was_chosen() -> None:
    served = rehearsal(connection("ollama", "mistral"))
    assert (served.backend.api, served.model) == ("rehearsal", "rehearsal")


def test_a_role_without_a_model_of_its_own_has_the_narrators() -> None:
    chosen = connection("ollama", "mistral", summarizer="small")
    assert serve_role(chosen, Role.SUMMARIZER).model == "small"
    assert serve_role(chosen, Role.EXTRACTOR).model == "mistral"
    assert serve_role(connection("rehearsal", "mistral", summarizer="small"), Role.SUMMARIZER).model == (
        "rehearsal"
    )


@pytest.mark.parametrize("api", ["ollama", "openai", "rehearsal"])
def test_building_one_opens_no_socket(monkeypatch: pytest.MonkeyPatch, api: str) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert build_backend(connection(api, "mistral"), api).api == api


async def test_a_server_without_a_model_says_so_when_it_is_used() -> None:
    served = serve_role(connection("ollama"))
    request = ChatRequest(served.model, (), GenerationOptions(context_window=2048, max_output_tokens=100))
    with pytest.raises(ModelMissingError, match="STORYTELLER_MODEL"):
        await anext(served.backend.stream_chat(request))
