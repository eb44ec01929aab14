"""Which of the candidates a prompt uses. Pure.

Repeats are set aside before the cut, not after it: four tellings of one thing must not push out a clue. They
are compared among equals only: a guess never stands for what is established, nor the other way round.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from knowledge.words import is_common
from narrative.prompt.remembered import Recalled, RecalledMemory, SetAside
from narrative.prompt.told_memory import memory_line
from narrative.recall.candidates import Candidate

# So much of the words of each of two texts in the other makes them one telling.
_SAME = 0.8

SAID = "the canon, the state or the summary says it, or that it no longer holds"
REPEATS = "it says what memory {id} says"
BELOW = "{count} others fit the scene better"
NO_ROOM = "no room was left within the memories' share"
PINNED_OUT = "more memories are pinned than are used at once"


@dataclass(frozen=True, slots=True)
class Ranked:
    candidate: Candidate
    similarity: float
    score: float
    factors: dict[str, float]


def choose(
    ranked: Iterable[Ranked],
    *,
    top_k: int,
    budget: int,
    count: Callable[[str], int],
    is_said: Callable[[str], bool],
) -> Recalled:
    """The best ``top_k`` within ``budget`` tokens, the pinned ones first, and why the others are not used."""
    in_order = sorted(ranked, key=lambda each: (not each.candidate.is_pinned, -each.score, each.candidate.id))
    used: list[RecalledMemory] = []
    kept: list[Candidate] = []
    aside: list[SetAside] = []
    spent = 0
    for each in in_order:
        candidate = each.candidate
        cost = count(memory_line(candidate.text, authority=candidate.authority)) + 1
        repeated = next((other for other in kept if is_repeat(candidate, other)), None)
        if is_said(candidate.text):
            reason = SAID
        elif repeated is not None:
            reason = REPEATS.format(id=repeated.id)
        elif len(used) >= top_k:
            reason = PINNED_OUT if candidate.is_pinned else BELOW.format(count=len(used))
        elif spent + cost > budget:
            reason = NO_ROOM
        else:
            spent += cost
            kept.append(candidate)
            used.append(_recalled(each, cost))
            continue
        aside.append(SetAside(candidate.id, candidate.text, reason))
    return Recalled(used=tuple(used), set_aside=tuple(aside), considered=len(in_order))


def is_repeat(one: Candidate, other: Candidate) -> bool:
    """Whether two memories tell the same: nearly all words of each are in the other, and the same names,
    numbers and rare words."""
    mine, theirs = set(one.stems), set(other.stems)
    if one.authority != other.authority or not mine or not theirs:
        return False
    if _telling(mine) != _telling(theirs):
        return False
    return len(mine & theirs) >= _SAME * max(len(mine), len(theirs))


def _telling(stems: set[str]) -> set[str]:
    return {stem for stem in stems if not is_common(stem)}


def _recalled(ranked: Ranked, tokens: int) -> RecalledMemory:
    candidate = ranked.candidate
    return RecalledMemory(
        id=candidate.id,
        text=candidate.text,
        similarity=ranked.similarity,
        score=ranked.score,
        authority=candidate.authority,
        is_pinned=candidate.is_pinned,
        branch=candidate.branch,
        first_depth=candidate.first_depth,
        depth=candidate.depth,
        tokens=tokens,
        factors=ranked.factors,
    )
