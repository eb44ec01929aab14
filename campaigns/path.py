"""A position's path, as segments: the one way in which every read of the story goes.

The path of (b, d) is b's own turns up to depth d, then its parent's up to the fork depth, and so on to turn
0. A branch's parent and fork depth never change, so a path is decided by its position alone::

    depth      0    1    2    3    4    5
    Main       o----o----o----o              Segment(main, 0, 1)
                     \\
    Cellar            o----o----o            Segment(cellar, 2, 3)
                                ^ head (cellar, 3)

Nothing here touches a database.
"""

import bisect
import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the story, whichever take is live there."""

    branch_id: int
    depth: int


@dataclass(frozen=True, slots=True)
class Segment:
    """The turns of one branch from depth ``first`` to depth ``last``, both included."""

    branch_id: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Path:
    """Segments from the shallowest to the deepest. They join without a gap and no depth occurs twice.

    A path that was read down to a floor only holds the part from there on; what lies above is not on it.
    """

    segments: tuple[Segment, ...]

    @property
    def depth(self) -> int:
        """The depth of its end, or -1 where the path is empty."""
        return self.segments[-1].last if self.segments else -1

    def branch_at(self, depth: int) -> int | None:
        """The branch that owns the turn at this depth, or None where the path has none."""
        index = bisect.bisect_left(self.segments, depth, key=lambda segment: segment.last)
        if index == len(self.segments) or self.segments[index].first > depth:
            return None
        return self.segments[index].branch_id

    def contains(self, position: Position) -> bool:
        return self.branch_at(position.depth) == position.branch_id

    def between(self, first: int, last: int) -> "Path":
        """The part from depth ``first`` to depth ``last``, both included."""
        return Path(
            tuple(
                Segment(segment.branch_id, max(segment.first, first), min(segment.last, last))
                for segment in self.segments
                if segment.first <= last and segment.last >= first
            )
        )

    def as_json(self) -> str:
        """``[[branch, first, last], …]``, the form in which a path is joined into SQL."""
        return json.dumps([[s.branch_id, s.first, s.last] for s in self.segments])
