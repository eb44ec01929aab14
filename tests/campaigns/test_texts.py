"""Cleaning what a person typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.errors import InvalidError
from campaigns.texts import clean_text, limit_text, require_line, require_text, require_verbatim, shorten


@pytest.mark.parametrize(
    ("typed", "cleaned"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("a\x00b\x07c\x7fd\x9fe", "abcde"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("lone \ud800 half", "lone  half"),
        ("“quotes” – … ‘é’ 🏮", "“quotes” – … ‘é’ 🏮"),
    ],
)
def test_only_what_cannot_be_stored_goes(typed: str, cleaned: str) -> None:
    assert clean_text(typed) == cleaned


@given(st.text())
def test_cleaned_text_can_be_stored_and_stays_clean(text: str) -> None:
    cleaned = clean_text(text)
    cleaned.encode()
    assert clean_text(cleaned) == cleaned


def test_a_text_is_trimmed_and_measured_after_cleaning() -> None:
    assert require_text(" \x00ab ", field="text", limit=2, what="The text") == "ab"
    with pytest.raises(InvalidError) as refused:
        require_text("abc", field="text", limit=2, what="The text")
    assert refused.value.message == "The text may have at most 2 characters; this has 3."


def test_white_space_stays_where_words_are_kept_as_written() -> None:
    assert require_verbatim("  a \n", field="text", limit=9, what="The text") == "  a \n"


@pytest.mark.parametrize("text", ["", "  ", "\x00", "\n\t"])
def test_nothing_is_refused(text: str) -> None:
    with pytest.raises(InvalidError, match="The text is empty"):
        require_text(text, field="text", limit=9, what="The text")
    with pytest.raises(InvalidError, match="The text is empty"):
        require_verbatim(text, field="text", limit=9, what="The text")


def test_a_line_has_no_line_ends() -> None:
    assert (
        require_line(" The\r\nCrooked \t Lantern ", field="title", what="The title") == "The Crooked Lantern"
    )


def test_a_note_may_be_empty_but_not_endless() -> None:
    assert limit_text(" ", field="note", what="The note") == ""
    with pytest.raises(InvalidError, match="at most 3"):
        limit_text("abcd", field="note", what="The note", limit=3)


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("I knock.", 20, "I knock."),
        ("I knock\n twice.", 20, "I knock twice."),
        ("I knock, then wait.", 12, "I knock…"),
        ("Abracadabra", 5, "Abra…"),
        (", abracadabra", 5, ", ab…"),
        ("exactly ten", 11, "exactly ten"),
    ],
)
def test_a_text_is_cut_between_words(text: str, limit: int, short: str) -> None:
    assert shorten(text, limit) == short


@given(st.text(), st.integers(min_value=2, max_value=60))
def test_a_short_text_is_one_line_within_its_limit(text: str, limit: int) -> None:
    short = shorten(text, limit)
    assert len(short) <= limit
    assert "\n" not in short
