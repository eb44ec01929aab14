"""The real program, killed for real: neither the player's words nor text that was shown is ever lost."""

import resource
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.faults.playing import Player, Reader, make_token
from tests.inference_servers.scripted import MODEL, Gate, Script, ScriptedServer, in_words
from tests.storyteller.game import ROOT, Game, environment, run_command

pytestmark = pytest.mark.process

STORY = "The rain stops. Somewhere below a door opens, and shuts again."


# Counting to some tens of millions keeps the transaction open for seconds.
SLOW_COMMIT = """
CREATE TRIGGER slow AFTER UPDATE OF head_depth ON campaigns_campaign WHEN NEW.head_depth = 1 BEGIN
    SELECT MAX(n) FROM (
        WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 60000000) SELECT n FROM c
    );
END
"""


def run_sql(data: Path, statement: str) -> None:
    with closing(sqlite3.connect(data / "story.sqlite3", timeout=10)) as database, database:
        database.execute(statement)


def let_files_grow(game: Game, *, until: int) -> None:
    """What a full disk is to a program: a file that it may not write any further."""
    resource.prlimit(game.process.pid, resource.RLIMIT_FSIZE, (until, resource.RLIM_INFINITY))


def wait_for_end(player: Player) -> dict[str, Any]:
    for _ in range(200):
        (request,) = player.unsettled()
        if request["status"] == "failed":
            return request
        time.sleep(0.05)
    raise AssertionError("the request never ended")


def wait_for_partial(player: Player, text: str) -> None:
    for _ in range(200):
        if any(request["partial"] == text for request in player.unsettled()):
            return
        time.sleep(0.02)
    raise AssertionError(f"the text never became {text!r}: {player.unsettled()}")


def with_model(server: ScriptedServer) -> dict[str, str]:
    return {
        "STORYTELLER_INFERENCE_API": "ollama",
        "STORYTELLER_INFERENCE_URL": server.url,
        "STORYTELLER_MODEL": MODEL,
    }


def test_a_kill_in_the_middle_of_a_sentence(
    tmp_path: Path, scripted_server: ScriptedServer
) -> None:  # RST-02
    scripted_server.play(Script(in_words(STORY), gate=Gate(after=3)), STORY)
    extra = with_model(scripted_server)
    with Game(tmp_path, **extra) as game:
        token = make_token(tmp_path)
        player = Player(game, token)
        reader = Reader(player, "I listen at the wall.")
        reader.start()
        wait_for_partial(player, "The rain stops.")
        game.end(signal.SIGKILL)
        reader.join(10)
    with Game(tmp_path, **extra) as game:
        player = Player(game, token, player.campaign)
        (request,) = player.unsettled()
        assert (request["status"], request["code"]) == ("failed", "interrupted")
        assert (request["text"], request["partial"]) == ("I listen at the wall.", "The rain stops.")
        assert reader.shown == "The rain stops."
        assert player.story()["head"]["depth"] == 0
        kept = player.post(f"/requests/{request['id']}/keep")
        assert (kept["narration"], kept["input"]) == ("The rain stops.", "I listen at the wall.")
        assert player.submit("I go on.").status_code == 201
        assert player.story()["head"]["depth"] == 2
    assert run_command(tmp_path, "verify").returncode == 0


@pytest.mark.parametrize("seconds", [0.0, 0.03, 0.1, 0.3, 0.6])
def test_a_kill_at_any_moment(tmp_path: Path, seconds: float) -> None:
    words = f"I wait for {seconds} seconds."
    with Game(tmp_path, STORYTELLER_REHEARSAL_RATE="120") as game:
        token = make_token(tmp_path)
        player = Player(game, token)
        reader = Reader(player, words)
        reader.start()
        if seconds:
            reader.was_shown_some.wait(5)
        time.sleep(seconds)
        game.end(signal.SIGKILL)
        reader.join(10)
    with Game(tmp_path) as game:
        player = Player(game, token, player.campaign)
        turns = player.story()["turns"]
        requests = player.unsettled()
        told = [turn["narration"] for turn in turns if turn["input"] == words]
        kept = [request["partial"] for request in requests if request["text"] == words]
        # Killed before the submission was stored, there is nothing; after that, it is there exactly once.
        assert len(told) + len(kept) == (1 if seconds or told or kept else 0)
        if reader.shown:
            assert (told + kept)[0].startswith(reader.shown.strip())
        assert player.submit("I go on at once.").status_code == 201
    assert run_command(tmp_path, "verify").returncode == 0


def test_a_kill_in_the_middle_of_a_commit(tmp_path: Path, scripted_server: ScriptedServer) -> None:
    scripted_server.play(STORY)
    extra = with_model(scripted_server)
    with Game(tmp_path, **extra) as game:
        token = make_token(tmp_path)
        player = Player(game, token)
        run_sql(tmp_path, SLOW_COMMIT)
        reader = Reader(player, "I listen.")
        reader.start()
        assert reader.has_settled.wait(10)
        time.sleep(0.5)  # well inside the transaction, which the trigger makes last for seconds
        game.end(signal.SIGKILL)
        reader.join(10)
    run_sql(tmp_path, "DROP TRIGGER slow")
    with Game(tmp_path, **extra) as game:
        player = Player(game, token, player.campaign)
        (request,) = player.unsettled()
        assert (request["code"], request["partial"]) == ("interrupted", STORY)
        assert player.story()["head"]["depth"] == 0
        assert player.post(f"/requests/{request['id']}/keep")["narration"] == STORY
    assert run_command(tmp_path, "verify").returncode == 0


@pytest.mark.parametrize("seconds", [0.7, 1.2])
def test_a_kill_while_the_database_is_made(tmp_path: Path, seconds: float) -> None:
    command = [sys.executable, "manage.py", "play", "--port", "0", "--no-browser"]
    first = subprocess.Popen(command, cwd=ROOT, env=environment(tmp_path), stdout=subprocess.DEVNULL)
    time.sleep(seconds)
    first.kill()
    first.wait()
    with Game(tmp_path) as game:
        assert Player(game, make_token(tmp_path)).submit("I wait.").status_code == 201
    assert run_command(tmp_path, "verify").returncode == 0


def test_a_full_disk_loses_nothing(tmp_path: Path, scripted_server: ScriptedServer) -> None:
    gate = Gate(after=3)
    scripted_server.play(Script(in_words(STORY), gate=gate), STORY)
    with Game(tmp_path, **with_model(scripted_server)) as game:
        player = Player(game, make_token(tmp_path))
        reader = Reader(player, "I listen.")
        reader.start()
        wait_for_partial(player, "The rain stops.")
        let_files_grow(game, until=1)
        gate.opened.set()
        reader.join(20)
        assert (reader.final["type"], reader.final["code"]) == ("turn.failed", "storage_failed")
        assert reader.final["partial"] == "The rain stops."
        assert [turn["narration"] for turn in player.story()["turns"]] == ["It begins."]  # still to be read
        refused = player.http.post("/campaigns", json={"title": "Another", "opening": "It begins."})
        assert (refused.status_code, refused.json()["code"]) == (503, "storage_failed")
        let_files_grow(game, until=resource.RLIM_INFINITY)
        request = wait_for_end(player)
        assert (request["status"], request["text"]) == ("failed", "I listen.")
        assert request["partial"] == "The rain stops."
        assert player.post(f"/requests/{request['id']}/retry")["narration"] == STORY
    assert run_command(tmp_path, "verify").returncode == 0


def test_a_place_in_the_story_survives_a_kill(tmp_path: Path) -> None:  # RST-01, RST-05
    with Game(tmp_path, STORYTELLER_REHEARSAL_RATE="0") as game:
        token = make_token(tmp_path)
        player = Player(game, token)
        player.submit("I light the lamp.")
        saved = player.post(f"/campaigns/{player.campaign}/save-points", name="Before the ledger")
        for _ in range(4):
            player.submit("I wait.")
        tip = player.story()
        player.post(f"/campaigns/{player.campaign}/undo", steps=2)
        rows = count_rows(tmp_path)
        game.end(signal.SIGKILL)
    with Game(tmp_path) as game:
        player = Player(game, token, player.campaign)
        assert player.story()["head"]["depth"] == tip["head"]["depth"] - 2
        assert player.story()["can_redo"]
        (listed,) = player.get(f"/campaigns/{player.campaign}/save-points")["items"]
        assert listed == {**saved, "on_path": True}
        restored = player.post(f"/campaigns/{player.campaign}/save-points/{saved['id']}/restore")
        assert restored["head"]["depth"] == 1
        again = player.post(f"/campaigns/{player.campaign}/redo", steps=4)
        assert again == tip
        assert count_rows(tmp_path) == rows


def test_two_processes_never_interleave_two_turns(tmp_path: Path, scripted_server: ScriptedServer) -> None:
    gate = Gate(after=3)
    scripted_server.play(Script(in_words(STORY), gate=gate))
    extra = with_model(scripted_server)
    with Game(tmp_path, **extra) as one, Game(tmp_path, **extra) as other:
        token = make_token(tmp_path)
        here = Player(one, token)
        there = Player(other, token, here.campaign)
        reader = Reader(here, "I listen.")
        reader.start()
        wait_for_partial(there, "The rain stops.")
        refused = there.submit("I shout.")
        assert (refused.status_code, refused.json()["code"]) == (409, "turn_in_flight")
        undo = there.http.post(f"/campaigns/{there.campaign}/undo", json={})
        assert undo.json()["code"] == "turn_in_flight"
        there.post(f"/campaigns/{there.campaign}/stop", keep=True)  # a stop reaches the other process
        reader.join(10)
        assert [turn["narration"] for turn in there.story()["turns"]] == ["It begins.", "The rain stops."]
        gate.opened.set()


def test_a_database_held_by_another_program_is_waited_for(tmp_path: Path) -> None:
    with Game(tmp_path, STORYTELLER_REHEARSAL_RATE="400") as game:
        player = Player(game, make_token(tmp_path))
        reader = Reader(player, "I listen.")
        other = sqlite3.connect(tmp_path / "story.sqlite3", isolation_level=None)
        reader.start()
        reader.was_shown_some.wait(5)
        other.execute("BEGIN IMMEDIATE")
        time.sleep(3)
        other.execute("ROLLBACK")
        other.close()
        reader.join(20)
        assert [turn["input"] for turn in player.story()["turns"]] == ["", "I listen."]
        assert player.unsettled() == []


def count_rows(data: Path) -> dict[str, int]:
    with closing(sqlite3.connect(data / "story.sqlite3")) as database:
        names = [
            row[0]
            for row in database.execute(
                "SELECT name FROM sqlite_master WHERE name LIKE 'campaigns_%' AND type = 'table'"
            )
        ]
        return {name: database.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0] for name in names}  # noqa: S608
