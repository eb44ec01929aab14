"""What the operator may write, and the sentence for what cannot be used."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from storyteller.env import Environment, EnvironmentValueError

Read = Callable[[Environment], Any]


def _number(env: Environment) -> int:
    return env.whole_number("X", 7, low=1, high=10)


def _seconds(env: Environment) -> float:
    return env.seconds("X", 7.5, high=60)


def _choice(env: Environment) -> str:
    return env.choice("X", ("a", "b"), "a")


def _endpoint(env: Environment) -> str:
    return env.endpoint("X", "http://127.0.0.1:1")


def _flag(env: Environment) -> bool:
    return env.flag("X")


@pytest.mark.parametrize(
    ("read", "raw", "value"),
    [
        (_number, "", 7), (_number, " 3 ", 3), (_number, "10", 10),
        (_seconds, "", 7.5), (_seconds, "0.5", 0.5), (_seconds, "60", 60.0),
        (_choice, "", "a"), (_choice, " b ", "b"),
        (_flag, "", False), (_flag, "1", True), (_flag, "Yes", True), (_flag, "off", False),
        (lambda env: env.text("X", "d"), "  ", "d"),
        (lambda env: env.names("X"), " a, ,b ,", ["a", "b"]),
        (lambda env: env.names("X"), "", []),
        (_endpoint, "", "http://127.0.0.1:1"),
        (_endpoint, " https://den.lan/v1/ ", "https://den.lan/v1/"),
        (_endpoint, "http://[::1]:5001", "http://[::1]:5001"),
    ],
)  # fmt: skip
def test_values_that_can_be_used(read: Read, raw: str, value: object) -> None:
    assert read(Environment({"X": raw})) == value


@pytest.mark.parametrize(
    ("read", "raw", "hint"),
    [
        (_number, "0", "from 1 to 10"), (_number, "11", "from 1 to 10"), (_number, "many", "whole number"),
        (_number, "1.5", "whole number"), (_number, "-3", "from 1 to 10"),
        (_seconds, "0", "above 0"), (_seconds, "nan", "seconds"), (_seconds, "inf", "up to 60"),
        (_seconds, "x", "seconds"),
        (_choice, "c", "one of: a, b"), (_choice, "A", "one of: a, b"),
        (_flag, "maybe", "1 or 0"), (_flag, "2", "1 or 0"),
    ],
)  # fmt: skip
def test_values_that_cannot_are_named(read: Read, raw: str, hint: str) -> None:
    with pytest.raises(EnvironmentValueError) as caught:
        read(Environment({"X": raw}))
    assert str(caught.value).startswith(f"X is '{raw}', but it must be ")
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    "raw",
    [
        "127.0.0.1:11434", "localhost", "ftp://127.0.0.1", "http://", "http://:80", "http://127.0.0.1:0",
        "http://127.0.0.1:99999", "http://127.0.0.1:port", "http://[::1", "http://me:secret@127.0.0.1",
        "http://@127.0.0.1", "http://127.0.0.1/?key=secret", "http://127.0.0.1/#secret",
        "http://127.0.0.1/a b", "http://127.0.0.1\\@8.8.8.8", "http://127。0。0。1", "http://127.0.0.1/%2e",
    ],
)  # fmt: skip
def test_an_address_that_is_none_is_named_and_not_repeated(raw: str) -> None:
    with pytest.raises(EnvironmentValueError, match=r"^X is no server's address\.") as caught:
        _endpoint(Environment({"X": raw}))
    assert "secret" not in str(caught.value)


def test_a_folder_is_made(tmp_path: Path) -> None:
    env = Environment({"X": f"{tmp_path}/a/../b/c"})
    assert env.folder("X", Path("/x")) == tmp_path / "b" / "c"
    assert (tmp_path / "b" / "c").is_dir()
    assert Environment({}).folder("X", tmp_path / "d") == tmp_path / "d"


@pytest.mark.parametrize("name", ["file", "file/below", "~nobody-of-that-name/data"])
def test_what_can_be_no_folder_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    raw = name if name.startswith("~") else str(tmp_path / name)
    with pytest.raises(EnvironmentValueError, match=f"^X is '{raw}', but it must be a folder"):
        Environment({"X": raw}).folder("X", tmp_path)
