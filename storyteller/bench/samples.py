"""Repeated measurements, in pairs: what is measured and its reference take turns, so that noise hits both."""

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

Measure = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Sample:
    """Values of one kind, in the order in which they were taken."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def p95(self) -> float:
        """The nearest rank: of few values, the highest."""
        return sorted(self.values)[math.ceil(0.95 * len(self.values)) - 1]


def timed(act: Callable[[], object]) -> float:
    """How many milliseconds it takes."""
    start = time.perf_counter()
    act()
    return (time.perf_counter() - start) * 1000


def in_turns(
    measure: Measure, reference: Measure, *, repeats: int, warm_up: int = 3
) -> tuple[Sample, Sample]:
    """So many of each. Which goes first alternates: the first may pay for what the second finds warm."""
    figures: list[float] = []
    references: list[float] = []
    for number in range(-warm_up, repeats):
        if number % 2:
            figure, other = measure(), reference()
        else:
            other, figure = reference(), measure()
        if number >= 0:
            figures.append(figure)
            references.append(other)
    return Sample(tuple(figures)), Sample(tuple(references))
