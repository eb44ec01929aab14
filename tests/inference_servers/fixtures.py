"""The scripted model server as a fixture."""

from collections.abc import Iterator

import pytest

from tests.inference_servers.scripted import ScriptedServer


@pytest.fixture
def scripted_server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server
