"""The game as a real process: started, used, ended, started again."""

import http.client
import json
import signal
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.storyteller.game import Game, run_command

pytestmark = pytest.mark.process


def _get(game: Game, path: str) -> tuple[int, bytes]:
    with closing(http.client.HTTPConnection(game.host, timeout=10)) as connection:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read()


def _open_socket(game: Game) -> socket.socket:
    """A WebSocket that stays open, by hand: only its handshake matters here."""
    opened = socket.create_connection(("127.0.0.1", game.port), timeout=10)
    opened.sendall(
        f"GET /ws/campaigns/1/ HTTP/1.1\r\nHost: {game.host}\r\nOrigin: http://{game.host}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
    )
    assert b"101 Switching" in opened.recv(1000)
    return opened


def test_starts_in_an_empty_folder_and_starts_again(tmp_path: Path) -> None:
    for _ in range(2):
        with Game(tmp_path) as game:
            assert json.loads(_get(game, "/api/v1/health")[1])["status"] == "ok"
            assert _get(game, game.link)[0] == 200
            assert _get(game, "/")[0] == 302
            code, seconds, errors = game.end()
        assert (code, errors) == (0, "")
        assert seconds < 5
    assert not list((tmp_path / "backups").glob("*"))


def test_ends_with_open_connections_and_on_ctrl_c(tmp_path: Path) -> None:
    with Game(tmp_path) as game:
        half_a_request = socket.create_connection(("127.0.0.1", game.port))
        half_a_request.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc")
        with half_a_request, _open_socket(game):
            code, seconds, errors = game.end(signal.SIGINT)
    assert (code, errors) == (0, "")
    assert seconds < 5


def test_taken_port_says_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        port = stranger.getsockname()[1]
        refused = run_command(tmp_path, "play", "--no-browser", "--port", str(port))
    assert (refused.returncode, refused.stdout) == (1, "")
    assert f"Port {port} is taken" in refused.stderr
    assert f"open http://127.0.0.1:{port}/" in refused.stderr
    assert f"--port {port + 1}" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_turn_being_told_is_kept_when_the_game_ends(tmp_path: Path) -> None:
    with Game(tmp_path, STORYTELLER_REHEARSAL_RATE="5") as game:
        token = run_command(tmp_path, "api_token", "create", "bot").stdout.strip()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        with closing(http.client.HTTPConnection(game.host, timeout=20)) as connection:
            body = json.dumps({"mode": "action", "text": "I light the lamp."})
            headers["Accept"] = "text/event-stream"
            connection.request("POST", "/api/v1/campaigns/1/turns", body, headers)
            response = connection.getresponse()
            while b"turn.delta" not in response.readline():
                pass
            code, seconds, errors = game.end()
    assert (code, errors) == (0, "")
    assert seconds < 5
    journal = tmp_path / "story.sqlite3-wal"
    assert not journal.exists() or journal.stat().st_size == 0
    with closing(sqlite3.connect(tmp_path / "story.sqlite3")) as database:
        rows = database.execute("SELECT status, code, partial != '' FROM campaigns_turnrequest").fetchall()
    assert rows == [("failed", "interrupted", 1)]
    assert not list((tmp_path / "locks").iterdir())
