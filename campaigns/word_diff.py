"""What became of a text, word by word, to be read by a person. Pure."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

# Comparing grows with the square of the words; longer texts are shown one after the other.
_MOST_WORDS = 1_500
# So many unchanged words stand on each side of a change; what is further away is left out.
_AROUND = 12

Kind = Literal["same", "gone", "new"]


@dataclass(frozen=True, slots=True)
class Piece:
    kind: Kind
    text: str


def compare_words(before: str, after: str) -> list[Piece]:
    """The pieces of both texts in reading order."""
    old, new = _words(before), _words(after)
    if max(len(old), len(new)) > _MOST_WORDS:
        return _present([Piece("gone", before), Piece("new", after)])
    pieces: list[Piece] = []
    # The matcher's own "autojunk" stays on: without it, 1,500 times the same word took two minutes.
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            pieces.append(Piece("same", _around(old[i1:i2], is_first=i1 == 0, is_last=i2 == len(old))))
        else:
            pieces += [Piece("gone", "".join(old[i1:i2])), Piece("new", "".join(new[j1:j2]))]
    return _present(pieces)


def _words(text: str) -> list[str]:
    return re.findall(r"\S+\s*|\s+", text)


def _around(words: list[str], *, is_first: bool, is_last: bool) -> str:
    head = [] if is_first else words[:_AROUND]
    tail = [] if is_last else words[-_AROUND:]
    if len(head) + len(tail) >= len(words):
        return "".join(words)
    return f"{''.join(head)}… {''.join(tail)}"


def _present(pieces: list[Piece]) -> list[Piece]:
    return [piece for piece in pieces if piece.text]
