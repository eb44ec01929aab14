"""The branch map as geometry: no lane is taken twice, lines begin where they fork, one tree is one map."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns.map.drawing import Size, draw
from campaigns.map.lanes import Lanes
from campaigns.map.layout import lay_out
from campaigns.map.scale import scale_of
from campaigns.map.shapes import Kind, Layout, Line, Look, Mark, Reading, Stroke
from campaigns.map.trimming import trim
from campaigns.path import Segment

SIZE = Size(column=20, lane=30, margin=20)
FEW = settings(max_examples=40, deadline=None, derandomize=True, database=None)


def _path(lines: list[Line], end: Line, depth: int) -> tuple[Segment, ...]:
    """The path of a position, found line by line."""
    by_id = {line.id: line for line in lines}
    found: list[Segment] = []
    line: Line | None = end
    while line is not None:
        if line.first <= depth:
            found.insert(0, Segment(line.id, line.first, depth))
        depth = min(depth, line.first - 1)
        line = None if line.parent is None else by_id[line.parent]
    return tuple(found)


@st.composite
def trees(draw: st.DrawFn, most: int = 25) -> tuple[list[Line], Reading]:
    """Any tree of lines with any departures, read anywhere on any of them."""
    tip = draw(st.integers(0, 400))
    lines = [Line(1, None, None, tip, departed=draw(st.none() | st.integers(0, tip)))]
    for number in range(draw(st.integers(0, most))):
        parent = lines[draw(st.integers(0, len(lines) - 1))]
        fork = draw(st.integers(parent.first, parent.tip) | (st.just(-1) if parent.id == 1 else st.nothing()))
        tip = fork + draw(st.integers(1, 60))
        departed = draw(st.none() | st.integers(-1, tip))
        lines.append(Line(number + 2, parent.id, fork, tip, departed=departed, room=draw(st.integers(0, 9))))
    end = lines[draw(st.integers(0, len(lines) - 1))]
    return lines, Reading(_path(lines, end, end.tip), draw(st.integers(0, end.tip)))


def _head(reading: Reading) -> Mark:
    on = next(s for s in reading.segments if s.first <= reading.depth <= s.last)
    return Mark(on.branch_id, reading.depth, Kind.HEAD)


def _map(lines: list[Line], reading: Reading) -> Layout:
    return lay_out(lines, [_head(reading)], reading)


@FEW
@given(trees())
def test_no_two_lines_overlap_in_a_lane(tree: tuple[list[Line], Reading]) -> None:
    lines, reading = tree
    layout = _map(lines, reading)
    taken: Counter[tuple[int, int]] = Counter()
    rooms = {line.id: line.room for line in lines}
    ends = {label.line: label.column + rooms[label.line] for label in layout.labels}
    begins = {node.line: node.column for node in reversed(layout.nodes)}
    for stroke in layout.strokes:
        begins[stroke.line] = min(begins.get(stroke.line, stroke.first), stroke.first)
    for line in lines:
        for column in range(begins[line.id], ends[line.id] + 1):
            taken[layout.lane_of[line.id], column] += 1
    assert max(taken.values()) == 1
    assert layout.width > max(ends.values())


@FEW
@given(trees())
def test_every_line_begins_in_its_parents_lane_at_its_fork(tree: tuple[list[Line], Reading]) -> None:
    lines, reading = tree
    layout = _map(lines, reading)
    columns = {(node.line, node.depth): node.column for node in layout.nodes}
    of_line: dict[int, list[Stroke]] = {}
    for stroke in layout.strokes:
        of_line.setdefault(stroke.line, []).append(stroke)
    for line in lines:
        strokes = sorted(of_line.get(line.id, []), key=lambda stroke: stroke.first)
        if line.first > 0:
            assert line.parent is not None
            assert strokes[0].from_lane == layout.lane_of[line.parent]
            assert strokes[0].first == columns[line.parent, line.begin]
        assert [s.from_lane for s in strokes[1:]] == [None] * len(strokes[1:])
        assert [s.last for s in strokes[:-1]] == [s.first for s in strokes[1:]]
        if strokes:
            assert strokes[-1].last == columns[line.id, line.tip]


@FEW
@given(trees())
def test_each_turn_is_drawn_as_what_it_is(tree: tuple[list[Line], Reading]) -> None:
    lines, reading = tree
    layout = _map(lines, reading)
    scale = scale_of(tick.depth for tick in layout.ticks)
    path = {s.branch_id: s for s in reading.segments}
    for line in lines:
        strokes = [stroke for stroke in layout.strokes if stroke.line == line.id]
        for depth in (tick.depth for tick in layout.ticks if max(line.first, 1) <= tick.depth <= line.tip):
            at = scale.column(depth)
            (look,) = {stroke.look for stroke in strokes if stroke.first < at <= stroke.last}
            if line.id in path and depth <= path[line.id].last:
                assert look is (Look.READ if depth <= reading.depth else Look.AHEAD)
            elif line.departed is not None and depth > line.departed:
                assert look is Look.LEFT
            else:
                assert look is Look.PLAIN


@FEW
@given(trees())
def test_one_tree_is_one_map(tree: tuple[list[Line], Reading]) -> None:
    lines, reading = tree
    layout = _map(lines, reading)
    assert _map(list(lines), reading) == layout
    drawing = draw(layout, SIZE)
    assert all(0 <= node.x < drawing.width and 0 <= node.y < drawing.height for node in drawing.nodes)
    places = [(node.x, node.y) for node in drawing.nodes]
    assert len(set(places)) == len(places)


@FEW
@given(trees())
def test_a_trimmed_map_keeps_what_is_wanted_and_where_its_path_leaves(
    tree: tuple[list[Line], Reading],
) -> None:
    lines, _ = tree
    wanted = {line.id for line in lines[::3]} | {lines[-1].id}
    shown = trim(lines, wanted)
    assert {line.id for line in shown} == wanted | {1}
    by_id = {line.id: line for line in lines}
    for line in shown:
        if line.parent is not None and line.fork is not None and line.fork >= 0:
            owners = {s.branch_id: s for s in _path(lines, by_id[line.id], line.tip)}
            assert owners[line.parent].last == line.fork
            assert line.is_remote == (by_id[line.id].parent != line.parent)
    lay_out(shown, [], Reading((Segment(1, 0, 0),), 0))


@FEW
@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 63), st.integers(0, 9)), max_size=30))
def test_lanes_are_free_where_nothing_was_put(taken: list[tuple[int, int, int]]) -> None:
    lanes, cells = Lanes(80), set()
    for lane, first, more in taken:
        lanes.take(lane, first, first + more)
        cells |= {(lane, column) for column in range(first, first + more + 1)}
    for first in range(0, 70, 7):
        within = {lane for lane, column in cells if first <= column <= first + 5}
        assert lanes.taken(first, first + 5) == sum(1 << lane for lane in within)
        nearest = lanes.nearest(4, first, first + 5)
        assert nearest not in within
        assert nearest != 4


def test_a_lane_is_used_again_and_children_are_near() -> None:
    """Two short lines one after the other share a lane beside the one they fork from."""
    lines = [Line(1, None, None, 30), Line(2, 1, 2, 4, room=1), Line(3, 1, 20, 22, room=1)]
    layout = _map(lines, Reading((Segment(1, 0, 30),), 30))
    assert layout.lanes == 2
    assert layout.lane_of == {1: 0, 2: 1, 3: 1}


def test_a_chain_of_forks_does_not_grow_a_lane_for_each() -> None:
    lines = [Line(1, None, None, 3)]
    lines += [Line(number + 1, number, number, number + 3, room=8) for number in range(1, 2_000)]
    assert _map(lines, Reading((Segment(1, 0, 3),), 3)).lanes < 60


def test_ten_thousand_turns_are_not_endless() -> None:
    lines = [Line(1, None, None, 10_000), Line(2, 1, 5_000, 5_010), Line(3, 1, 9_999, 10_002)]
    layout = _map(lines, Reading((Segment(1, 0, 10_000),), 10_000))
    assert layout.width < 30
    shortened = [tick.depth for tick in layout.ticks if tick.is_shortened]
    assert shortened == [5_000, 5_010, 9_999]


def test_nodes_stand_only_where_something_is() -> None:
    lines = [Line(1, None, None, 9, departed=4), Line(2, 1, 4, 7)]
    reading = Reading((Segment(1, 0, 4), Segment(2, 5, 7)), 6)
    layout = lay_out(lines, [_head(reading), Mark(1, 8, Kind.SAVE_POINT)], reading)
    assert {(node.line, node.depth): set(node.kinds) for node in layout.nodes} == {
        (1, 0): {Kind.OPENING},
        (1, 4): {Kind.FORK, Kind.DEPARTURE},
        (1, 8): {Kind.SAVE_POINT},
        (1, 9): {Kind.TIP},
        (2, 6): {Kind.HEAD},
        (2, 7): {Kind.TIP},
    }
