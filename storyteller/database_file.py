"""The database as a file: brought to this version of the game, copied, and left whole at the end."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from filelock import FileLock

from storyteller.errors import DatabaseNotReadyError


def upgrade_database() -> Path | None:
    """Apply what migrations are pending. A database with anything in it is copied first; returns the copy.

    Of two processes that start together one upgrades, and the other waits and finds nothing left to do.
    """
    with FileLock(settings.DATA_FOLDER / "upgrade.lock"):
        if not _has_pending_migrations():
            return None
        copy = None
        if connection.introspection.table_names():
            stamp = timezone.now().strftime("%Y%m%d-%H%M%S-%f")
            copy = settings.DATA_FOLDER / "backups" / f"before-upgrade-{stamp}.sqlite3"
            copy_database(copy)
        call_command("migrate", verbosity=0, interactive=False, skip_checks=True)
        return copy


def require_ready_database() -> None:
    """Raises DatabaseNotReadyError where upgrade_database would have something to do."""
    if _has_pending_migrations():
        raise DatabaseNotReadyError


def copy_database(target: Path) -> None:
    """Write a whole and consistent copy, also while others write. There is no half copy under this name."""
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f"{target.name}.part")
    connection.ensure_connection()
    with closing(sqlite3.connect(draft)) as copy:
        connection.connection.backup(copy)
    draft.replace(target)


@contextmanager
def held_open() -> Iterator[None]:
    """Keep the files beside the database in being. SQLite removes them when the last connection goes, and
    could not make them again on a full disk: then nobody could even read."""
    with closing(sqlite3.connect(connection.get_connection_params()["database"])) as holder:
        holder.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        yield


def fold_in_journal() -> None:
    """Move what SQLite keeps beside the file into it: people copy that one file and call it a backup."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _has_pending_migrations() -> bool:
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
