"""What is learnt of how a model's server counts."""

import pytest

from narrative.token_ratios import learn_ratio, read_ratio

pytestmark = pytest.mark.django_db


def test_a_model_that_was_not_heard_of_counts_as_here() -> None:
    assert read_ratio("ollama", "m") == 1.0


def test_it_follows_the_reports_and_is_kept_for_each_model() -> None:
    learn_ratio("ollama", "m", estimated=1_000, reported=1_200)
    assert read_ratio("ollama", "m") == 1.2
    learn_ratio("ollama", "m", estimated=1_000, reported=1_000)
    assert read_ratio("ollama", "m") == 1.15
    assert read_ratio("openai", "m") == read_ratio("ollama", "n") == 1.0


@pytest.mark.parametrize("reported", [None, 0, 400, 5_000])
def test_what_is_no_count_of_the_prompt_teaches_nothing(reported: int | None) -> None:
    learn_ratio("ollama", "m", estimated=1_000, reported=reported)
    assert read_ratio("ollama", "m") == 1.0


def test_the_embedded_narrator_teaches_nothing() -> None:
    learn_ratio("rehearsal", "rehearsal", estimated=1_000, reported=1_500)
    assert read_ratio("rehearsal", "rehearsal") == 1.0
