"""Changing the schema under a running program, as a fault."""

import sqlite3
from contextlib import closing

from django.db import connection


def run_sql(statement: str) -> None:
    """On a connection of its own: one that has seen the schema before may believe what it remembers."""
    with closing(sqlite3.connect(connection.settings_dict["NAME"], timeout=10)) as database, database:
        database.execute(statement)
