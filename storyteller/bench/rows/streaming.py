"""P9: a fast model is as fast on the page as it is at its server."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from storyteller.bench.base import Row, Workshop
from storyteller.bench.comparisons import Comparison, added_at_most, ratio_at_least
from storyteller.bench.errors import BenchError
from storyteller.bench.model_server import MODEL
from storyteller.bench.programs import post_for_lines, running, running_game, sign_in
from storyteller.bench.samples import Sample, in_turns
from storyteller.bench.websocket import StorySocket

RATE = 2000


@dataclass(frozen=True, slots=True)
class Reading:
    """How one reply arrived: tokens a second, and the way of its first token in milliseconds."""

    rate: float
    delay: float


def measure_relay(workshop: Workshop) -> Iterator[Comparison]:
    relayed: list[Reading] = []
    direct: list[Reading] = []
    repeats = workshop.sizes.slow_repeats
    campaign = workshop.new_story(workshop.sizes.short)
    with _paced_server(workshop.sizes.tokens) as url, _game_told_by(url) as host:
        path, cookie = f"/ws/campaigns/{campaign.pk}/", sign_in(workshop.owner)
        with StorySocket(host, path, cookie=cookie) as story:

            def read_relayed() -> float:
                relayed.append(_read_relayed(story))
                return relayed[-1].rate

            def read_direct() -> float:
                direct.append(_read_direct(url))
                return direct[-1].rate

            figure, reference = in_turns(read_relayed, read_direct, repeats=repeats, warm_up=1)
    name = "reading the model server directly"
    yield Comparison("streaming", "tokens/s", figure, name, reference, (ratio_at_least(0.95),))
    yield Comparison(
        "first token's way",
        "ms",
        _delays(relayed, repeats),
        name,
        _delays(direct, repeats),
        (added_at_most(10),),
    )


def _read_relayed(story: StorySocket) -> Reading:
    story.send(type="turn.submit", request_id=f"bench-{time.monotonic_ns()}", mode="action", text="I listen.")
    text, first, last = "", 0, 0
    while True:
        frame = story.receive()
        if frame["type"] == "turn.delta":
            text, last = text + frame["text"], time.monotonic_ns()
            first = first or last
        elif frame["type"] == "turn.accepted":
            return _reading(text, first, last)
        elif frame["type"] in ("turn.failed", "error"):
            raise BenchError(f"A turn was not told: {frame['detail']}")


def _read_direct(url: str) -> Reading:
    text, first, last = "", 0, 0
    asked = {"model": MODEL, "stream": True, "messages": []}
    for line in post_for_lines(url.removeprefix("http://"), "/v1/chat/completions", asked):
        if not line.startswith(b"data: {"):
            continue
        delta = json.loads(line.removeprefix(b"data: "))["choices"][0]["delta"]
        if "content" in delta:
            text, last = text + delta["content"], time.monotonic_ns()
            first = first or last
    return _reading(text, first, last)


def _reading(text: str, first: int, last: int) -> Reading:
    """The first token says when it was sent."""
    words = text.split()
    sent = int(words[0])
    return Reading(rate=len(words) / ((last - sent) / 1e9), delay=(first - sent) / 1e6)


def _delays(readings: list[Reading], repeats: int) -> Sample:
    return Sample(tuple(reading.delay for reading in readings[-repeats:]))


@contextmanager
def _paced_server(tokens: int) -> Iterator[str]:
    module = [sys.executable, "-m", "storyteller.bench.model_server"]
    command = [*module, "--rate", str(RATE), "--tokens", str(tokens)]
    with running(command, until="READY", environment={}) as printed:
        yield printed.split()[1]


@contextmanager
def _game_told_by(url: str) -> Iterator[str]:
    with running_game(
        STORYTELLER_INFERENCE_API="openai", STORYTELLER_INFERENCE_URL=url, STORYTELLER_MODEL=MODEL
    ) as host:
        yield host


ROWS = (Row("P9", "streaming from model to page", measure_relay),)
