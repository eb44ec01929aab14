"""Programs that play hang up when their test is over."""

from collections.abc import Iterator

import pytest

from tests.faults.playing import close_players


@pytest.fixture(autouse=True)
def _hang_up() -> Iterator[None]:
    yield
    close_players()
