"""P14: from the command to the first page, on a database that is there."""

import time
from collections.abc import Iterator

from storyteller.bench.base import Row, Workshop
from storyteller.bench.comparisons import Comparison, ratio_at_most
from storyteller.bench.programs import manage, reading, run, running_game, sign_in
from storyteller.bench.samples import in_turns, timed


def measure_start(workshop: Workshop) -> Iterator[Comparison]:
    workshop.straight(workshop.sizes.long)
    cookie = sign_in(workshop.owner)
    figure, reference = in_turns(
        lambda: _to_first_page(cookie),
        lambda: timed(lambda: run(manage("check"))),
        repeats=workshop.sizes.slow_repeats,
        warm_up=1,
    )
    yield Comparison(
        "play to its first page", "ms", figure, "manage.py check", reference, (ratio_at_most(2),)
    )


def _to_first_page(cookie: str) -> float:
    """The shelf, whole. How the game ends is not in it."""
    start = time.perf_counter()
    with running_game() as host, reading(host, cookie) as reader:
        reader.first_byte("/")
        return (time.perf_counter() - start) * 1000


ROWS = (Row("P14", "start to the first page", measure_start),)
