"""What a memory's score is made of. Pure.

Similarity decides; everything else is a small bounded term beside it, so that nothing that has nothing to do
with the scene is lifted over something that has.
"""

import math
from collections.abc import Collection, Mapping
from typing import Protocol

from knowledge.words import weight_of
from narrative.recall.query import SceneQuery

IMPORTANCE = 0.08
NAMES = 0.06
THREADS = 0.06
RECENCY = 0.05
# Turns after which a memory's recency is worth half.
_HALF_LIFE = 60
# Weight that a memory is taken to have beside its own words, in nats: one that consists of a single word is
# not said whole by that word.
_DAMPING = 20.0
# A scene says a memory whole where its words are in the player's input.
_FULL_WORTH = 3


class Similarity(Protocol):
    """How near a memory is to a scene: from 0, nothing in common, to 1. By words, or by meaning."""

    def __call__(self, memory_id: int, stems: Collection[str]) -> float: ...


def lexical_similarity(query: SceneQuery) -> Similarity:
    """How much of what a memory says the scene says too: the share of its words' weight that is matched."""

    def similarity(memory_id: int, stems: Collection[str]) -> float:
        own = set(stems)
        whole = sum(weight_of(stem) for stem in own) + _DAMPING
        matched = sum(query.terms.get(stem, 0.0) for stem in own) / _FULL_WORTH
        return round(min(1.0, matched * _matched_boost(query, own) / whole), 4)

    return similarity


def _matched_boost(query: SceneQuery, own: Collection[str]) -> float:
    """One word in common may be chance, several are not."""
    return math.sqrt(min(4, sum(stem in query.terms for stem in own)))


def factors_of(
    query: SceneQuery, stems: Collection[str], *, similarity: float, importance: int, age: int
) -> Mapping[str, float]:
    """The score's terms, by name: similarity, and beside it importance (1 to 5), the part of the scene's
    names and open threads that the memory speaks of, and how few turns ago it was."""
    own = set(stems)
    return {
        "similarity": similarity,
        "importance": round(IMPORTANCE * (importance - 1) / 4, 4),
        "names": round(NAMES * _share(own, query.names), 4),
        "threads": round(THREADS * _share(own, query.threads), 4),
        "recency": round(RECENCY * 0.5 ** (max(0, age) / _HALF_LIFE), 4),
    }


def _share(own: Collection[str], wanted: Collection[str]) -> float:
    """1 where two of the wanted words are there, or all of them."""
    return min(1.0, sum(stem in own for stem in wanted) / min(2, len(wanted))) if wanted else 0.0
