"""A layout in pixels, as the attributes of an SVG."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from campaigns.map.shapes import Kind, Layout, Look, Node, Stroke, Tick

# How much the number above a column needs to the next one, in pixels.
_NUMBER = 34
# The shape under everything else at a place: the first of these that is there.
_SHAPES = (Kind.OPENING, Kind.FORK, Kind.TIP, Kind.DEPARTURE)


@dataclass(frozen=True, slots=True)
class Size:
    """How far columns and lanes lie apart, and the margin around them."""

    column: int
    lane: int
    margin: int

    def x(self, column: int) -> int:
        return self.margin + column * self.column

    def y(self, lane: int) -> int:
        return self.margin + lane * self.lane


@dataclass(frozen=True, slots=True)
class DrawnStrokes:
    """All strokes of one look in one path."""

    look: str
    path: str


@dataclass(frozen=True, slots=True)
class DrawnNode:
    line: int
    depth: int
    x: int
    y: int
    shapes: tuple[str, ...]
    kinds: frozenset[Kind]


@dataclass(frozen=True, slots=True)
class DrawnLabel:
    line: int
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class DrawnTick:
    depth: int
    x: int
    is_shortened: bool


@dataclass(frozen=True, slots=True)
class Drawing:
    width: int
    height: int
    strokes: tuple[DrawnStrokes, ...]
    nodes: tuple[DrawnNode, ...]
    labels: tuple[DrawnLabel, ...]
    ticks: tuple[DrawnTick, ...]


def draw(layout: Layout, size: Size) -> Drawing:
    return Drawing(
        width=size.x(layout.width) + size.margin,
        height=size.y(layout.lanes - 1) + size.margin,
        strokes=_strokes(layout, size),
        nodes=tuple(
            DrawnNode(n.line, n.depth, size.x(n.column), size.y(n.lane), _shapes(n), n.kinds)
            for n in layout.nodes
        ),
        labels=tuple(DrawnLabel(at.line, size.x(at.column), size.y(at.lane)) for at in layout.labels),
        ticks=tuple(_ticks(layout.ticks, size)),
    )


def _strokes(layout: Layout, size: Size) -> tuple[DrawnStrokes, ...]:
    """One path for each look, and one for what is drawn over branches that are left out."""
    paths: defaultdict[str, list[str]] = defaultdict(list)
    for stroke in layout.strokes:
        look = "remote" if stroke.is_remote and stroke.look is not Look.READ else str(stroke.look)
        paths[look].append(_path(stroke, size))
    return tuple(DrawnStrokes(look, "".join(parts)) for look, parts in paths.items())


def _path(stroke: Stroke, size: Size) -> str:
    """A level line; where it leaves another one it comes from there, round one corner."""
    x, y, end = size.x(stroke.first), size.y(stroke.lane), size.x(stroke.last)
    if stroke.from_lane is None:
        return f"M{x} {y}H{end}"
    radius = min(size.column, size.lane) * 2 // 3
    above = size.y(stroke.from_lane)
    corner = y - radius if above < y else y + radius
    return f"M{x} {above}V{corner}Q{x} {y} {x + radius} {y}H{max(end, x + radius)}"


def _shapes(node: Node) -> tuple[str, ...]:
    shape = next((kind for kind in _SHAPES if kind in node.kinds), Kind.CHOSEN)
    upon = [kind for kind in (Kind.HEAD, Kind.SAVE_POINT) if kind in node.kinds]
    return tuple(str(kind) for kind in (shape, *upon))


def _ticks(ticks: tuple[Tick, ...], size: Size) -> Iterator[DrawnTick]:
    """As many numbers as have room. Where one is left out, the next tells of what was shortened before it."""
    free_from, is_shortened = 0, False
    for tick in ticks:
        x = size.x(tick.column)
        is_shortened = is_shortened or tick.is_shortened
        if x >= free_from:
            yield DrawnTick(tick.depth, x, is_shortened)
            free_from, is_shortened = x + _NUMBER, False
