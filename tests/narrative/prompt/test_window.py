"""Which past turns a prompt holds."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.tokens import count_tokens
from narrative.prompt.window import PastTurn, fill_window, keep_end


def past(depth: int, sentences: int = 3) -> PastTurn:
    return PastTurn(depth, "I walk on.", " ".join(f"Mile {depth} and step {n}." for n in range(sentences)))


def test_the_newest_that_fit_in_the_order_they_happened() -> None:
    turns = [past(depth) for depth in range(10)]
    budget = sum(turn.tokens for turn in turns[7:]) + turns[6].tokens - 1
    window = fill_window(reversed(turns), budget=budget)
    assert [turn.depth for turn in window.turns] == [7, 8, 9]
    assert window.spent == sum(turn.tokens for turn in turns[7:])


def test_reading_stops_where_the_budget_ends() -> None:
    read: list[int] = []

    def newest_first() -> Iterator[PastTurn]:
        for depth in range(10_000, 0, -1):
            read.append(depth)
            yield past(depth)

    fill_window(newest_first(), budget=200)
    assert len(read) < 15


def test_a_turn_larger_than_the_budget_keeps_its_end() -> None:
    window = fill_window([past(1, sentences=200)], budget=60)
    (turn,) = window.turns
    assert turn.narration.endswith("Mile 1 and step 199.")
    assert turn.narration.startswith("Mile 1 and step ")
    assert window.spent <= 60


@pytest.mark.parametrize(("newest", "other"), [(200, 200), (200, 2), (2, 200)])
def test_the_newest_two_are_always_there(newest: int, other: int) -> None:
    turns = [past(3, sentences=newest), past(2, sentences=other), past(1)]
    window = fill_window(turns, budget=120)
    assert [turn.depth for turn in window.turns] == [2, 3]
    assert window.turns[1].narration.endswith(f"step {newest - 1}.")
    assert window.turns[0].narration.endswith(f"step {other - 1}.")
    assert window.spent <= 120


def test_words_are_cut_where_no_sentence_ends() -> None:
    end = keep_end("and on " * 400 + "to the sea", budget=20)
    assert end.endswith("and on to the sea")
    assert 10 < count_tokens(end) <= 20


def test_no_room_at_all_is_an_empty_window() -> None:
    assert fill_window([past(1)], budget=3).turns == ()


@given(st.lists(st.text(min_size=1, max_size=200), max_size=8), st.integers(0, 120))
def test_the_budget_is_never_passed(narrations: list[str], budget: int) -> None:
    turns = [PastTurn(depth, "I go.", text) for depth, text in enumerate(narrations)]
    window = fill_window(reversed(turns), budget=budget)
    assert window.spent <= budget or not window.turns
    assert sum(turn.tokens for turn in window.turns) == window.spent


@given(st.text(max_size=300), st.integers(0, 50))
def test_an_end_is_an_end(text: str, budget: int) -> None:
    end = keep_end(text, budget=budget)
    assert count_tokens(end) <= budget
    assert "".join(text.split()).endswith("".join(end.split()))
