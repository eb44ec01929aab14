"""Parse an environment value, or stop with a sentence that names it.

Every setting of the operator comes through here. A value that cannot be used stops the start: a game that
quietly runs with another setting than the one that was written down is worse than one that does not start.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from django.core.exceptions import ImproperlyConfigured

_ADDRESS = re.compile(r"[!-~]+")


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
        """A folder that can be written to, made where it is not there yet."""
        raw = self.text(name, str(default))
        try:
            folder = Path(raw).expanduser().resolve()
            folder.mkdir(parents=True, exist_ok=True)
        except (OSError, RuntimeError) as error:  # RuntimeError: there is no such user, or a circle of links
            raise EnvironmentValueError(
                f"{name} is {raw!r}, but it must be a folder, or a place where one can be made: {error}."
            ) from error
        if not os.access(folder, os.W_OK | os.X_OK):
            raise EnvironmentValueError(f"{name} is {raw!r}, but it must be a folder that can be written to.")
        return folder

    def endpoint(self, name: str, default: str) -> str:
        """A server's address, as far as its form goes; where it may lead is not judged here.

        The sentence does not repeat what was written: what is mistyped into an address may be a password.
        """
        raw = self.text(name, default)
        if not _is_server_address(raw):
            raise EnvironmentValueError(
                f"{name} is no server's address. It must look like {default}: http:// or https://, a host, "
                "and then a port or a path if there is one. No user name, no password, no “?”, no “#”."
            )
        return raw


def _is_server_address(text: str) -> bool:
    try:
        parts: SplitResult = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    return (
        _ADDRESS.fullmatch(text) is not None
        and not set(text) & set("\\?#%@")
        and parts.scheme in ("http", "https")
        and bool(parts.hostname)
        and port != 0
    )
