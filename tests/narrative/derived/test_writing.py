"""What the summarizer is asked, and what becomes of its answer."""

import pytest

from knowledge.tokens import count_tokens
from narrative.derived.writing import clean_answer, memory_messages, summary_messages
from narrative.inference.base import BadResponseError
from narrative.prompt.window import PastTurn


def turns(count: int, sentences: int = 3) -> list[PastTurn]:
    return [
        PastTurn(n, f"I walk mile {n}.", f"The road goes on past mile {n}. " * sentences)
        for n in range(count)
    ]


def test_what_is_asked() -> None:
    rule, asked = summary_messages(
        "Mara left.", turns(2), protagonist="Aldric", budget=2_000, count=count_tokens
    )
    assert rule.role == "system"
    assert asked.content.index("Aldric") < asked.content.index("Mara left.") < asked.content.index("mile 0")
    assert "Player: I walk mile 1.\nStory: The road goes on past mile 1." in asked.content


@pytest.mark.parametrize("budget", [600, 1_000, 4_000])
def test_what_is_asked_fits(budget: int) -> None:
    messages = memory_messages(turns(8, sentences=200), protagonist="", budget=budget, count=count_tokens)
    assert sum(count_tokens(message.content) for message in messages) < budget
    assert "mile 7" in messages[-1].content


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("Mara kept the key.", "Mara kept the key."),
        ("Note: Mara kept the key.\n", "Mara kept the key."),
        ("“Mara kept\nthe key.”", "Mara kept the key."),
        ('Mara kept the key.\n\n```state\n{"events": []}\n```', "Mara kept the key."),
        ("One two three. Four five six. Seven eight nine.", "One two three. Four five six."),
        ("one two three four five six seven eight nine", "one two three four five six seven"),
    ],
)
def test_an_answer_becomes_one_short_paragraph(answer: str, kept: str) -> None:
    assert clean_answer(answer, words=7) == kept


@pytest.mark.parametrize("answer", ["", "  ", "…", "***", '```state\n{"events": []}\n```'])
def test_an_answer_without_words_cannot_be_used(answer: str) -> None:
    with pytest.raises(BadResponseError):
        clean_answer(answer, words=60)
