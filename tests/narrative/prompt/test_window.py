"""Which past turns a prompt holds, and when that changes."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.tokens import count_tokens
from narrative.prompt.counting import counter
from narrative.prompt.window import PastTurn, fill_window, keep_end


def past(depth: int, sentences: int = 3) -> PastTurn:
    return PastTurn(depth, "I walk on.", " ".join(f"Mile {depth} and step {n}." for n in range(sentences)))


def cost(*turns: PastTurn) -> int:
    return sum(turn.cost(count_tokens) for turn in turns)


def depths(window: object) -> list[int]:
    return [turn.depth for turn in window.turns]  # type: ignore[attr-defined]


TURNS = [past(depth) for depth in range(30)]
ONE = cost(past(10))


def test_a_short_story_is_there_whole() -> None:
    window = fill_window(reversed(TURNS[:5]), budget=5 * ONE)
    assert depths(window) == [0, 1, 2, 3, 4]
    assert window.spent == cost(*TURNS[:5])
    assert window.start == 0


def test_it_begins_where_the_prompt_before_began() -> None:
    grown = fill_window(reversed(TURNS[:10]), budget=10 * ONE, start=2)
    assert depths(grown) == list(range(2, 10))


def test_what_outgrows_the_budget_slides_to_two_thirds_of_it_at_once() -> None:
    window = fill_window(reversed(TURNS[:20]), budget=9 * ONE, start=10)
    assert depths(window) == list(range(14, 20))


def test_a_long_story_without_a_window_begins_with_two_thirds() -> None:
    assert depths(fill_window(reversed(TURNS), budget=9 * ONE)) == list(range(24, 30))


def test_a_window_that_holds_too_little_is_filled_again() -> None:
    """A larger budget, or a step back in the story: no more than a third is left unused, and there is room to
    grow."""
    window = fill_window(reversed(TURNS), budget=12 * ONE, start=27)
    assert depths(window) == list(range(20, 30))


def test_over_many_turns_it_moves_seldom_and_uses_its_budget() -> None:
    budget, start, moves = 12 * ONE, None, 0
    story = [past(depth) for depth in range(120)]
    for length in range(20, 120):
        window = fill_window(reversed(story[:length]), budget=budget, start=start)
        assert 2 / 3 * budget <= window.spent <= budget
        assert depths(window)[-1] == length - 1
        moves += start is not None and window.start != start
        start = window.start
    assert moves <= 100 / 4 + 1


def test_reading_stops_where_the_budget_ends() -> None:
    read: list[int] = []

    def newest_first() -> Iterator[PastTurn]:
        for depth in range(10_000, 0, -1):
            read.append(depth)
            yield past(depth)

    fill_window(newest_first(), budget=200)
    assert len(read) < 15


def test_a_turn_larger_than_the_budget_keeps_its_end() -> None:  # CTX-10
    window = fill_window([past(1, sentences=200)], budget=60)
    (turn,) = window.turns
    assert turn.narration.endswith("Mile 1 and step 199.")
    assert turn.narration.startswith("Mile 1 and step ")
    assert window.spent <= 60


@pytest.mark.parametrize(("newest", "other"), [(200, 200), (200, 2), (2, 200)])
def test_the_newest_two_are_always_there(newest: int, other: int) -> None:
    turns = [past(3, sentences=newest), past(2, sentences=other), past(1)]
    window = fill_window(turns, budget=120, start=1)
    assert depths(window) == [2, 3]
    assert window.turns[1].narration.endswith(f"step {newest - 1}.")
    assert window.turns[0].narration.endswith(f"step {other - 1}.")
    assert window.spent <= 120


def test_words_are_cut_where_no_sentence_ends() -> None:
    end = keep_end("and on " * 400 + "to the sea", budget=20)
    assert end.endswith("and on to the sea")
    assert 10 < count_tokens(end) <= 20


def test_no_room_at_all_is_an_empty_window() -> None:
    window = fill_window([past(1)], budget=3)
    assert (window.turns, window.start) == ((), None)


def test_a_model_that_counts_more_gets_fewer_turns() -> None:
    count = counter(1.5)
    window = fill_window(reversed(TURNS), budget=12 * ONE, count=count)
    assert sum(turn.cost(count) for turn in window.turns) == window.spent <= 12 * ONE
    assert len(window.turns) < len(fill_window(reversed(TURNS), budget=12 * ONE).turns)


@given(
    st.lists(st.text(min_size=1, max_size=200), max_size=12),
    st.integers(0, 200),
    st.none() | st.integers(0, 12),
)
def test_the_budget_is_never_passed(narrations: list[str], budget: int, start: int | None) -> None:
    turns = [PastTurn(depth, "I go.", text) for depth, text in enumerate(narrations)]
    window = fill_window(reversed(turns), budget=budget, start=start)
    assert window.spent <= budget or not window.turns
    assert cost(*window.turns) == window.spent
    assert depths(window) == list(range(len(turns) - len(window.turns), len(turns)))


@given(st.text(max_size=300), st.integers(0, 50))
def test_an_end_is_an_end(text: str, budget: int) -> None:
    end = keep_end(text, budget=budget)
    assert count_tokens(end) <= budget
    assert "".join(text.split()).endswith("".join(end.split()))
