"""A map of some of the lines: what is left out is still drawn as the way to what is not."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from campaigns.map.shapes import Line


def trim(lines: Sequence[Line], wanted: Collection[int]) -> list[Line]:
    """The first line and those wanted, each drawn from where its path leaves the nearest one shown."""
    # For each line left out: the shown line above it, and the depth at which the way to it leaves that one.
    leaves: dict[int, tuple[int, int]] = {}
    shown = []
    for line in lines:
        if line.parent is None or line.fork is None:
            shown.append(line)
            continue
        parent, fork = leaves.get(line.parent, (line.parent, line.fork))
        if line.id not in wanted:
            leaves[line.id] = (parent, fork)
        elif parent == line.parent:
            shown.append(line)
        else:
            shown.append(replace(line, parent=parent, fork=fork, is_remote=True))
    return shown
