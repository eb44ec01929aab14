"""What a check says, line by line."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from narrative.inference.base import InferenceError


class Status(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"  # there was nothing to look at, or something else stands in the way


@dataclass(frozen=True, slots=True)
class Finding:
    """What was seen, with its figures, and what to do about it; the latter is empty where nothing is."""

    status: Status
    detail: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class CheckLine:
    id: str
    name: str
    status: Status
    detail: str
    advice: str = ""


def worst_status(lines: Iterable[CheckLine]) -> Status:
    """What the lines come to. Nothing that was skipped makes it worse."""
    found = {line.status for line in lines}
    return next((status for status in (Status.FAILED, Status.WARNING) if status in found), Status.OK)


def failure(error: InferenceError) -> Finding:
    """An error as a finding: what happened is its first sentence, what to do are the others."""
    return Finding(Status.FAILED, *sentences(error.message))


def sentences(message: str) -> tuple[str, str]:
    """The first sentence, and the rest."""
    first, _, rest = message.partition(". ")
    return (f"{first}.", rest) if rest else (message, "")
