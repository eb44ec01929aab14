"""The key that signs sessions."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from storyteller.secret_key import KEY_FILE, load_secret_key


def test_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    key = load_secret_key(folder)
    assert load_secret_key(folder) == key
    assert stat.S_IMODE((folder / KEY_FILE).stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir()] == [KEY_FILE]


def test_each_folder_has_its_own(tmp_path: Path) -> None:
    assert load_secret_key(tmp_path / "a") != load_secret_key(tmp_path / "b")


def test_processes_that_start_together_get_the_same(tmp_path: Path) -> None:
    program = "import sys, pathlib; from storyteller.secret_key import load_secret_key as load; "
    program += "sys.stdin.read(); print(load(pathlib.Path(sys.argv[1])))"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", program, tmp_path],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    for process in started:
        assert process.stdin
        process.stdin.close()
        process.stdin = None
    assert len({process.communicate(timeout=20)[0] for process in started}) == 1


def test_a_damaged_key_is_not_used(tmp_path: Path) -> None:
    (tmp_path / KEY_FILE).write_text("short\n")
    with pytest.raises(ValueError, match="Delete the file"):
        load_secret_key(tmp_path)
