"""The real program as a process of its own, on a data folder of its own."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).parents[2]


def environment(data: Path, **extra: str) -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("STORYTELLER_", "DJANGO_"))
    }
    own = {"STORYTELLER_DATA": str(data), "STORYTELLER_INFERENCE_API": "rehearsal", "PYTHONUNBUFFERED": "0"}
    return kept | own | {"DJANGO_SETTINGS_MODULE": "storyteller.settings"} | extra


def run_command(
    data: Path,
    *arguments: str,
    program: str = "",
    check: bool = False,
    extra: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    command = ["-c", program] if program else ["manage.py", *arguments]
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment(data, **(extra or {})),
        capture_output=True,
        text=True,
        timeout=60,
        check=check,
    )


class Game:
    """``play`` on a free port. Leaving the block ends it, by force if need be."""

    def __init__(self, data: Path, **extra: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "play", "--port", "0", "--no-browser"],
            cwd=ROOT,
            env=environment(data, **extra),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self.printed = ""
        while "Ctrl+C" not in self.printed:
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(self.process.communicate(timeout=10))
            self.printed += line
        found = re.search(r"http://(127\.0\.0\.1:(\d+))(/sign-in/[\w-]+/)", self.printed)
        assert found, self.printed
        self.host, self.port, self.link = found[1], int(found[2]), found[3]

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, float, str]:
        """Exit code, seconds it took, and what was said on standard error."""
        start = time.monotonic()
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=20)
        return self.process.returncode, time.monotonic() - start, errors

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()
