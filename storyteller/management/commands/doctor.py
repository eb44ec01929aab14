"""Checks what the game stands on, and the narrator."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError

from narrative.checkup import CheckLine, Status, plan_checkup, run_checkup, worst_status
from narrative.engine import EngineSettings, environment_settings, read_engine
from storyteller.installation import are_settings_usable, is_database_ready, look_at_installation
from storyteller.management.command_help import CommandWithExamples

_INDENT = 9
_INTERRUPTED = 130  # what shells give a program that Ctrl+C ended


class Command(CommandWithExamples):
    help = (
        "Check what the game stands on, then the narrator: is the model server up, is the model there, does "
        "it write. Changes nothing, and sends nothing of your stories."
    )
    epilog = """examples:
  manage.py doctor
  manage.py doctor --json      {"items": [{"id", "name", "status", "detail", "advice"}], "status"}
  STORYTELLER_MODEL=qwen3:8b manage.py doctor

exit codes:
  0  all is well, or works with a warning
  1  something failed; its line says what to do
  130  it was ended with Ctrl+C
"""
    # Settings that Django's checks refuse are a line of the report, and not its end.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="answer in JSON, once everything is checked")

    def handle(self, *args: object, **options: Any) -> None:
        self._is_json: bool = options["json"]
        try:
            lines = list(self._lines())
        except KeyboardInterrupt:
            raise CommandError("Stopped before everything was checked.", returncode=_INTERRUPTED) from None
        if self._is_json:
            report = {"items": [asdict(line) for line in lines], "status": worst_status(lines)}
            self.stdout.write(json.dumps(report, ensure_ascii=False, indent=2))
        failed = sum(line.status == Status.FAILED for line in lines)
        if failed:
            raise CommandError(f"Failed: {failed}. What to do stands with each.", returncode=1)

    def _lines(self) -> Iterator[CheckLine]:
        for line in look_at_installation():
            self._write(line)
            yield line
        if are_settings_usable():
            yield from asyncio.run(self._check_narrator(_engine()))

    async def _check_narrator(self, engine: EngineSettings) -> list[CheckLine]:
        names = [line.name for line in plan_checkup(engine)]
        lines: list[CheckLine] = []
        async with aclosing(run_checkup(engine)) as running:
            self._show_progress(names[0])
            async for line in running:
                lines.append(line)
                self._write(line)
                self._show_progress(*names[len(lines) : len(lines) + 1])
        return lines

    def _write(self, line: CheckLine) -> None:
        if self._is_json:
            return
        self._clear_progress()
        self.stdout.write(f"{line.status:{_INDENT}}{line.name}: {line.detail}")
        if line.advice:
            self.stdout.write(f"{'':{_INDENT}}{line.advice}")
        self.stdout.flush()

    def _show_progress(self, name: str = "") -> None:
        """What is being looked at, for a person who waits; a pipe gets the lines alone."""
        if name and not self._is_json and self.stdout.isatty():
            self.stdout.write(f"{'…':{_INDENT}}{name}", ending="")
            self.stdout.flush()

    def _clear_progress(self) -> None:
        if self.stdout.isatty():
            self.stdout.write("\r\033[K", ending="")


def _engine() -> EngineSettings:
    """What is in force; where nothing that was saved can be read, what the environment says."""
    try:
        return read_engine() if is_database_ready() else environment_settings()
    except DatabaseError:  # its damage has had its line
        return environment_settings()
