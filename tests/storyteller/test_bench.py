"""The bench: it measures beside the operator's data, and says what it found. Its figures are not judged."""

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from storyteller.bench.comparisons import (
    SAME,
    Comparison,
    Target,
    added_at_most,
    p95_at_most,
    ratio_at_least,
    ratio_at_most,
)
from storyteller.bench.model_server import PacedServer
from storyteller.bench.rows import find_rows
from storyteller.bench.samples import Sample, in_turns
from storyteller.bench.scratch import FOLDER
from tests.storyteller.game import run_command
from tests.test_layout import first_column

ROOT = Path(__file__).parents[2]
process = pytest.mark.process


@process
def test_a_run_measures_beside_the_operators_data(tmp_path: Path) -> None:
    scratch, report = tmp_path / "scratch", tmp_path / "bench.json"
    scratch.mkdir()
    (tmp_path / "data").mkdir()
    ran = run_command(
        tmp_path / "data",
        *("bench", "--quick", "--rows", "p15", "--seed", "7", "-o", str(report)),
        extra={"TMPDIR": str(scratch), "STORYTELLER_DEBUG": "1"},
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "play page" in ran.stdout
    assert not (tmp_path / "data" / "story.sqlite3").exists()
    assert list(scratch.iterdir()) == []
    document = json.loads(report.read_text())
    assert (document["seed"], [row["id"] for row in document["rows"]]) == (7, ["P15"])
    [row] = document["rows"]
    assert row["error"] == ""
    assert {line["holds"] for line in row["lines"]} == {True}  # what tests assert as well


@process
def test_a_folder_with_stories_in_it_is_not_measured_in(tmp_path: Path) -> None:
    database = tmp_path / "story.sqlite3"
    database.write_bytes(b"somebody's stories")
    refused = run_command(tmp_path, "bench", "--quick", "--rows", "P15", extra={FOLDER: str(tmp_path)})
    assert refused.returncode == 1
    assert "a new folder of its own" in refused.stderr
    assert database.read_bytes() == b"somebody's stories"


@process
def test_a_row_that_there_is_not(tmp_path: Path) -> None:
    refused = run_command(tmp_path, "bench", "--rows", "P2,P99")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "There is no row P99. Rows: P1, P2" in refused.stderr


def test_every_row_is_found_once_in_order_and_documented() -> None:
    rows = [row.id for row in find_rows()]
    assert rows[:3] == ["P1", "P2", "P3"]
    assert rows == sorted(set(rows), key=lambda name: int(name[1:]))
    assert first_column(ROOT / "docs" / "performance.md") == set(rows)


def test_a_sample_names_its_middle_and_its_slow_end() -> None:
    sample = Sample(tuple(float(number) for number in range(100, 0, -1)))
    assert (sample.median, sample.p95) == (50.5, 95)
    assert Sample((3.0,)).p95 == 3


def test_figure_and_reference_take_turns() -> None:
    order: list[str] = []

    def note(name: str, value: float) -> float:
        order.append(name)
        return value

    figure, reference = in_turns(lambda: note("a", 1), lambda: note("b", 2), repeats=4, warm_up=1)
    assert (figure.values, reference.values) == ((1,) * 4, (2,) * 4)
    assert "".join(order) == "ab" + "ba" + "ab" + "ba" + "ab"


@pytest.mark.parametrize(
    ("target", "figure", "holds"),
    [
        (ratio_at_most(1.25), 125, True),
        (ratio_at_most(1.25), 126, False),
        (ratio_at_least(0.95), 95, True),
        (ratio_at_least(0.95), 94, False),
        (added_at_most(10), 110, True),
        (added_at_most(10), 111, False),
        (p95_at_most(25), 25, True),
        (p95_at_most(25), 26, False),
        (SAME, 100, True),
        (SAME, 101, False),
    ],
)
def test_targets(target: Target, figure: float, holds: bool) -> None:
    compared = Comparison("a", "ms", Sample((figure,)), "b", Sample((100,)), (target,))
    assert compared.holds is holds
    assert compared.ratio == figure / 100


@pytest.fixture
def paced() -> Iterator[PacedServer]:
    with PacedServer(rate=4000, tokens=200) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_the_paced_server_sends_every_token_and_never_ahead_of_time(paced: PacedServer) -> None:
    with closing(http.client.HTTPConnection(paced.url.removeprefix("http://"), timeout=10)) as connection:
        start = time.monotonic_ns()
        connection.request("POST", "/v1/chat/completions", "{}")
        lines = connection.getresponse().read().decode().splitlines()
        taken = time.monotonic_ns() - start
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]
    words = "".join(event["choices"][0]["delta"].get("content", "") for event in events).split()
    assert len(words) == 200
    assert start <= int(words[0]) <= start + taken
    assert taken >= 199 / 4000 * 1e9
    assert lines[-2] == "data: [DONE]"
