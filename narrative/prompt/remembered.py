"""What is remembered of the story beyond the turns that are replayed: the summary and the memories. Pure."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryInForce:
    """The summary that holds where a turn is told, of the turns from ``first_depth`` to ``depth``."""

    id: int
    type: str
    trigger: str
    branch: int
    first_depth: int
    depth: int
    model: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledMemory:
    """A memory that a prompt uses, and why: its score is the sum of its ``factors``, each of them bounded."""

    id: int
    text: str
    similarity: float
    score: float
    authority: str
    is_pinned: bool
    branch: int
    first_depth: int
    depth: int
    tokens: int
    factors: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SetAside:
    """A memory that was looked at and not used."""

    id: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    used: tuple[RecalledMemory, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    considered: int = 0


# Memories that cost at most so many tokens, without those whose text is said already.
Recall = Callable[[int, Callable[[str], bool]], Recalled]


def recall_nothing(budget: int, is_said: Callable[[str], bool]) -> Recalled:
    return Recalled()
