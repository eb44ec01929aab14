"""All that is installed for the game and for its tests is pinned, so that every machine runs the same."""

from collections.abc import Iterator
from importlib.metadata import requires, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
GAME, TESTS = ("requirements.txt",), ("requirements.txt", "requirements-dev.txt")


def listed(names: tuple[str, ...]) -> Iterator[Requirement]:
    for name in names:
        for line in (ROOT / name).read_text().splitlines():
            if line and line[0] not in "#-":
                yield Requirement(line)


def needed(requirement: Requirement) -> Iterator[str]:
    """The names of what a requirement brings on this machine."""
    for text in requires(requirement.name) or ():
        brought = Requirement(text)
        extras = requirement.extras or {""}
        if brought.marker is None or any(brought.marker.evaluate({"extra": extra}) for extra in extras):
            yield canonicalize_name(brought.name)


@pytest.mark.parametrize("names", [GAME, TESTS])
def test_what_a_requirement_brings_is_pinned_as_well(names: tuple[str, ...]) -> None:
    pinned = {canonicalize_name(requirement.name): requirement for requirement in listed(names)}
    assert {str(requirement.specifier)[:2] for requirement in pinned.values()} == {"=="}
    for requirement in pinned.values():
        assert set(needed(requirement)) <= set(pinned), requirement.name


def test_what_is_pinned_is_what_the_tests_run_with() -> None:
    assert {r.name: version(r.name) for r in listed(TESTS)} == {
        r.name: str(r.specifier).removeprefix("==") for r in listed(TESTS)
    }
