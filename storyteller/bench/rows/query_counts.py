"""P15: how often the database is asked does not depend on how much there is."""

from collections.abc import Callable, Iterator
from functools import partial

from django.db import connection
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign
from storyteller.bench.base import Row, Workshop
from storyteller.bench.comparisons import SAME, Comparison
from storyteller.bench.errors import BenchError
from storyteller.bench.samples import Sample
from storyteller.bench.stories import name_places
from storyteller.bench.turns import tell_turn

_FEW, _MANY = 5, 100
_API = "/api/v1/campaigns"


def measure_queries(workshop: Workshop) -> Iterator[Comparison]:
    sizes = workshop.sizes
    small, big = workshop.straight(sizes.short), workshop.straight(sizes.long)
    yield _compare(f"a turn after {sizes.long:,}", lambda story: tell_turn(story.pk), small, big)
    name_places(small, count=_FEW)
    name_places(big, count=_MANY)
    client = Client(SERVER_NAME="localhost")
    client.force_login(workshop.owner)
    for what, address in {
        "play page": lambda story: reverse("play", args=[story.pk]),
        "transcript fragment": lambda story: reverse("transcript", args=[story.pk]),
        "story (API)": lambda story: f"{_API}/{story.pk}/story",
        f"{_MANY} Save Points (API)": lambda story: f"{_API}/{story.pk}/save-points",
        "branches (API)": lambda story: f"{_API}/{story.pk}/branches",
    }.items():
        yield _compare(what, _reading(client, address), small, big)
    yield from _compare_shelves(workshop, client)


def _compare_shelves(workshop: Workshop, client: Client) -> Iterator[Comparison]:
    pages = {"shelf": reverse("campaigns"), "campaigns (API)": _API}
    few = {what: _count(partial(_read, client, path)) for what, path in pages.items()}
    for _ in range(10):
        workshop.nested(1)
    for what, path in pages.items():
        many = _count(partial(_read, client, path))
        yield Comparison(f"{what}, 10 more", "queries", _one(many), "before", _one(few[what]), (SAME,))


def _reading(client: Client, address: Callable[[Campaign], str]) -> Callable[[Campaign], None]:
    return lambda story: _read(client, address(story))


def _read(client: Client, path: str) -> None:
    status = client.get(path).status_code
    if status != 200:
        raise BenchError(f"{path} was answered with {status}.")


def _compare(what: str, act: Callable[[Campaign], object], small: Campaign, big: Campaign) -> Comparison:
    for story in (small, big):
        act(story)  # what is loaded once and kept is not counted
    at_small, at_big = _count(partial(act, small)), _count(partial(act, big))
    return Comparison(what, "queries", _one(at_big), "small story", _one(at_small), (SAME,))


def _count(act: Callable[[], object]) -> int:
    count = 0

    def note(
        execute: Callable[..., object],
        sql: str,
        params: object,
        many: bool,  # noqa: FBT001 - Django's order
        context: dict[str, object],
    ) -> object:
        nonlocal count
        count += 1
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        act()
    return count


def _one(value: float) -> Sample:
    return Sample((value,))


ROWS = (Row("P15", "queries, at two sizes", measure_queries),)
