"""Which pages may open a socket, through the application that the server runs."""

import pytest
from channels.testing import WebsocketCommunicator
from pytest_django import Settings

from storyteller.asgi import application
from storyteller.websocket_origin import is_same_origin

STORY = "/ws/campaigns/1/"
HERE = "http://127.0.0.1:8000"


async def _is_accepted(path: str, headers: list[tuple[str, str]]) -> bool:
    raw = [(name.encode(), value.encode()) for name, value in headers]
    socket = WebsocketCommunicator(application, path, headers=raw)
    connected, _ = await socket.connect(timeout=5)
    await socket.disconnect()
    return bool(connected)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("headers", "accepted"),
    [
        ([("host", "127.0.0.1:8000"), ("origin", HERE)], True),
        ([("host", "127.0.0.1:8000")], False),
        ([("origin", HERE)], False),
        ([("host", "127.0.0.1:8000"), ("origin", "http://127.0.0.1:8001")], False),
        ([("host", "127.0.0.1:8000"), ("origin", HERE), ("origin", "https://evil.example")], False),
        ([("host", "evil.example:8000"), ("origin", "http://evil.example:8000")], False),
    ],
)
async def test_handshakes(headers: list[tuple[str, str]], accepted: bool) -> None:
    assert await _is_accepted(STORY, headers) is accepted


@pytest.mark.parametrize("path", ["/ws/", "/ws/campaigns/x/", "/", "/ws/campaigns/1/more"])
async def test_unknown_paths_are_closed_quietly(path: str) -> None:
    assert not await _is_accepted(path, [("host", "127.0.0.1:8000"), ("origin", HERE)])


@pytest.mark.django_db(transaction=True)
async def test_strangers_are_told_to_sign_in() -> None:
    socket = WebsocketCommunicator(
        application, STORY, headers=[(b"host", b"127.0.0.1:8000"), (b"origin", HERE.encode())]
    )
    await socket.connect(timeout=5)
    closing = await socket.receive_output(timeout=5)
    assert (closing["type"], closing["code"]) == ("websocket.close", 4401)


@pytest.mark.parametrize(
    ("host", "origin", "expected"),
    [
        ("localhost:8000", "http://localhost:8000", True),
        ("LOCALHOST:8000", "http://localhost:8000", True),
        ("[::1]:8000", "http://[::1]:8000", True),
        ("localhost", "http://localhost", True),
        ("localhost:80", "http://localhost", True),
        ("localhost", "https://localhost", True),
        ("localhost", "https://localhost:8443", False),
        ("localhost:8000", "http://127.0.0.1:8000", False),
        ("localhost:8000", "http://localhost", False),
        ("localhost:8000", "http://localhost:8000/", False),
        ("localhost:8000", "http://a@localhost:8000", False),
        ("localhost:8000", "null", False),
        ("localhost:8000", "", False),
        ("localhost:8000", "file://localhost:8000", False),
        ("localhost:8000", "chrome-extension://localhost:8000", False),
        ("localhost:8000", "http://localhost:8000.evil.example", False),
        ("", "http://", False),
    ],
)
def test_same_origin(host: str, origin: str, expected: bool) -> None:
    assert is_same_origin(host=host, origin=origin) is expected


def test_scheme_counts_where_the_server_tells_it() -> None:
    assert is_same_origin(host="localhost", origin="https://localhost", page_scheme="https")
    assert not is_same_origin(host="localhost", origin="http://localhost", page_scheme="https")


def test_every_name_allowed_is_still_the_same_origin(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    assert is_same_origin(host="den.lan", origin="http://den.lan")
    assert not is_same_origin(host="den.lan", origin="http://evil.example")
    assert not is_same_origin(host="", origin="http://@")
