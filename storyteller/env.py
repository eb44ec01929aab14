"""Parse an environment value, or stop with a sentence that names it.

Every setting of the operator comes through here. A value that cannot be used stops the start: a game that
quietly runs with another setting than the one that was written down is worse than one that does not start.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


class EnvironmentValueError(ImproperlyConfigured):
    """A value in the environment cannot be used. The message names the variable and what would do."""


@dataclass(frozen=True, slots=True)
class Environment:
    """Typed reads of the process environment; an empty value counts as not set."""

    values: Mapping[str, str]

    @classmethod
    def of_process(cls) -> "Environment":
        return cls(os.environ)

    def text(self, name: str, default: str = "") -> str:
        return self.values.get(name, "").strip() or default

    def choice(self, name: str, choices: Sequence[str], default: str) -> str:
        value = self.text(name, default)
        if value not in choices:
            raise EnvironmentValueError(f"{name} is {value!r}, but it must be one of: {', '.join(choices)}.")
        return value

    def whole_number(self, name: str, default: int, *, low: int, high: int) -> int:
        raw = self.text(name)
        if not raw:
            return default
        try:
            value = int(raw)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise EnvironmentValueError(
                f"{name} is {raw!r}, but it must be a whole number from {low} to {high}."
            )
        return value

    def seconds(self, name: str, default: float, *, high: float = 86_400) -> float:
        raw = self.text(name)
        if not raw:
            return default
        try:
            value = float(raw)
        except ValueError:
            value = -1.0
        if not 0 < value <= high:  # also refuses NaN, which no comparison holds for
            raise EnvironmentValueError(
                f"{name} is {raw!r}, but it must be a number of seconds above 0 and up to {high:g}."
            )
        return value

    def flag(self, name: str) -> bool:
        raw = self.text(name, "0").lower()
        if raw in ("1", "true", "yes", "on"):
            return True
        if raw in ("0", "false", "no", "off"):
            return False
        raise EnvironmentValueError(f"{name} is {raw!r}, but it must be 1 or 0.")

    def names(self, name: str) -> list[str]:
        """A comma-separated list."""
        return [part.strip() for part in self.text(name).split(",") if part.strip()]

    def folder(self, name: str, default: Path) -> Path:
        return Path(self.text(name, str(default))).expanduser().resolve()
