"""What goes into the map and what comes out of it."""

from dataclasses import dataclass
from enum import StrEnum

from campaigns.path import Segment


class Kind(StrEnum):
    """What is at a place. A place may be several of these at once."""

    OPENING = "opening"
    FORK = "fork"
    TIP = "tip"
    DEPARTURE = "departure"
    SAVE_POINT = "save-point"
    HEAD = "head"
    CHOSEN = "chosen"


class Look(StrEnum):
    """How a stretch of a line is drawn: being read, retained after the head, retained, or departed from."""

    READ = "read"
    AHEAD = "ahead"
    PLAIN = "plain"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Line:
    """A branch. Parents come before their children. ``room`` is how many columns its name takes after its
    tip; ``is_remote`` says that branches between it and its parent are left out."""

    id: int
    parent: int | None
    fork: int | None
    tip: int
    departed: int | None = None
    room: int = 0
    is_remote: bool = False

    @property
    def first(self) -> int:
        """The depth of the first turn of its own."""
        return 0 if self.fork is None else self.fork + 1

    @property
    def begin(self) -> int:
        """The depth that the line is drawn from: its fork, or turn 0 for an opening."""
        return max(0, self.first - 1)


@dataclass(frozen=True, slots=True)
class Mark:
    """Something at a place of a line's own part."""

    line: int
    depth: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class Reading:
    """The path through the head to the tip of the branch being read, and the head's depth on it."""

    segments: tuple[Segment, ...]
    depth: int


@dataclass(frozen=True, slots=True)
class Stroke:
    """A stretch of a line. Where a line begins, it comes from the lane that it forks from."""

    line: int
    look: Look
    lane: int
    first: int
    last: int
    from_lane: int | None = None
    is_remote: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """A place that can be chosen."""

    line: int
    depth: int
    lane: int
    column: int
    kinds: frozenset[Kind]


@dataclass(frozen=True, slots=True)
class Label:
    """Where a line's name stands, behind its tip."""

    line: int
    lane: int
    column: int


@dataclass(frozen=True, slots=True)
class Tick:
    """A turn's number above its column. It is shortened where more turns lie before it than are drawn."""

    depth: int
    column: int
    is_shortened: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything in columns and lanes, each list ordered, so that the same tree is always the same map."""

    width: int
    lanes: int
    lane_of: dict[int, int]
    strokes: tuple[Stroke, ...]
    nodes: tuple[Node, ...]
    labels: tuple[Label, ...]
    ticks: tuple[Tick, ...]
