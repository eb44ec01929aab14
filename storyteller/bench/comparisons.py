"""One line of the bench: a figure, the reference it is held against, and whether its targets hold."""

from collections.abc import Callable
from dataclasses import dataclass

from storyteller.bench.samples import Sample


@dataclass(frozen=True, slots=True)
class Target:
    """What must hold between a figure and its reference, in words and as a test."""

    text: str
    is_met: Callable[[Sample, Sample], bool]


@dataclass(frozen=True, slots=True)
class Comparison:
    what: str
    unit: str
    figure: Sample
    reference_name: str
    reference: Sample
    targets: tuple[Target, ...] = ()

    @property
    def ratio(self) -> float | None:
        return self.figure.median / self.reference.median if self.reference.median else None

    @property
    def target_text(self) -> str:
        return ", ".join(target.text for target in self.targets)

    @property
    def holds(self) -> bool | None:
        """None where the line is for information only."""
        if not self.targets:
            return None
        return all(target.is_met(self.figure, self.reference) for target in self.targets)


def ratio_at_most(limit: float) -> Target:
    return Target(f"≤ {limit:g} ×", lambda figure, other: figure.median <= limit * other.median)


def ratio_at_least(limit: float) -> Target:
    return Target(f"≥ {limit:g} ×", lambda figure, other: figure.median >= limit * other.median)


def p95_at_most(limit: float) -> Target:
    return Target(f"p95 ≤ {limit:g}", lambda figure, other: figure.p95 <= limit)


def added_at_most(limit: float) -> Target:
    return Target(f"≤ {limit:g} more", lambda figure, other: figure.median - other.median <= limit)


SAME = Target("the same", lambda figure, other: figure.values == other.values)
