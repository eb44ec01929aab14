"""A game as a process, played over its API like any program would."""

import json
import threading
from pathlib import Path
from typing import Any

import httpx

from tests.storyteller.game import Game, run_command


def make_token(data: Path) -> str:
    """A token for the owner of the game in this folder, whose database must exist."""
    return run_command(data, "api_token", "create", "tests", check=True).stdout.strip()


_players: list["Player"] = []


def close_players() -> None:
    while _players:
        _players.pop().http.close()


class Player:
    """One program playing one campaign over HTTP."""

    def __init__(self, game: Game, token: str, campaign: int = 0) -> None:
        self.http = httpx.Client(
            base_url=f"http://{game.host}/api/v1",
            headers={"Authorization": f"Bearer {token}"},
            timeout=20,
            trust_env=False,
        )
        self.campaign = campaign or self.post("/campaigns", title="Kill", opening="It begins.")["id"]

        _players.append(self)

    def get(self, path: str, **query: Any) -> Any:
        return self._read(self.http.get(path, params=query))

    def post(self, path: str, **body: Any) -> Any:
        return self._read(self.http.post(path, json=body))

    def story(self) -> Any:
        return self.get(f"/campaigns/{self.campaign}/story")

    def submit(self, text: str = "I wait.") -> httpx.Response:
        return self.http.post(f"/campaigns/{self.campaign}/turns", json={"mode": "action", "text": text})

    def unsettled(self) -> list[dict[str, Any]]:
        statuses = ["queued", "streaming", "settling", "failed", "stopped"]
        found: list[dict[str, Any]] = self.get(f"/campaigns/{self.campaign}/requests", status=statuses)[
            "items"
        ]
        return found

    @staticmethod
    def _read(response: httpx.Response) -> Any:
        assert response.status_code < 400, response.text
        return response.json() if response.content else None


class Reader(threading.Thread):
    """Submits a turn and keeps every word that it was shown, until the stream ends or is cut."""

    def __init__(self, player: Player, text: str) -> None:
        super().__init__()
        self.player, self.text = player, text
        self.shown = ""
        self.was_shown_some = threading.Event()
        self.has_settled = threading.Event()
        self.final: dict[str, Any] = {}

    def run(self) -> None:
        path = f"/campaigns/{self.player.campaign}/turns"
        body = {"mode": "action", "text": self.text}
        accept = {"Accept": "text/event-stream"}
        try:
            with self.player.http.stream("POST", path, json=body, headers=accept) as stream:
                for line in stream.iter_lines():
                    if line.startswith("data:"):
                        self._keep(json.loads(line.removeprefix("data:")))
        except httpx.TransportError:
            pass  # the process was killed

    def _keep(self, frame: dict[str, Any]) -> None:
        if frame["type"] == "turn.delta":
            self.shown += frame["text"]
            self.was_shown_some.set()
        elif frame["type"] == "turn.settling":
            self.has_settled.set()
        elif frame["type"] != "turn.started":
            self.final = frame
