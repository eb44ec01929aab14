"""The branch map of a campaign: rows of the story in, a drawing with words out."""

from collections.abc import Collection
from dataclasses import dataclass

from campaigns.map.drawing import Drawing, DrawnNode, Size, draw
from campaigns.map.layout import lay_out
from campaigns.map.shapes import Kind, Line, Mark, Reading
from campaigns.map.trimming import trim
from campaigns.models import Branch, Campaign
from campaigns.path import Path, Position
from campaigns.selectors import NamedPlace, read_line
from campaigns.texts import shorten
from campaigns.views.branch_lines import BranchLine

WIDE = Size(column=26, lane=34, margin=22)
# With so many branches, seeing more of them at once is worth smaller steps.
CROWDED = Size(column=15, lane=24, margin=20)
COMPACT = Size(column=13, lane=18, margin=14)
# A few branches have room for larger steps, even beside the story.
COMPACT_FEW = Size(column=22, lane=26, margin=18)
_FEW = 10
_CROWD = 60
_NAME_LENGTH = 26
_LETTER = 6.7

_WORDS = {
    Kind.OPENING: "opening",
    Kind.FORK: "fork",
    Kind.TIP: "end of the branch",
    Kind.DEPARTURE: "left here",
    Kind.HEAD: "being read",
}


@dataclass(frozen=True, slots=True)
class NodeLink:
    """A node with its words, and which node leads back from it to another line."""

    node: DrawnNode
    words: str
    back: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class NameLabel:
    x: int
    y: int
    name: str
    is_active: bool


@dataclass(frozen=True, slots=True)
class BranchMap:
    drawing: Drawing
    nodes: list[NodeLink]
    names: list[NameLabel]
    is_whole: bool


def whole_map(
    campaign: Campaign, lines: list[BranchLine], named: list[NamedPlace], chosen: Position | None
) -> BranchMap:
    """Every branch. One query for each of the path's ends."""
    size = WIDE if len(lines) <= _CROWD else CROWDED
    drawn = [_line(line.row.branch, line.row.tip_depth, size) for line in lines]
    return _map(campaign, lines, drawn, named, chosen, size=size, is_whole=True)


def compact_map(
    campaign: Campaign,
    lines: list[BranchLine],
    named: list[NamedPlace],
    chosen: Position | None,
    *,
    wanted: Collection[int],
) -> BranchMap:
    """The branches that are wanted, without their names. What lies between them is drawn as a way only."""
    drawn = trim([_line(line.row.branch, line.row.tip_depth, None) for line in lines], wanted)
    size = COMPACT_FEW if len(drawn) <= _FEW else COMPACT
    return _map(campaign, lines, drawn, named, chosen, size=size, is_whole=len(drawn) == len(lines))


def place_key(line: int, depth: int) -> str:
    """A place as one word, in addresses and for the page's script."""
    return f"{line}.{depth}"


def _line(branch: Branch, tip: int, size: Size | None) -> Line:
    letters = len(shorten(branch.name, _NAME_LENGTH))
    return Line(
        id=branch.pk,
        parent=branch.parent_id,
        fork=branch.fork_depth,
        tip=tip,
        departed=branch.departed_depth,
        room=1 if size is None else int((letters * _LETTER + 16) // size.column) + 1,
    )


def _map(
    campaign: Campaign,
    lines: list[BranchLine],
    drawn: list[Line],
    named: list[NamedPlace],
    chosen: Position | None,
    *,
    size: Size,
    is_whole: bool,
) -> BranchMap:
    path = read_line(campaign)
    shown = {line.id for line in drawn}
    marks = _marks(campaign, path, named, chosen)
    layout = lay_out(
        drawn,
        [mark for mark in marks if mark.line in shown],
        Reading(
            tuple(segment for segment in path.segments if segment.branch_id in shown), campaign.head_depth
        ),
    )
    drawing = draw(layout, size)
    names = {line.row.branch.pk: line.row.branch.name for line in lines}
    backs = {line.id: place_key(line.parent, line.begin) for line in drawn if line.parent is not None}
    firsts: dict[int, int] = {}
    for node in drawing.nodes:
        firsts.setdefault(node.line, node.depth)
    save_points: dict[tuple[int, int], list[str]] = {}
    for place in named:
        save_points.setdefault((place.position.branch_id, place.position.depth), []).append(place.name)
    return BranchMap(
        drawing=drawing,
        nodes=[
            NodeLink(
                node=node,
                words=_words(node, names[node.line], save_points.get((node.line, node.depth), [])),
                back=backs.get(node.line, "") if firsts[node.line] == node.depth else "",
                is_chosen=Kind.CHOSEN in node.kinds,
            )
            for node in drawing.nodes
        ],
        names=[
            NameLabel(
                at.x + 12,
                at.y + 4,
                shorten(names[at.line], _NAME_LENGTH),
                at.line == campaign.active_branch_id,
            )
            for at in drawing.labels
        ]
        if size not in (COMPACT, COMPACT_FEW)
        else [],
        is_whole=is_whole,
    )


def _marks(campaign: Campaign, path: Path, named: list[NamedPlace], chosen: Position | None) -> list[Mark]:
    owner = path.branch_at(campaign.head_depth) or campaign.head.branch_id
    marks = [Mark(owner, campaign.head_depth, Kind.HEAD)]
    marks += [Mark(p.position.branch_id, p.position.depth, Kind.SAVE_POINT) for p in named]
    if chosen is not None:
        marks.append(Mark(chosen.branch_id, chosen.depth, Kind.CHOSEN))
    return marks


def _words(node: DrawnNode, name: str, save_points: list[str]) -> str:
    what = [words for kind, words in _WORDS.items() if kind in node.kinds]
    what += [f"Save Point “{save_point}”" for save_point in save_points]
    return f"Turn {node.depth} of {name}" + (f": {', '.join(what)}" if what else "")
