"""How long a reply should be, told in words."""

import pytest

from narrative.prompt.length_hint import least_words, length_hint, most_words


@pytest.mark.parametrize(("limit", "words"), [(800, 506), (2_400, 1_586), (250, 135)])
def test_the_ceiling(limit: int, words: int) -> None:  # CTX-21
    assert most_words(limit) == words
    hint = length_hint(limit, is_block=False)
    assert f"must not exceed {words} words" in hint  # CTX-22
    assert "token" not in hint


@pytest.mark.parametrize(("limit", "words"), [(800, 177), (2_400, 300)])
def test_the_floor(limit: int, words: int) -> None:  # CTX-23
    assert least_words(limit) == words
    assert f"should not stop short of {words} words" in length_hint(limit, is_block=False)


@pytest.mark.parametrize("limit", [400, 800, 1_500, 2_400])
def test_the_floor_stays_below_half_of_the_ceiling(limit: int) -> None:
    assert 0 < least_words(limit) < most_words(limit) / 2


def test_a_tight_limit_has_no_floor_and_asks_for_less() -> None:  # CTX-24
    assert least_words(250) == 0
    assert "much shorter" in length_hint(250, is_block=False)
    assert "stop short" not in length_hint(250, is_block=False)


@pytest.mark.parametrize("limit", [0, 1, 10, 49, 50, 51, 100])
def test_too_little_is_no_hint(limit: int) -> None:  # CTX-25
    assert length_hint(limit, is_block=True) == ""


def test_it_reminds_of_the_state_block_where_there_is_one() -> None:  # CTX-26
    for limit in (101, 250, 800):
        assert "state block" in length_hint(limit, is_block=True)
        assert "state block" not in length_hint(limit, is_block=False)
