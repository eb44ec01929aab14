"""P1 to P3: what a turn costs beside its model, and that neither length nor nesting makes it dearer."""

from collections.abc import Iterator
from functools import partial

from storyteller.bench.bare import bare_django
from storyteller.bench.base import Row, Workshop
from storyteller.bench.comparisons import Comparison, ratio_at_most
from storyteller.bench.samples import in_turns
from storyteller.bench.turns import tell_turn


def measure_overhead(workshop: Workshop) -> Iterator[Comparison]:
    campaign = workshop.straight(workshop.sizes.short)
    turn = partial(tell_turn, campaign.pk)
    with bare_django() as bare:
        figure, reference = in_turns(turn, bare, repeats=workshop.sizes.repeats)
    yield Comparison(
        "a turn, 8k window", "ms", figure, "a bare request that writes a row", reference, (ratio_at_most(12),)
    )


def measure_length(workshop: Workshop) -> Iterator[Comparison]:
    sizes = workshop.sizes
    long, short = workshop.straight(sizes.long), workshop.straight(sizes.short)
    figure, reference = in_turns(
        partial(tell_turn, long.pk), partial(tell_turn, short.pk), repeats=sizes.repeats
    )
    yield Comparison(
        f"a turn after {sizes.long:,}",
        "ms",
        figure,
        f"after {sizes.short}",
        reference,
        (ratio_at_most(1.25),),
    )


def measure_nesting(workshop: Workshop) -> Iterator[Comparison]:
    forks = workshop.sizes.forks
    nested, straight = workshop.nested(forks), workshop.straight(forks + 2)
    figure, reference = in_turns(
        partial(tell_turn, nested.pk), partial(tell_turn, straight.pk), repeats=workshop.sizes.repeats
    )
    yield Comparison(
        f"a turn after {forks:,} forks", "ms", figure, "a straight line", reference, (ratio_at_most(1.5),)
    )


ROWS = (
    Row("P1", "turn overhead without the model", measure_overhead),
    Row("P2", "growth of a turn with the story's length", measure_length),
    Row("P3", "growth of a turn with nesting", measure_nesting),
)
