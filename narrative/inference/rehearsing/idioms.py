"""Turns of phrase in which what is taken is no thing: a seat, a nap, the stairs, cover. English; pure."""

from narrative.inference.rehearsing.nouns import DETERMINERS, Noun

# So without an article only: "take note" is none, "take the note" is a thing.
_BARE = frozenset(
    """
    note notes cover aim ready calm stock shelter refuge control charge command part point position notice pity
    shape root flight advantage revenge comfort pride offence hold interest effect lost drunk dressed moving going
    started closer nearer late early company bearings blame credit quiet watch still walking talking safe clear up
    """.split()  # noqa: SIM905 - quoted one by one they would fill a screen
)
_NEVER = frozenset(
    """
    seat step steps nap break fight glance risk oath sip bite swig gulp swing ride walk bath shower trip tour peek
    guess measure count stand vow turn turns detour leave bow dive leap sleep pause rest breather
    """.split()  # noqa: SIM905 - quoted one by one they would fill a screen
)
_WAYS = frozenset("stairs stair staircase steps ladder road path train lift elevator route tunnel".split())  # noqa: SIM905


def is_only_said(tail: str, thing: Noun) -> bool:
    """Whether what stands behind "take" is part of what is done and not a thing."""
    word = thing.text.lower()
    is_bare = tail.split(" ")[0].lower() not in DETERMINERS
    is_turning = thing.head.lower() in ("left", "right", "first", "second")
    return (
        word in _NEVER
        or is_turning
        or (is_bare and (word in _BARE or (word.endswith("ing") and len(word) > 6)))
    )


def is_way(thing: Noun) -> bool:
    """Whether to take it is to go by it."""
    return thing.head.lower() in _WAYS
