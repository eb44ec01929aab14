"""The story tree in plain lists and dictionaries: what a test holds the stored one against.

It is written from the rules and not from the code: a line here is the list of all its turns from turn 0
on, and whether something descends from a turn is asked of every line there is.
"""

from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class ModelTurn:
    """A turn with its takes; ``pk`` is that of the stored turn which it stands for."""

    pk: int
    takes: list[str]
    live: int = 0


@dataclass(slots=True)
class ModelTree:
    """Every line by its branch's id, each with all turns of its path down to its tip."""

    lines: dict[int, list[ModelTurn]]
    parents: dict[int, int | None]
    forks: dict[int, int | None]
    branch: int
    depth: int = 0
    departed: dict[int, int] = field(default_factory=dict)
    saved: dict[int, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def begin(cls, *, branch: int, opening: ModelTurn) -> "ModelTree":
        return cls({branch: [opening]}, {branch: None}, {branch: None}, branch)

    @property
    def tip(self) -> int:
        return len(self.lines[self.branch]) - 1

    def path(self) -> list[ModelTurn]:
        return self.lines[self.branch][: self.depth + 1]

    def shown(self) -> list[str]:
        return [turn.takes[turn.live] for turn in self.path()]

    def owner(self, branch: int, depth: int) -> int:
        """The branch whose own part the turn there lies in, walking up from fork to fork."""
        fork = self.forks[branch]
        while fork is not None and depth <= fork:
            parent = self.parents[branch]
            assert parent is not None
            branch, fork = parent, self.forks[parent]
        return branch

    def is_continued(self, turn: ModelTurn) -> bool:
        return any(turn in line[:-1] for line in self.lines.values())

    def undo(self, steps: int) -> None:
        self.depth = max(0, self.depth - steps)

    def redo(self, steps: int) -> None:
        self.depth = min(self.tip, self.depth + steps)

    def go_to(self, branch: int, depth: int) -> None:
        here = self.lines[self.branch]
        if depth >= len(here) or here[depth] is not self.lines[branch][depth]:
            self.branch = branch
        self.depth = depth

    def write(self, depth: int, turn: ModelTurn, *, on_branch: int) -> None:
        """Put a turn at a depth of the line being read: at its end, or where a new branch leaves it."""
        if depth <= self.tip:
            assert on_branch not in self.lines
            self.departed[self.branch] = min(depth - 1, self.departed.get(self.branch, depth - 1))
            self.parents[on_branch] = self.owner(self.branch, max(0, depth - 1))
            self.forks[on_branch] = depth - 1
            self.lines[on_branch] = self.lines[self.branch][:depth]
        assert len(self.lines[on_branch]) == depth
        self.lines[on_branch].append(turn)
        self.branch, self.depth = on_branch, depth

    def subtree(self, branch: int) -> set[int]:
        below = {other for other, parent in self.parents.items() if parent == branch}
        return {branch}.union(*(self.subtree(other) for other in below))

    def can_delete(self, branch: int) -> bool:
        gone = self.subtree(branch)
        read = {self.branch} | {self.owner(self.branch, depth) for depth in range(self.depth + 1)}
        named = {place for place, _ in self.saved.values()}
        return self.parents[branch] is not None and not gone & (read | named)

    def delete(self, branch: int) -> None:
        for gone in self.subtree(branch):
            del self.lines[gone], self.parents[gone], self.forks[gone]
            self.departed.pop(gone, None)
