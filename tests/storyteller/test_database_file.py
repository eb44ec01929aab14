"""A database of an older version is copied before it is changed."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.storyteller.game import run_command

pytestmark = pytest.mark.process


def _tables(database: Path) -> set[str]:
    with closing(sqlite3.connect(database)) as connection:
        return {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def test_old_database_is_copied_and_upgraded(tmp_path: Path) -> None:
    run_command(tmp_path, "migrate", "auth", check=True)
    program = "import django; django.setup(); from storyteller.database_file import upgrade_database as up"
    program += "; up(); up()"
    run_command(tmp_path, program=program, check=True)
    (copy,) = (tmp_path / "backups").iterdir()
    assert "auth_user" in _tables(copy)
    assert "storyteller_apitoken" not in _tables(copy)
    assert "storyteller_apitoken" in _tables(tmp_path / "story.sqlite3")


def test_commands_ask_for_a_database_first(tmp_path: Path) -> None:
    done = run_command(tmp_path, "api_token", "create", "bot")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "manage.py play" in done.stderr
    assert "Traceback" not in done.stderr
