"""The token counter and its table."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge import tokens
from knowledge.errors import DamagedTableError


@pytest.mark.parametrize(
    ("text", "count"),
    # Figures that OpenAI publishes for cl100k_base.
    [
        ("", 0),
        ("tiktoken is great!", 6),
        ("antidisestablishmentarianism", 6),
        ("2 + 2 = 4", 7),
        ("お誕生日おめでとう", 9),
    ],
)
def test_counts_are_those_of_cl100k(text: str, count: int) -> None:
    assert tokens.count_tokens(text) == count


@given(st.text())
def test_any_text_is_counted(text: str) -> None:
    assert 0 <= tokens.count_tokens(text) <= len(text.encode("utf-8", "replace"))


def test_marks_of_models_count_as_the_characters_they_are() -> None:
    assert tokens.count_tokens("<|endoftext|>") > 1


def test_a_damaged_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / "table.gz"
    damaged.write_bytes(gzip.compress(b"IQ== 0\n"))
    monkeypatch.setattr(tokens, "_TABLE", damaged)
    tokens.encoding.cache_clear()
    try:
        with pytest.raises(DamagedTableError):
            tokens.encoding()
    finally:
        monkeypatch.undo()
        tokens.encoding.cache_clear()
