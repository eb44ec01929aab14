"""Placeholder by the lead until part B's version replaces it: keep the names SceneWords and recall, and the
call that narrative/prompt_ahead.py makes."""

from collections.abc import Callable
from dataclasses import dataclass

from campaigns.models import Campaign
from campaigns.path import Position
from narrative.prompt.remembered import Recalled


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneWords:
    text: str
    input: str
    names: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()


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
    return Recalled()
