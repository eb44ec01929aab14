"""What stops the program before it starts, as whoever typed the command sees it."""

from pathlib import Path

import pytest

from storyteller.errors import DatabaseNotReadyError
from tests.storyteller.game import run_command

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("STORYTELLER_CONTEXT_WINDOW", "many"),
        ("STORYTELLER_INFERENCE_API", "telepathy"),
        ("STORYTELLER_INFERENCE_URL", "127.0.0.1:11434"),
        ("STORYTELLER_DATA", __file__),
    ],
)
@pytest.mark.parametrize("command", ["play", "check"])
def test_a_wrong_value_is_one_sentence(tmp_path: Path, command: str, name: str, value: str) -> None:
    refused = run_command(tmp_path, command, extra={name: value})
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith(f"{name} is ")
    assert refused.stderr.count("\n") == 1


def test_a_bug_keeps_its_traceback(tmp_path: Path) -> None:
    refused = run_command(tmp_path, "check", extra={"DJANGO_SETTINGS_MODULE": "storyteller.nothing"})
    assert refused.returncode == 1
    assert "Traceback" in refused.stderr


def test_play_refuses_a_model_server_elsewhere(tmp_path: Path) -> None:
    elsewhere = {"STORYTELLER_INFERENCE_URL": "http://192.0.2.1:11434"}
    refused = run_command(tmp_path, "play", "--no-browser", "--port", "0", extra=elsewhere)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "narrative.E001" in refused.stderr
    assert "STORYTELLER_INFERENCE_URL" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not (tmp_path / "story.sqlite3").exists()


def test_verify_before_the_first_start_says_what_to_do(tmp_path: Path) -> None:
    refused = run_command(tmp_path, "verify")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.strip() == f"CommandError: {DatabaseNotReadyError()}"
    assert refused.stderr == run_command(tmp_path, "api_token", "list").stderr
