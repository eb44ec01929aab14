"""Cleaning what a person typed: nothing visible is changed, nothing unstorable gets through."""

import unicodedata

from campaigns.errors import InvalidError

INPUT_LENGTH = 20_000
NARRATION_LENGTH = 100_000
NAME_LENGTH = 200
NOTE_LENGTH = 20_000


def clean_text(text: str) -> str:
    """The text without control characters (but newline and tab) and without lone surrogates, which no
    database stores. Every kind of line end becomes a newline."""
    return "".join(
        character
        for character in text.replace("\r\n", "\n").replace("\r", "\n")
        if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs")
    )


def join_halves(text: str) -> str:
    """The text with each character that came as two surrogate halves whole again, as models' servers send
    them when a chunk ends between the two. A half that stays alone is dropped."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")


def require_text(text: str, *, field: str, limit: int, what: str) -> str:
    """The cleaned and trimmed text, of 1 to ``limit`` characters. Raises InvalidError."""
    cleaned = clean_text(text).strip()
    _require_length(cleaned, field=field, limit=limit, what=what)
    return cleaned


def require_verbatim(text: str, *, field: str, limit: int, what: str) -> str:
    """Like ``require_text``, but white space stays exactly as it was written."""
    cleaned = clean_text(text)
    _require_length(cleaned, field=field, limit=limit, what=what)
    return cleaned


def require_line(text: str, *, field: str, what: str, limit: int = NAME_LENGTH) -> str:
    """A single line, such as a title or a name."""
    return require_text(" ".join(clean_text(text).split()), field=field, limit=limit, what=what)


def require_name(text: str, *, field: str, what: str, limit: int) -> str:
    """A name that a program chose, exactly as it is: a changed one would no longer be the program's. Raises
    InvalidError where it is blank, too long, or holds what cannot be stored."""
    _require_length(text, field=field, limit=limit, what=what)
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in text):
        raise InvalidError(f"{what} may hold no control characters and no half of a character.", field=field)
    return text


def limit_text(text: str, *, field: str, what: str, limit: int = NOTE_LENGTH) -> str:
    """The cleaned and trimmed text, which may be empty."""
    cleaned = clean_text(text).strip()
    if len(cleaned) > limit:
        raise InvalidError(
            f"{what} may have at most {limit:,} characters; this has {len(cleaned):,}.", field=field
        )
    return cleaned


def shorten(text: str, limit: int) -> str:
    """The first words of a text on one line, cut between words where that is possible."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    head, _, _ = line[:limit].rpartition(" ")
    return (head.rstrip(",;: ") or line[: limit - 1]) + "…"


def has_words(text: str) -> bool:
    """Whether there is anything to see: white space and marks without a shape of their own are nothing."""
    return any(unicodedata.category(character)[0] not in "CZ" for character in text)


def _require_length(text: str, *, field: str, limit: int, what: str) -> None:
    if not has_words(text):
        raise InvalidError(f"{what} is empty. Write something first.", field=field)
    if len(text) > limit:
        raise InvalidError(
            f"{what} may have at most {limit:,} characters; this has {len(text):,}.", field=field
        )
