"""P5: the play page of a long story comes as soon as that of a short one."""

from collections.abc import Iterator

from storyteller.bench.base import Row, Workshop
from storyteller.bench.comparisons import Comparison, ratio_at_most
from storyteller.bench.programs import reading, running_game, sign_in
from storyteller.bench.samples import in_turns


def measure_page(workshop: Workshop) -> Iterator[Comparison]:
    sizes = workshop.sizes
    long, short = workshop.straight(sizes.long), workshop.straight(sizes.short)
    with running_game() as host, reading(host, sign_in(workshop.owner)) as reader:
        figure, reference = in_turns(
            lambda: reader.first_byte(f"/campaigns/{long.pk}/"),
            lambda: reader.first_byte(f"/campaigns/{short.pk}/"),
            repeats=sizes.repeats,
            warm_up=5,
        )
    what, against = f"first byte after {sizes.long:,}", f"after {sizes.short}"
    yield Comparison(what, "ms", figure, against, reference, (ratio_at_most(1.25),))


ROWS = (Row("P5", "play page to its first byte", measure_page),)
