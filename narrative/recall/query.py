"""What a scene asks of the memories. Pure."""

from collections import Counter
from dataclasses import dataclass

from knowledge.words import stems_of, weight_of

# The player's words say best what matters now; the turn before them says where they are said.
_INPUT_WORTH = 3
_TURN_WORTH = 1
# Names of the present and titles of open threads stand in every turn of a scene, and say less.
_STATE_WORTH = 1
# So many terms of a scene are asked for: those that say most.
MOST_TERMS = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneWords:
    """A scene as it is searched with: the narration of the newest turn, the player's input, the names of who
    and what is there, and the titles of the open threads."""

    text: str
    input: str
    names: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SceneQuery:
    """A scene's terms by worth, and the stems that its names and its threads consist of."""

    terms: dict[str, float]
    names: frozenset[str]
    threads: frozenset[str]


def scene_query(scene: SceneWords) -> SceneQuery:
    """The terms of a scene. What is worth most is what the player says and English says seldom."""
    names = frozenset(stem for name in scene.names for stem in stems_of(name))
    threads = frozenset(stem for title in scene.threads for stem in stems_of(title))
    counts: Counter[str] = Counter()
    for stems, worth in (
        (stems_of(scene.input), _INPUT_WORTH),
        (stems_of(scene.text), _TURN_WORTH),
        (names | threads, _STATE_WORTH),
    ):
        for stem in set(stems):
            counts[stem] = max(counts[stem], worth)
    terms = {stem: count * weight_of(stem) for stem, count in counts.items()}
    best = sorted(terms, key=lambda stem: (-terms[stem], stem))[:MOST_TERMS]
    return SceneQuery({stem: terms[stem] for stem in best}, names, threads)
