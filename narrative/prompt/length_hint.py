"""How long a reply should be, told in words, which a model can count better than tokens. Pure."""

# Tokens of the limit that no prose should count on, English words to a token, and a margin for other prose.
_KEPT_BACK = 50
_WORDS_TO_A_TOKEN = 0.75
_MARGIN = 0.9
# Below so many tokens there is no length worth a hint.
_LEAST_LIMIT = 101
# Under so many words a floor would stand too close to the ceiling.
_TIGHT = 200
_FLOOR_SHARE = 0.35
_HIGHEST_FLOOR = 300

_ROOM = " Leave room after the story for the state block."


def most_words(limit: int) -> int:
    """The words that a reply of ``limit`` tokens can hold, with a margin; 0 where that is too few to tell."""
    if limit < _LEAST_LIMIT:
        return 0
    return int((limit - _KEPT_BACK) * _WORDS_TO_A_TOKEN * _MARGIN)


def least_words(limit: int) -> int:
    """Below how many words a reply stops short; 0 where the limit is too tight for a floor."""
    ceiling = most_words(limit)
    return 0 if ceiling < _TIGHT else min(_HIGHEST_FLOOR, int(ceiling * _FLOOR_SHARE))


def length_hint(limit: int, *, is_block: bool) -> str:
    """The hint for a reply of at most ``limit`` tokens; empty where it would say nothing sensible.

    A ceiling and not a target: asked for a length, models fill it.
    """
    ceiling, floor = most_words(limit), least_words(limit)
    if not ceiling:
        return ""
    room = _ROOM if is_block else ""
    if not floor:
        return f"[Length: your reply must not exceed {ceiling} words, and should be much shorter.{room}]"
    return (
        f"[Length: your reply must not exceed {ceiling} words; most should stay well below that. "
        f"It should not stop short of {floor} words.{room}]"
    )
