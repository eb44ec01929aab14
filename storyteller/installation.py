"""What the game stands on: Python, SQLite, the settings, the data folder, the database. Looks, and changes
nothing."""

import platform
import shutil
import sqlite3
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from django.conf import settings
from django.core.checks import ERROR, run_checks
from django.db import DatabaseError, connection

from campaigns.models import Campaign
from narrative.checkup import CheckLine, Status
from storyteller.database_file import require_ready_database
from storyteller.errors import DatabaseNotReadyError
from storyteller.secret_key import KEY_FILE

_LITTLE_SPACE = 200_000_000
_NO_SPACE = 20_000_000


def look_at_installation() -> Iterator[CheckLine]:
    yield _python()
    yield _sqlite()
    yield _settings()
    yield _data_folder()
    yield _disk()
    yield _secret_key()
    yield from _database()


def is_database_ready() -> bool:
    """Whether what is saved in it can be read. Never makes the file, as connecting to it would."""
    if not _database_file().is_file():
        return False
    try:
        require_ready_database()
    except (DatabaseNotReadyError, DatabaseError):
        return False
    return True


def are_settings_usable() -> bool:
    return not _setting_errors()


def _python() -> CheckLine:
    return CheckLine("python", "Python", Status.OK, f"{platform.python_version()} on {sys.platform}.")


def _sqlite() -> CheckLine:
    version = sqlite3.sqlite_version
    with closing(sqlite3.connect(":memory:")) as memory:
        try:
            memory.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        except sqlite3.OperationalError:
            return CheckLine(
                "sqlite",
                "SQLite",
                Status.FAILED,
                f"SQLite {version} has no full-text search (FTS5), which the library is searched with.",
                "Use a Python whose SQLite has FTS5, such as those of python.org or Debian.",
            )
    return CheckLine("sqlite", "SQLite", Status.OK, f"{version}, with full-text search (FTS5).")


def _settings() -> CheckLine:
    errors = _setting_errors()
    if errors:
        return CheckLine(
            "settings", "Settings", Status.FAILED, " ".join(errors), "Mend it and run doctor again."
        )
    return CheckLine("settings", "Settings", Status.OK, "What is set in the environment can be used.")


def _setting_errors() -> list[str]:
    return [str(message.msg) for message in run_checks() if message.level >= ERROR]


def _data_folder() -> CheckLine:
    folder = settings.DATA_FOLDER
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return CheckLine(
            "data_folder",
            "Data folder",
            Status.FAILED,
            f"Nothing can be written into {folder}: {error.strerror}.",
            "Make the folder yours to write, or name another in STORYTELLER_DATA.",
        )
    return CheckLine("data_folder", "Data folder", Status.OK, f"{folder} can be written.")


def _disk() -> CheckLine:
    free = shutil.disk_usage(settings.DATA_FOLDER).free
    seen = f"{_size(free)} are free where the stories are kept."
    if free < _LITTLE_SPACE:
        status = Status.FAILED if free < _NO_SPACE else Status.WARNING
        return CheckLine("disk", "Disk", status, seen, "Make room: a full disk keeps stories from going on.")
    return CheckLine("disk", "Disk", Status.OK, seen)


def _secret_key() -> CheckLine:
    mode = stat.S_IMODE((settings.DATA_FOLDER / KEY_FILE).stat().st_mode)
    if sys.platform != "win32" and mode & 0o077:
        return CheckLine(
            "secret_key",
            "Secret key",
            Status.WARNING,
            f"{KEY_FILE} can be read by other accounts of this machine (mode {mode:04o}).",
            f"Close it: chmod 600 {settings.DATA_FOLDER / KEY_FILE}",
        )
    return CheckLine("secret_key", "Secret key", Status.OK, f"{KEY_FILE} is its owner's alone.")


def _database() -> Iterator[CheckLine]:
    path = _database_file()
    if not path.is_file():
        yield CheckLine(
            "database",
            "Database",
            Status.SKIPPED,
            "There is no database yet.",
            "It is made when the game starts for the first time: manage.py play",
        )
        yield _no_campaigns("there is no database yet")
        return
    whole = _whole(path)
    yield whole
    yield _no_campaigns("the database is not whole") if whole.status == Status.FAILED else _campaigns()


def _whole(path: Path) -> CheckLine:
    try:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA quick_check(3)")
            found = [str(row[0]) for row in cursor.fetchall()]
    except DatabaseError as error:
        found = [str(error)]
    if found != ["ok"]:
        return CheckLine(
            "database",
            "Database",
            Status.FAILED,
            f"{path.name} is damaged: {'; '.join(' '.join(line.split()) for line in found)}.",
            f"Put back a copy from {settings.DATA_FOLDER / 'backups'}, or another backup.",
        )
    size = _size(path.stat().st_size)
    return CheckLine("database", "Database", Status.OK, f"{path.name} is whole, {size}.")


def _campaigns() -> CheckLine:
    try:
        require_ready_database()
    except DatabaseNotReadyError:
        return CheckLine(
            "campaigns",
            "Campaigns",
            Status.WARNING,
            "The database is not of this version of the game.",
            "Start the game once, which upgrades it and keeps a copy: manage.py play",
        )
    count = Campaign.objects.count()
    told = "one campaign" if count == 1 else f"{count:,} campaigns" if count else "no campaign yet"
    return CheckLine("campaigns", "Campaigns", Status.OK, f"Up to date, with {told}.")


def _no_campaigns(reason: str) -> CheckLine:
    return CheckLine("campaigns", "Campaigns", Status.SKIPPED, f"Not checked, because {reason}.")


def _database_file() -> Path:
    return Path(connection.get_connection_params()["database"])


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"
