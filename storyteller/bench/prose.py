"""Narrations of about the length that a model writes: seeded, so that two runs tell the same."""

import random
from collections.abc import Callable

_WORDS = (
    "rain lantern door stair river stone voice shadow bridge letter window candle market winter thief bell",
    "gate harbour song knife copper road ember garden tower mirror salt wolf key thread smoke tide",
)
_LENGTH = 120


def narrator(seed: int) -> Callable[[int], str]:
    """A function from a turn's depth to its narration."""
    known = " ".join(_WORDS).split()
    source = random.Random(seed)  # noqa: S311 - for variety, not for secrets

    def narrate(depth: int) -> str:
        words = " ".join(source.choices(known, k=_LENGTH))
        return f"Turn {depth}: {words}."

    return narrate
