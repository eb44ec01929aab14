"""Rules of the layout that no linter knows."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from narrative import protocol

ROOT = Path(__file__).parents[1]
APPS = ("storyteller", "narrative", "knowledge", "campaigns")
# What can open a connection.
NETWORK = frozenset(
    {"socket", "ssl", "http.client", "urllib.request", "urllib3", "requests", "httpx", "httpcore", "aiohttp"}
)
USERS = {
    "narrative/inference/http.py": {"httpx", "socket", "ssl"},
    "narrative/inference/trust.py": {"ssl"},  # whose certificates that client trusts
    # What is measured listens on this machine.
    "storyteller/bench/programs.py": {"http.client"},
    "storyteller/bench/websocket.py": {"socket"},
    "storyteller/listening.py": {"socket"},  # the server's own port
    "storyteller/serving.py": {"socket"},
}
PLAY = "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt && .venv/bin/python manage.py play"
TEST = ".venv/bin/pip install -r requirements-dev.txt && .venv/bin/python -m pytest"
MARKUP = ("mark_safe", "|safe", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(")


def modules() -> Iterator[Path]:
    for app in APPS:
        yield from (path for path in sorted((ROOT / app).rglob("*.py")) if "migrations" not in path.parts)


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def first_column(document: Path) -> set[str]:
    return {line.split("`")[1] for line in document.read_text().splitlines() if line.startswith("| `")}


def test_one_module_owns_all_outgoing_http() -> None:
    users = {str(path.relative_to(ROOT)): imported(path) & NETWORK for path in modules()}
    assert {path: names for path, names in users.items() if names} == USERS


def test_the_product_needs_no_test() -> None:
    assert [
        str(path) for path in modules() if any(name.split(".")[0] == "tests" for name in imported(path))
    ] == []


def test_the_commands_of_the_readme_are_what_the_gate_runs() -> None:
    readme = (ROOT / "README.md").read_text()
    assert [block.split("```")[0].strip() for block in readme.split("```sh\n")[1:]] == [PLAY, TEST]
    gate = (ROOT / ".ci" / "run").read_text()
    assert "readme_command 1" in gate
    assert "readme_command 2" in gate


def test_every_frame_is_documented() -> None:
    sent = {str(frame.model_fields["type"].default) for frame in get_args(protocol.Frame)}
    frames = get_args(protocol.ClientFrame)
    received = {get_args(frame.model_fields["type"].annotation)[0] for frame in frames}
    assert first_column(ROOT / "docs" / "protocol.md") == sent | received


def test_every_setting_is_documented() -> None:
    source = ast.parse((ROOT / "storyteller" / "settings.py").read_text())
    texts = {node.value for node in ast.walk(source) if isinstance(node, ast.Constant)}
    used = {text for text in texts if isinstance(text, str) and text.startswith("STORYTELLER_")}
    documented = {name for name in first_column(ROOT / "docs" / "settings.md") if name.startswith("STORY")}
    assert documented == used


@pytest.mark.parametrize("word", MARKUP)
def test_nothing_turns_text_into_markup(word: str) -> None:
    templates, scripts = (ROOT / "templates").rglob("*.html"), (ROOT / "static" / "js").rglob("*.js")
    assert [str(path) for path in (*modules(), *templates, *scripts) if word in path.read_text()] == []
