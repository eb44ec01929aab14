"""What a piece of code asks of the database, and how SQLite goes about it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

READS = ("SELECT", "WITH")


@dataclass(slots=True)
class Statements:
    """The statements of a block with their parameters, and how many rows they gave."""

    made: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.made)

    @property
    def reads(self) -> list[str]:
        return [sql for sql, _ in self.made if sql.lstrip().startswith(READS)]

    def plans(self) -> list[str]:
        """EXPLAIN QUERY PLAN of every read, a line for each step."""
        steps: list[str] = []
        with connection.cursor() as cursor:
            for sql, parameters in self.made:
                if sql.lstrip().startswith(READS):
                    cursor.execute(f"EXPLAIN QUERY PLAN {sql}", parameters)
                    steps += [row[3] for row in cursor.fetchall()]
        return steps

    def rows_read(self) -> int:
        """How many rows the reads give, asked once more."""
        count = 0
        with connection.cursor() as cursor:
            for sql, parameters in self.made:
                if sql.lstrip().startswith(READS):
                    cursor.execute(sql, parameters)
                    count += len(cursor.fetchall())
        return count


@contextmanager
def recorded() -> Iterator[Statements]:
    statements = Statements()

    def record(
        execute: Callable[..., object], sql: str, params: object, many: bool, context: dict[str, object]
    ) -> object:
        # A test's own transaction makes savepoints of those inside it, each with a name of its own.
        if not sql.startswith(("SAVEPOINT", "RELEASE")):
            statements.made.append((sql, tuple(params) if isinstance(params, (list, tuple)) else ()))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(record):
        yield statements
