"""Which memories a prompt uses, and why not the others."""

from collections.abc import Callable

import pytest

from knowledge.tokens import count_tokens
from knowledge.words import stems_of
from narrative.prompt.remembered import Recalled
from narrative.recall.candidates import Candidate
from narrative.recall.choosing import NO_ROOM, PINNED_OUT, SAID, Ranked, choose, is_repeat
from narrative.recall.query import SceneWords, scene_query
from narrative.recall.ranking import factors_of, lexical_similarity

CLUE = "Under the loose flagstone lies an iron ring that opens the cellar."


def candidate(
    number: int, text: str, *, authority: str = "accepted_story", pinned: bool = False
) -> Candidate:
    return Candidate(
        id=number,
        text=text,
        stems=tuple(stems_of(text)),
        authority=authority,
        importance=3,
        is_pinned=pinned,
        branch=1,
        first_depth=number,
        depth=number,
    )


def ranked(*pairs: tuple[Candidate, float]) -> list[Ranked]:
    return [Ranked(each, score, score, {"similarity": score}) for each, score in pairs]


def chosen(
    rows: list[Ranked],
    *,
    top_k: int = 5,
    budget: int = 1_000,
    is_said: Callable[[str], bool] = lambda text: False,
) -> Recalled:
    return choose(rows, top_k=top_k, budget=budget, count=count_tokens, is_said=is_said)


def ids(recalled: Recalled) -> list[int]:
    return [memory.id for memory in recalled.used]


@pytest.mark.parametrize("top_k", [5, 4, 3])
def test_repeats_do_not_push_out_a_clue(top_k: int) -> None:  # MEM-07
    copies = [
        "The lantern swung over the empty road all night.",
        "The lantern swung over the empty road, all night long.",
        "All night the lantern swung over the empty road.",
        "The lantern swung over the road, empty all night.",
    ]
    rows = ranked(
        *((candidate(n, text), 0.82 - n / 100) for n, text in enumerate(copies)), (candidate(9, CLUE), 0.61)
    )
    found = chosen(rows, top_k=top_k)
    assert ids(found) == [0, 9]
    assert [each.id for each in found.set_aside] == [1, 2, 3]
    assert all("what memory 0 says" in each.reason for each in found.set_aside)
    assert found.considered == 5  # MEM-14


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Mara promised to be back before dawn.", "Aldric promised to be back before dawn."),
        ("Mara paid 30 crowns for the mule.", "Mara paid 40 crowns for the mule."),
        ("Mara found a ledger in the vestry.", "Mara found a ledger and a crozier in the vestry."),
    ],
)
def test_what_differs_in_a_name_or_a_number_stays(one: str, other: str) -> None:  # MEM-08
    assert not is_repeat(candidate(1, one), candidate(2, other))
    found = chosen(ranked((candidate(1, one), 0.5), (candidate(2, other), 0.4)))
    assert ids(found) == [1, 2]


def test_a_guess_and_what_is_established_are_never_each_others_repeat() -> None:
    guess = candidate(1, CLUE, authority="heuristic")
    assert ids(chosen(ranked((guess, 0.5), (candidate(2, CLUE), 0.4)))) == [1, 2]


def test_pinned_ones_come_first_and_count() -> None:  # MEM-09
    texts = ["Mara keeps the mule.", "The ford is flooded.", "The abbot limps badly.", CLUE]
    rows = ranked(*((candidate(n, text, pinned=n == 2), 0.9 - n / 10) for n, text in enumerate(texts)))
    assert ids(chosen(rows, top_k=2)) == [2, 0]
    many = ranked(*((candidate(n, text, pinned=True), 0.9 - n / 10) for n, text in enumerate(texts)))
    found = chosen(many, top_k=2)
    assert ids(found) == [0, 1]
    assert {each.reason for each in found.set_aside} == {PINNED_OUT}


def test_the_budget_is_kept_and_what_has_no_room_says_so() -> None:
    long = candidate(1, "The road went on and on through the marsh. " * 20)
    found = chosen(ranked((long, 0.9), (candidate(2, CLUE), 0.5)), budget=40)
    assert ids(found) == [2]
    assert [each.reason for each in found.set_aside] == [NO_ROOM]
    assert sum(memory.tokens for memory in found.used) <= 40


def test_what_the_prompt_says_already_is_set_aside_before_the_cut() -> None:
    rows = ranked((candidate(1, "The ford is flooded."), 0.9), (candidate(2, CLUE), 0.5))
    found = chosen(rows, top_k=1, is_said=lambda text: text.startswith("The ford"))
    assert ids(found) == [2]
    assert [each.reason for each in found.set_aside] == [SAID]


def test_similarity_decides_and_the_rest_only_orders_what_is_alike() -> None:
    scene = scene_query(
        SceneWords(
            text="Rain drums on the abbey roof.",
            input="I lift the loose flagstone in the cellar.",
            names=("Mara",),
            threads=("What the abbot hid",),
        )
    )
    similarity = lexical_similarity(scene)

    def score(text: str, *, importance: int, age: int) -> float:
        stems = stems_of(text)
        near = similarity(0, stems)
        return sum(factors_of(scene, stems, similarity=near, importance=importance, age=age).values())

    clue = score(CLUE, importance=1, age=900)
    unrelated = score("Mara quarrelled with the abbot.", importance=5, age=1)
    assert clue > unrelated
    assert 0 < similarity(0, stems_of(CLUE)) <= 1
    assert similarity(0, stems_of("Gulls wheeled above the harbour.")) == 0
    assert score(CLUE, importance=5, age=900) > clue
    assert score(CLUE, importance=1, age=2) > clue


@pytest.mark.parametrize("text", ["", "the and of", "???", "日本の城"])
def test_any_scene_can_be_asked_with(text: str) -> None:
    query = scene_query(SceneWords(text=text, input=text))
    assert 0 <= lexical_similarity(query)(0, stems_of(CLUE)) <= 1
