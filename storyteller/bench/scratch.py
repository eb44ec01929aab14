"""A data folder for one run.

The settings read the data folder's name once, when a process starts, and database, key, logs and locks all
follow from it. So the bench runs itself again as a process whose environment names a temporary folder: what
never held the operator's database open cannot write to it.
"""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from django.conf import settings

from storyteller.bench.errors import BenchError

# Set for the process that measures, to the folder that was made for it.
FOLDER = "STORYTELLER_BENCH_FOLDER"


def is_inside() -> bool:
    """Whether this process is the one that measures."""
    return FOLDER in os.environ


def require_scratch() -> None:
    """Raises BenchError unless the data folder is the one made for this run, and unused."""
    folder = Path(os.environ[FOLDER])
    database = Path(str(settings.DATABASES["default"]["NAME"]))
    if folder != settings.DATA_FOLDER or database.parent != folder or database.exists():
        raise BenchError("The bench measures in a new folder of its own, and this is none.")


def run_inside(arguments: list[str]) -> int:
    """Run this command again, in a new data folder that goes when it ends; returns its exit code."""
    with tempfile.TemporaryDirectory(prefix="storyteller-bench-") as name:
        folder = str(Path(name).resolve())
        own = {"STORYTELLER_DATA": folder, FOLDER: folder, "STORYTELLER_INFERENCE_API": "rehearsal"}
        process = subprocess.Popen(  # noqa: S603 - this very program
            [sys.executable, str(settings.BASE_DIR / "manage.py"), "bench", *arguments],
            env=_without_settings() | own,
        )
        try:
            return process.wait()
        except KeyboardInterrupt:  # which the other got as well
            process.send_signal(signal.SIGINT)
            return process.wait()


def _without_settings() -> dict[str, str]:
    """The environment, but for what changes how the game runs."""
    return {
        name: value for name, value in os.environ.items() if not name.startswith(("STORYTELLER_", "DJANGO_"))
    }
