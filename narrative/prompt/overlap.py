"""Noticing that a text is said already, so that it is not paid for twice. Pure.

Only what is equal but for its filler is a repeat: the same telling words, numbers, names and negations, in
the same order. When in doubt both are kept.
"""

import re
from collections.abc import Iterable, Iterator

from knowledge.words import stem_of, words_of

_FILLER = frozenset(("a", "an", "the", "do", "does", "did", "that", "just", "then"))
_NEGATIONS = frozenset(
    ("no", "not", "never", "none", "nobody", "nothing", "nor", "neither", "without", "cannot")
)
# Said in so few words, two texts may be alike by chance.
_LEAST_WORDS = 3
_MARKUP = re.compile(r"^[-*•]\s+|\[[^\]]*\]")
SENTENCE_END = re.compile(r"(?<=[.!?…”\"])\s+")


def fingerprint(text: str) -> tuple[str, ...] | None:
    """The stems of a text without filler, in order; None where there are too few to compare."""
    stems = tuple(_telling(_MARKUP.sub(" ", text.strip())))
    return stems if len(stems) >= _LEAST_WORDS else None


def _telling(text: str) -> Iterator[str]:
    for word in words_of(text):
        if word in _NEGATIONS or word.endswith(("n't", "n’t")):
            yield "not"
        elif word not in _FILLER:
            yield stem_of(word)


class Said:
    """What a prompt says already."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._prints: set[tuple[str, ...]] = set()
        self.add(*texts)

    def add(self, *texts: str) -> None:
        """Each text, and each of its sentences."""
        parts = [part for text in texts for part in (text, *SENTENCE_END.split(text))]
        self._prints.update(found for part in parts if (found := fingerprint(part)) is not None)

    def has(self, text: str) -> bool:
        return (found := fingerprint(text)) is not None and found in self._prints
