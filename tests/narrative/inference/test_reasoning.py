"""The splitter between thinking and narration."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from narrative.inference.base import TextDelta
from narrative.inference.reasoning import Piece, ReasoningSplitter

TAGS = ("<think>", "</think>", "<Thinking>", "</thinking>", "<reasoning>", "</REASONING>")
FRAGMENTS = ("<", ">", "</", "<th", "ink>", "\n", " ", "a", "You wake. ", "<thin air>", "İ", "\u212a", "🐉")
texts = st.lists(st.sampled_from(TAGS + FRAGMENTS) | st.text(max_size=4), max_size=12).map("".join)


def split(chunks: list[str]) -> list[tuple[bool, str]]:
    """Narration (True) and reasoning (False) in order, neighbours of a kind joined."""
    splitter = ReasoningSplitter()
    pieces: list[Piece] = [piece for chunk in chunks for piece in splitter.feed(chunk)]
    pieces += splitter.finish()
    joined: list[tuple[bool, str]] = []
    for piece in pieces:
        kind = isinstance(piece, TextDelta)
        if joined and joined[-1][0] is kind:
            joined[-1] = (kind, joined[-1][1] + piece.text)
        else:
            joined.append((kind, piece.text))
    assert splitter.has_text == any(kind and text.strip() for kind, text in joined)
    return joined


@pytest.mark.parametrize(
    ("text", "narration", "reasoning"),
    [
        ("You wake.", "You wake.", ""),
        ("  You wake.", "  You wake.", ""),
        ("<think>Hm.</think>\n\nYou wake.", "You wake.", "Hm."),
        ("\n <THINK>Hm.</Think>You wake.", "You wake.", "Hm."),
        ("<thinking>a < b</thinking>You", "You", "a < b"),
        ("<reasoning>a</reasoning><think>b</think> You", "You", "ab"),
        ("You wake.\n<think>Hm.</think>\nIt rains.", "You wake.\nIt rains.", "Hm."),
        ("<think>It never ends", "", "It never ends"),
        ("<think>It never ends</thi", "", "It never ends</thi"),
        ("</think>\n\nYou wake.", "You wake.", ""),
        ("Hm.</think> You wake.", "Hm. You wake.", ""),
        ("The rune reads <think> and fades.", "The rune reads <think> and fades.", ""),
        ("<thin air> is all there is", "<thin air> is all there is", ""),
        ("< and > and <", "< and > and <", ""),
        ("<thi", "<thi", ""),
        ("", "", ""),
        ("  ", "  ", ""),
    ],
)
def test_narration_and_reasoning(text: str, narration: str, reasoning: str) -> None:
    for chunks in ([text], list(text)):
        pieces = split(chunks)
        assert "".join(said for is_text, said in pieces if is_text) == narration
        assert "".join(said for is_text, said in pieces if not is_text) == reasoning


@settings(max_examples=60, deadline=None)
@given(texts, st.data())
def test_where_the_chunks_are_cut_changes_nothing(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    chunks = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert split(chunks) == split([text]) == split(list(text))


def test_a_flood_of_brackets_is_soon_read() -> None:
    started = time.monotonic()
    assert ReasoningSplitter().feed("<t" * 2**17)
    assert time.monotonic() - started < 3


@given(st.text().filter(lambda text: "<" not in text))
def test_prose_without_brackets_is_untouched_and_never_late(text: str) -> None:
    splitter = ReasoningSplitter()
    shown = "".join(piece.text for piece in splitter.feed(text))
    assert shown == (text if text.strip() else "")
    assert shown + "".join(piece.text for piece in splitter.finish()) == text
