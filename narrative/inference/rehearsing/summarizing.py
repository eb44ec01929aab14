"""Notes and summaries by picking sentences: nothing is said in other words, so nothing is made up. Pure."""

import math
import re
from collections.abc import Iterable

from knowledge.words import stems_of, weight_of
from narrative.inference.rehearsing.text import split_sentences, tidy

# How what is asked for is told apart (narrative/prompt/texts, narrative/derived/writing.py).
ASKED_TO_REMEMBER = "[Remember]"
ASKED_TO_SUMMARIZE = "[Summarize]"
_SO_FAR = re.compile(r"^The summary so far:\n(?P<text>.+?)(?=\n\nThe turns:)", re.DOTALL | re.MULTILINE)
_STORY = re.compile(r"^Story: (?P<text>.+?)(?=\n\n(?:Player|Story): |\Z)", re.DOTALL | re.MULTILINE)
_TURNS = re.compile(r"^The turns:\n(?P<text>.+)\Z", re.DOTALL | re.MULTILINE)

_NOTE_SENTENCES = 2
_NOTE_WORDS = 45
# Of each turn the most telling sentence goes into a summary, which ends up at most this long.
_SUMMARY_WORDS = 200
_LONGEST_SENTENCE = 40


def note_of(asked: str) -> str:
    """The most telling sentences of the turns, in their order."""
    sentences = [sentence for told in _narrations(asked) for sentence in _sentences(told)]
    best = sorted(range(len(sentences)), key=lambda at: (-_worth(sentences[at]), at))
    kept: list[int] = []
    for at in best[: 3 * _NOTE_SENTENCES]:
        words = sum(len(sentences[each].split()) for each in (*kept, at))
        if len(kept) < _NOTE_SENTENCES and (words <= _NOTE_WORDS or not kept):
            kept.append(at)
    return " ".join(sentences[at] for at in sorted(kept))


def summary_of(asked: str) -> str:
    """The summary so far, and of each turn since its most telling sentence; where that grows too long, what
    tells least goes."""
    found = _SO_FAR.search(asked)
    old = _sentences(found["text"]) if found else []
    new = [max(told, key=_worth) for text in _narrations(asked) if (told := _sentences(text))]
    sentences = list(dict.fromkeys([*old, *new]))
    while len(sentences) > 1 and sum(len(each.split()) for each in sentences) > _SUMMARY_WORDS:
        sentences.pop(min(range(len(sentences)), key=lambda at: _worth(sentences[at])))
    return " ".join(sentences)


def _narrations(asked: str) -> Iterable[str]:
    turns = _TURNS.search(asked)
    return [match["text"] for match in _STORY.finditer(turns["text"] if turns else asked)]


def _sentences(text: str) -> list[str]:
    told = [sentence for sentence in split_sentences(tidy(text)) if sentence.strip()]
    short = [sentence for sentence in told if len(sentence.split()) <= _LONGEST_SENTENCE]
    return short or [" ".join(sentence.split()[:_LONGEST_SENTENCE]) for sentence in told[:1]]


def _worth(sentence: str) -> float:
    """How much a sentence tells for its length; a question tells little."""
    told = sum(weight_of(stem) for stem in set(stems_of(sentence)))
    worth: float = told / math.sqrt(4 + len(sentence.split()))
    return worth / 2 if sentence.rstrip("”\"'").endswith("?") else worth
