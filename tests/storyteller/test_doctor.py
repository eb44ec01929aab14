"""The doctor, as a process: what it says, what it leaves untouched, and how it ends."""

import json
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from storyteller.management.commands.doctor import Command
from tests.inference_servers.scripted import MODEL, Script, ScriptedServer, in_words
from tests.storyteller.game import run_command

pytestmark = pytest.mark.process

LOCAL = ["python", "sqlite", "settings", "data_folder", "disk", "secret_key", "database", "campaigns"]
REPLY = Script(in_words("The inn is warm."), prompt_tokens=190)
FORM = Script(('{"place": "the cellar", "is_dark": true}',))
QUICK = {"STORYTELLER_REHEARSAL_RATE": "0"}
_SAVE = """import django
django.setup()
from narrative.engine import save_engine
save_engine({'model': 'gone:1b'})
"""


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    run_command(folder, "migrate", check=True)
    return folder


@pytest.fixture
def made(made_once: Path, tmp_path: Path) -> Path:
    """A data folder with a database in it."""
    return Path(shutil.copytree(made_once, tmp_path / "data"))


def examine(data: Path, **extra: str) -> tuple[int, dict[str, dict[str, Any]], str]:
    """Exit code, lines by id, standard error."""
    ended = run_command(data, "doctor", "--json", extra=QUICK | extra)
    report = json.loads(ended.stdout)
    lines = {line["id"]: line for line in report["items"]}
    assert all(set(line) == {"id", "name", "status", "detail", "advice"} for line in lines.values())
    assert (report["status"] == "failed") == (ended.returncode == 1) == bool(ended.stderr)
    return ended.returncode, lines, ended.stderr


def by_server(server: ScriptedServer) -> dict[str, str]:
    return {
        "STORYTELLER_INFERENCE_API": "ollama",
        "STORYTELLER_INFERENCE_URL": server.url,
        "STORYTELLER_MODEL": MODEL,
    }


def test_before_the_first_start(tmp_path: Path) -> None:
    code, lines, _ = examine(tmp_path)
    assert code == 0
    assert list(lines) == [*LOCAL, "server", "model", "sentence"]
    assert lines["database"]["detail"] == "There is no database yet."
    assert "manage.py play" in lines["database"]["advice"]
    assert not (tmp_path / "story.sqlite3").exists()


def test_a_game_with_a_model_server(made: Path, scripted_server: ScriptedServer) -> None:
    scripted_server.play(REPLY, FORM)
    code, lines, _ = examine(made, **by_server(scripted_server))
    assert code == 0
    assert {line["status"] for line in lines.values()} == {"ok"}
    assert "no campaign yet" in lines["campaigns"]["detail"]
    assert "The inn is warm." in lines["sentence"]["detail"]


def test_what_was_saved_on_the_settings_page_is_what_is_checked(
    made: Path, scripted_server: ScriptedServer
) -> None:
    run_command(made, program=_SAVE, check=True)
    code, lines, _ = examine(made, **by_server(scripted_server))
    assert code == 1
    assert "gone:1b" in lines["model"]["detail"]


def test_a_failure_is_told_line_by_line_and_by_the_exit_code(tmp_path: Path) -> None:
    away = {"STORYTELLER_INFERENCE_API": "ollama", "STORYTELLER_INFERENCE_URL": "http://127.0.0.1:9"}
    ended = run_command(tmp_path, "doctor", extra=away)
    assert ended.returncode == 1
    assert (
        "failed   Model server: Nothing answers at http://127.0.0.1:9.\n         Start the model"
        in ended.stdout
    )
    assert "skipped  Model: Not checked, because the server does not answer." in ended.stdout
    assert "\r" not in ended.stdout  # nobody watches a pipe
    assert "…" not in ended.stdout
    assert ended.stderr == "CommandError: Failed: 1. What to do stands with each.\n"


def test_settings_that_cannot_be_used_are_a_line(tmp_path: Path) -> None:
    code, lines, _ = examine(tmp_path, STORYTELLER_INFERENCE_URL="http://8.8.8.8:11434")
    assert code == 1
    assert lines["settings"]["status"] == "failed"
    assert "STORYTELLER_INFERENCE_URL" in lines["settings"]["detail"]
    assert list(lines) == LOCAL


def test_a_damaged_database(made: Path) -> None:
    path = made / "story.sqlite3"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(path.read_bytes())
    data[8192:12288] = b"\xa5" * 4096
    path.write_bytes(data)
    code, lines, _ = examine(made)
    assert code == 1
    broken = [line for line in lines.values() if line["status"] == "failed"]
    assert broken
    assert all("story.sqlite3" in line["detail"] for line in broken)
    assert all("backups" in line["advice"] for line in broken)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "story.sqlite3").write_bytes(b"not a database at all" * 100)
    code, lines, _ = examine(tmp_path)
    assert code == 1
    assert "file is not a database" in lines["database"]["detail"]
    assert lines["campaigns"]["detail"] == "Not checked, because the database is not whole."
    assert lines["sentence"]["status"] == "ok"  # the narrator is checked all the same


def test_an_older_database(made: Path) -> None:
    run_command(made, "migrate", "narrative", "zero", check=True)
    code, lines, _ = examine(made)
    assert code == 0
    assert lines["database"]["status"] == "ok"
    assert lines["campaigns"]["status"] == "warning"
    assert "manage.py play" in lines["campaigns"]["advice"]


@pytest.mark.skipif(sys.platform == "win32", reason="modes of files mean nothing there")
def test_a_key_that_others_can_read(tmp_path: Path) -> None:
    examine(tmp_path)
    key = tmp_path / "secret.key"
    key.chmod(0o644)
    code, lines, _ = examine(tmp_path)
    assert code == 0
    assert lines["secret_key"]["status"] == "warning"
    assert f"chmod 600 {key}" in lines["secret_key"]["advice"]


def test_help_has_examples_and_exit_codes() -> None:
    text = Command().create_parser("manage.py", "doctor").format_help()
    assert "\nexamples:\n  manage.py doctor\n" in text
    assert "\nexit codes:\n  0  " in text
