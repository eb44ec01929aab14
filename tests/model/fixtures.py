"""The real small model as a fixture: SmolLM2-135M behind both APIs, in a process with a virtual environment
of its own.

Its environment is made as model_server.txt says, in .venv-llm; where it is missing or cannot run here, the
tests are skipped. Assert how replies arrive, never what they say.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


@dataclass(frozen=True, slots=True)
class SmallModel:
    url: str
    name: str


@pytest.fixture(scope="session")
def small_model() -> Iterator[SmallModel]:
    default = ROOT / ".venv-llm" / "bin" / "python"
    python = Path(os.environ.get("STORYTELLER_TEST_MODEL_PYTHON", default))
    if not python.exists():
        pytest.skip(f"no environment for the small model: {python} does not exist")
    command = [str(python), str(HERE / "model_server.py"), "--port", "0", "--threads", "1"]
    # A file and not a pipe: llama.cpp's log would fill a pipe nobody reads, and the server would stand still.
    with (
        tempfile.TemporaryFile("w+", errors="replace") as log,
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True
        ) as process,
    ):
        try:
            model = _wait_until_ready(process)
            if model is None:
                log.seek(0)
                reason = log.read().strip().splitlines() or ["it ended without a word"]
                pytest.skip(f"the small model cannot run here: {reason[-1]}")
            yield model
        finally:
            process.terminate()


def _wait_until_ready(process: subprocess.Popen[str]) -> SmallModel | None:
    """The server says READY, its address and its model; before that llama.cpp may say anything."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("READY "):
            _, url, model = line.split()
            return SmallModel(url, model.removeprefix("model="))
    return None
