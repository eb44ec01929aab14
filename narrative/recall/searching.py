"""Recalling: a scene in, the memories that a prompt uses out."""

from collections.abc import Callable

from campaigns.models import Campaign
from campaigns.path import Position
from narrative.prompt.remembered import Recalled
from narrative.recall.candidates import Candidate, find_candidates
from narrative.recall.choosing import Ranked, choose
from narrative.recall.query import SceneQuery, SceneWords, scene_query
from narrative.recall.ranking import Similarity, factors_of, lexical_similarity


def recall(
    campaign: Campaign,
    *,
    end: Position,
    scene: SceneWords,
    top_k: int,
    budget: int,
    count: Callable[[str], int],
    is_said: Callable[[str], bool],
) -> Recalled:
    """The memories on the path to ``end`` that the scene calls for, within ``budget`` tokens.

    ``count`` counts tokens; ``is_said`` tells of a text whether the prompt says it already.
    """
    if top_k <= 0 or budget <= 0:
        return Recalled()
    query = scene_query(scene)
    similarity = lexical_similarity(query)
    candidates = find_candidates(campaign, end, query.terms)
    ranked = [_rank(each, query, similarity, end.depth) for each in candidates]
    return choose(ranked, top_k=top_k, budget=budget, count=count, is_said=is_said)


def _rank(candidate: Candidate, query: SceneQuery, similarity: Similarity, depth: int) -> Ranked:
    near = similarity(candidate.id, candidate.stems)
    factors = factors_of(
        query,
        candidate.stems,
        similarity=near,
        importance=candidate.importance,
        age=depth - candidate.depth,
    )
    return Ranked(candidate, near, round(sum(factors.values()), 4), dict(factors))
