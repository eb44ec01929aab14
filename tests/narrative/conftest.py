"""A scripted model server as the narrator, through each of the two APIs."""

import pytest
from pytest_django.fixtures import Settings

from tests.inference_servers.scripted import MODEL, ScriptedServer


@pytest.fixture(params=["ollama", "openai"])
def narrator(
    request: pytest.FixtureRequest, settings: Settings, scripted_server: ScriptedServer
) -> ScriptedServer:
    """The server that tells every turn of the test."""
    settings.INFERENCE_API = request.param
    settings.INFERENCE_URL = scripted_server.url
    settings.INFERENCE_MODEL = MODEL
    settings.FIRST_TOKEN_TIMEOUT = 60
    settings.TOKEN_TIMEOUT = 60
    return scripted_server
