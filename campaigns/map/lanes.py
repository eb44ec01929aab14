"""Which lanes are free over a stretch of columns.

A set of lanes is a whole number with a bit for each of them, so that 2,000 lanes are asked about at once. The
columns stand in a segment tree: taking a lane and asking for free ones each touch a number of sets that grows
with the logarithm of the map's width.
"""

# In lanes of distance: what it costs to cross another line, and to make the map higher for each lane it has.
_CROSSING = 1
_HEIGHT = 0.5


class Lanes:
    def __init__(self, width: int) -> None:
        self._size = 1
        while self._size < width:
            self._size *= 2
        # For each node: lanes taken over all of its columns, and lanes taken over any of them.
        self._all = [0] * (2 * self._size)
        self._any = [0] * (2 * self._size)
        self._used = 0

    def take(self, lane: int, first: int, last: int) -> None:
        """Take a lane from column ``first`` to column ``last``, both included."""
        bit = 1 << lane
        self._used = max(self._used, lane + 1)
        for node in self._nodes(first, last):
            self._all[node] |= bit
            while node:
                self._any[node] |= bit
                node //= 2

    def taken(self, first: int, last: int) -> int:
        """The lanes that are taken anywhere from column ``first`` to column ``last``."""
        found = 0
        for node in self._nodes(first, last):
            found |= self._any[node]
            while node:
                found |= self._all[node]
                node //= 2
        return found

    def nearest(self, lane: int, first: int, last: int) -> int:
        """The free lane to which a line leads best from ``lane``: near, past few other lines, and preferably
        one that is in use elsewhere."""
        taken = self.taken(first, last) | 1 << lane
        here = self.taken(first, first)
        free_below = ~taken >> (lane + 1)
        below = lane + 1 + (free_below & -free_below).bit_length() - 1
        above = (~taken & ((1 << lane) - 1)).bit_length() - 1
        height = _HEIGHT * self._used if below >= self._used else 0
        if above < 0 or _cost(here, lane, below) + height <= _cost(here, above, lane):
            return below
        return above

    def _nodes(self, first: int, last: int) -> list[int]:
        """The fewest nodes that cover the columns."""
        low, high = first + self._size, last + self._size + 1
        nodes = []
        while low < high:
            if low & 1:
                nodes.append(low)
                low += 1
            if high & 1:
                high -= 1
                nodes.append(high)
            low, high = low // 2, high // 2
        return nodes


def _cost(here: int, upper: int, lower: int) -> int:
    between = here >> (upper + 1) & ((1 << (lower - upper - 1)) - 1)
    return lower - upper + _CROSSING * between.bit_count()
