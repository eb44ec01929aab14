"""Measures how fast the game is."""

import json
import sys
import traceback
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from storyteller import access
from storyteller.bench import scratch
from storyteller.bench.base import FULL, QUICK, Row, Workshop
from storyteller.bench.errors import BenchError
from storyteller.bench.report import HEADINGS, Finding, as_document, table_line
from storyteller.bench.rows import find_rows
from storyteller.database_file import upgrade_database
from storyteller.management.command_help import CommandWithExamples


class Command(CommandWithExamples):
    help = (
        "Measure how fast the game is, in a temporary folder; your stories are not touched. "
        "docs/performance.md says what each row means."
    )
    epilog = """examples:
  manage.py bench                        every row, at full size: some five minutes
  manage.py bench --quick                every row, smaller: under two minutes
  manage.py bench --rows P2,P9           these rows alone
  manage.py bench --quick -o bench.json  a table here, and every value taken in a file
  manage.py bench --json                 JSON here instead of a table

exit codes:
  0  every row was measured, whether its target holds or not
  1  at least one row could not be measured, and the message says why
  2  the command line was not understood, or there is no such row
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--quick", action="store_true", help="smaller stories, fewer repeats")
        parser.add_argument("--rows", default="", metavar="ID,ID", help="measure these rows alone")
        parser.add_argument("--seed", type=int, default=1, help="seed of the stories' words (default: 1)")
        parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
        parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="write JSON to this file too")

    def handle(self, *args: object, **options: Any) -> None:
        rows = _choose_rows(options["rows"])
        if not scratch.is_inside():
            sys.exit(scratch.run_inside(_as_arguments(options)))
        try:
            scratch.require_scratch()
        except BenchError as error:
            raise CommandError(str(error)) from error
        upgrade_database()
        sizes = QUICK if options["quick"] else FULL
        workshop = Workshop(access.ensure_owner(), sizes, options["seed"])
        findings = self._measure(rows, workshop, is_table=not options["json"])
        self._write(as_document(findings, sizes=sizes, seed=options["seed"]), options)
        failed = [finding.row.id for finding in findings if finding.error]
        if failed:
            raise CommandError(f"Not measured: {', '.join(failed)}.", returncode=1)

    def _measure(self, rows: list[Row], workshop: Workshop, *, is_table: bool) -> list[Finding]:
        findings = [Finding(row) for row in rows]
        if is_table:
            self.stdout.write(HEADINGS)
        for finding in findings:
            try:
                for comparison in finding.row.measure(workshop):
                    finding.comparisons.append(comparison)
                    if is_table:
                        self.stdout.write(table_line(finding.row, comparison))
                        self.stdout.flush()
            except Exception as error:  # noqa: BLE001 - the outermost loop: the other rows can be measured
                finding.error = f"{type(error).__name__}: {error}"
                self.stderr.write(traceback.format_exc())
        return findings

    def _write(self, document: dict[str, object], options: dict[str, Any]) -> None:
        text = json.dumps(document, indent=2)
        if options["json"]:
            self.stdout.write(text)
        if options["output"] is not None:
            options["output"].write_text(text + "\n")


def _choose_rows(ids: str) -> list[Row]:
    rows = find_rows()
    asked = [part.strip().upper() for part in ids.split(",") if part.strip()]
    known = [row.id for row in rows]
    for unknown in [part for part in asked if part not in known]:
        raise CommandError(f"There is no row {unknown}. Rows: {', '.join(known)}.", returncode=2)
    return [row for row in rows if not asked or row.id in asked]


def _as_arguments(options: dict[str, Any]) -> list[str]:
    """The same command line once more, for the process that measures."""
    arguments = ["--seed", str(options["seed"]), "--rows", options["rows"]]
    arguments += [f"--{name}" for name in ("quick", "json") if options[name]]
    if options["output"] is not None:
        arguments += ["--output", str(options["output"].resolve())]
    return arguments
