"""The words of a text as they are compared: folded and stemmed, and how much one of them says.

One tokenizer for everything that is found by words, so that what is indexed and what is asked for agree.
Scripts that are written without spaces (Chinese, Japanese, Korean) are read as overlapping pairs of
characters.
"""

import functools
import math
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import snowballstemmer

_TABLE = Path(__file__).parent / "data" / "english-10k-frequencies.tsv"
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+(?:['’][^\W_{_UNSPACED}]+)*")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_POSSESSIVE = re.compile(r"['’]s$")
# A word as frequent as this in English says nothing of a text: the, from, about.
_TOO_COMMON = 1 / 1000
# Of a word outside the table: the frequency of the table's last ones.
_RARE = 5e-6


def words_of(text: str) -> Iterator[str]:
    """The words of a text in order, case folded and without accents; pairs where there are no spaces."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    plain = unicodedata.normalize("NFC", "".join(c for c in folded if not unicodedata.combining(c)))
    for run in _RUN.findall(plain):
        if not _IS_UNSPACED.match(run):
            yield _POSSESSIVE.sub("", run)
        elif len(run) == 1:
            yield run
        else:
            yield from (run[at : at + 2] for at in range(len(run) - 1))


def stems_of(text: str) -> list[str]:
    """The stems of a text's telling words, in order and with their repeats."""
    return [stem for stem in map(stem_of, words_of(text)) if frequency_of(stem) < _TOO_COMMON]


@functools.lru_cache(maxsize=65_536)
def stem_of(word: str) -> str:
    """The Snowball stem of a folded word (Porter2, English); what it does not know stays as it is."""
    stem: str = _stemmer().stemWord(word)
    return stem


def frequency_of(stem: str) -> float:
    """The share of English words that have this stem."""
    return _frequencies().get(stem, _RARE)


def is_common(stem: str) -> bool:
    """Whether a stem is one of the commonest of English: names, numbers and rare words are not."""
    return stem in _frequencies()


def weight_of(stem: str) -> float:
    """How much it says that a stem stands in a text: how surprising it is in English, in nats."""
    return -math.log(frequency_of(stem))


@functools.cache
def _frequencies() -> dict[str, float]:
    frequencies: dict[str, float] = {}
    for line in _TABLE.read_text(encoding="utf-8").splitlines():
        word, frequency = line.split("\t")
        for folded in words_of(word):
            stem = stem_of(folded)
            frequencies[stem] = frequencies.get(stem, 0.0) + float(frequency)
    return frequencies


@functools.cache
def _stemmer() -> Any:
    return snowballstemmer.stemmer("english")
