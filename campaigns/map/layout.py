"""From lines and marks to lanes, strokes and nodes.

A line goes into the free lane nearest to the one that it forks from. Lines that leave late are placed before
those that leave early, so that they lie nearer and are not crossed.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from campaigns.map.lanes import Lanes
from campaigns.map.scale import Scale, scale_of
from campaigns.map.shapes import Kind, Label, Layout, Line, Look, Mark, Node, Reading, Stroke, Tick

# The order in which looks are drawn, so that the path being read lies on top.
_UNDER = (Look.LEFT, Look.PLAIN, Look.AHEAD, Look.READ)


def lay_out(lines: Sequence[Line], marks: Iterable[Mark], reading: Reading) -> Layout:
    """The map of these lines. Each mark is at a depth that its line owns."""
    places = _places(lines, marks)
    scale = scale_of([*(depth for _, depth in places), *(line.tip for line in lines)])
    lane_of = _lanes_of(lines, scale)
    strokes = [stroke for line in lines for stroke in _strokes(line, lane_of, scale, reading)]
    return Layout(
        width=max(_end(line, scale) for line in lines) + 1,
        lanes=max(lane_of.values()) + 1,
        lane_of=lane_of,
        strokes=tuple(sorted(strokes, key=lambda stroke: _UNDER.index(stroke.look))),
        nodes=tuple(
            Node(line, depth, lane_of[line], scale.column(depth), frozenset(kinds))
            for (line, depth), kinds in sorted(places.items())
        ),
        labels=tuple(Label(line.id, lane_of[line.id], scale.column(line.tip)) for line in lines),
        ticks=tuple(
            Tick(depth, column, scale.is_shortened(index))
            for index, (depth, column) in enumerate(zip(scale.depths, scale.columns, strict=True))
        ),
    )


def _places(lines: Sequence[Line], marks: Iterable[Mark]) -> dict[tuple[int, int], set[Kind]]:
    """Every place where something is, by line and depth."""
    places: defaultdict[tuple[int, int], set[Kind]] = defaultdict(set)
    for line in lines:
        if line.first == 0:
            places[line.id, 0].add(Kind.OPENING)
        elif line.parent is not None:
            places[line.parent, line.begin].add(Kind.FORK)
        if line.tip >= line.first:
            places[line.id, line.tip].add(Kind.TIP)
        if line.departed is not None and line.first <= line.departed < line.tip:
            places[line.id, line.departed].add(Kind.DEPARTURE)
    for mark in marks:
        places[mark.line, mark.depth].add(mark.kind)
    return places


def _lanes_of(lines: Sequence[Line], scale: Scale) -> dict[int, int]:
    children: defaultdict[int | None, list[Line]] = defaultdict(list)
    for line in lines:
        children[line.parent].append(line)
    lanes = Lanes(max(_end(line, scale) for line in lines) + 1)
    lane_of: dict[int, int] = {}
    waiting = children[None]
    while waiting:
        line = waiting.pop()
        first, last = scale.column(line.begin), _end(line, scale)
        # The very first line has nothing to be near to.
        lane = 0 if line.parent is None else lanes.nearest(lane_of[line.parent], first, last)
        lane_of[line.id] = lane
        lanes.take(lane, first, last)
        waiting += sorted(children[line.id], key=lambda child: (child.begin, -child.id))
    return lane_of


def _end(line: Line, scale: Scale) -> int:
    """The last column that belongs to a line, its name included."""
    return scale.column(line.tip) + line.room


def _strokes(line: Line, lane_of: dict[int, int], scale: Scale, reading: Reading) -> Iterator[Stroke]:
    """The line in stretches of one look each."""
    read_to = {segment.branch_id: segment.last for segment in reading.segments}.get(line.id, -1)
    cuts = {reading.depth, read_to, line.tip if line.departed is None else line.departed}
    ends = [*sorted(cut for cut in cuts if line.begin < cut < line.tip), line.tip]
    begin, from_lane = line.begin, lane_of.get(line.parent or 0) if line.first > 0 else None
    for end in ends:
        if end > begin or from_lane is not None:
            yield Stroke(
                line=line.id,
                look=_look(line, end, read_to, reading.depth),
                lane=lane_of[line.id],
                first=scale.column(begin),
                last=scale.column(end),
                from_lane=from_lane,
                is_remote=line.is_remote and from_lane is not None,
            )
        begin, from_lane = end, None


def _look(line: Line, depth: int, read_to: int, head_depth: int) -> Look:
    if depth <= read_to:
        return Look.READ if depth <= head_depth else Look.AHEAD
    if line.departed is not None and depth > line.departed:
        return Look.LEFT
    return Look.PLAIN
