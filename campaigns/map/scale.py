"""Depth as columns: every depth where something is has one, and long empty stretches are drawn shorter."""

import bisect
from collections.abc import Iterable
from dataclasses import dataclass

# Turns between two depths where something is, and by how many columns such a stretch is drawn longer.
_STRETCHES = ((1, 0), (4, 1), (20, 2), (100, 3))
_LONGEST = 4
# With so many depths to show, the map is long without any allowance for what lies between them.
_CROWDED = 160


@dataclass(frozen=True, slots=True)
class Scale:
    """Depths and the columns that they have, both ascending."""

    depths: tuple[int, ...]
    columns: tuple[int, ...]

    @property
    def width(self) -> int:
        return self.columns[-1] + 1 if self.columns else 1

    def column(self, depth: int) -> int:
        """The column of a depth: its own, or that of the last one before it where something is."""
        index = bisect.bisect_right(self.depths, depth) - 1
        return self.columns[max(index, 0)]

    def is_shortened(self, index: int) -> bool:
        """Whether more turns lie before this depth than there are columns for them."""
        if index == 0:
            return False
        turns = self.depths[index] - self.depths[index - 1]
        return turns > self.columns[index] - self.columns[index - 1]


def scale_of(depths: Iterable[int]) -> Scale:
    """A scale on which each of these depths has its column."""
    ascending = sorted(set(depths))
    is_crowded = len(ascending) > _CROWDED
    columns: list[int] = []
    for index, depth in enumerate(ascending):
        if index == 0:
            columns.append(0)
        else:
            turns = depth - ascending[index - 1]
            columns.append(columns[-1] + 1 + (0 if is_crowded else _allowance(turns)))
    return Scale(tuple(ascending), tuple(columns))


def _allowance(turns: int) -> int:
    return next((extra for most, extra in _STRETCHES if turns <= most), _LONGEST)
