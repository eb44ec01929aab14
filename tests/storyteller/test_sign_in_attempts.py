"""How long a guesser waits."""

import pytest

from storyteller import sign_in_attempts
from storyteller.sign_in_attempts import FREE_FAILURES, LONGEST_WAIT, record_failure, seconds_to_wait


def test_each_further_failure_costs_a_longer_wait() -> None:
    waits = []
    for _ in range(14):
        record_failure("address a")
        waits.append(seconds_to_wait("address a"))
    assert waits[: FREE_FAILURES - 1] == [0] * (FREE_FAILURES - 1)
    assert waits == sorted(waits)
    assert waits[-1] == LONGEST_WAIT


def test_the_longest_wait_of_several_counts_and_others_are_free() -> None:
    for _ in range(FREE_FAILURES):
        record_failure("account a")
    assert seconds_to_wait("address b", "account a") > 0
    assert seconds_to_wait("address b") == 0


def test_success_forgets() -> None:
    for _ in range(FREE_FAILURES):
        record_failure("account a")
    sign_in_attempts.forget_failures("account a")
    assert seconds_to_wait("account a") == 0


@pytest.mark.parametrize("key", ["account \n\0", "account " + "x" * 5000, "account ü 名"])
def test_any_typed_name_can_be_counted(key: str) -> None:
    for _ in range(FREE_FAILURES):
        record_failure(key)
    assert seconds_to_wait(key) > 0
