"""Starting other processes at the test database, and ending them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connection

from campaigns.models import Campaign

WAIT_SECONDS = 30


class Neighbour:
    """One other process (other_process.py), told to go on line by line."""

    def __init__(self, campaign: Campaign) -> None:
        environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "storyteller.settings",
            "STORYTELLER_DATA": str(settings.DATA_FOLDER),
        }
        program = [sys.executable, "-m", "tests.campaigns.other_process"]
        self._process = subprocess.Popen(
            [*program, str(connection.settings_dict["NAME"]), str(campaign.pk)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=settings.BASE_DIR,
        )

    def hear(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def go_on(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        """SIGKILL, and wait until the kernel has let go of everything it held."""
        self._process.kill()
        self._process.wait(WAIT_SECONDS)

    def close(self) -> None:
        self._process.kill()
        self._process.communicate(timeout=WAIT_SECONDS)


@contextmanager
def neighbours(campaign: Campaign, *, count: int = 1) -> Iterator[list[Neighbour]]:
    """So many other processes, ready to submit."""
    started = [Neighbour(campaign) for _ in range(count)]
    try:
        for neighbour in started:
            assert neighbour.hear() == "ready"
        yield started
    finally:
        for neighbour in started:
            neighbour.close()
