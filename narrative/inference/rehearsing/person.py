"""Turns a player's words to the second person. English; pure.

What stands in double quotation marks was said aloud by somebody and keeps its person.
"""

import re

QUOTED = re.compile(r"(\"[^\"]*\"|“[^”]*”)")

# In order: whole phrases before the pronouns in them. The apostrophe is already straight.
PERSONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"(?<!['\w]){pattern}(?!['\w])", re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"am (?:i|we)", "are you"),
        (r"was i", "were you"),
        (r"(?:i'm|im|we're)", "you're"),
        (r"(?:i am|we are)", "you are"),
        (r"(?:i was|we were)", "you were"),
        (r"i wasn't", "you weren't"),
        (r"(?:i've|we've)", "you've"),
        (r"(?:i'll|we'll)", "you'll"),
        (r"(?:i'd|we'd)", "you'd"),
        (r"let's", "you"),
        (r"(?:myself|ourselves)", "yourself"),
        (r"ours", "yours"),
        (r"(?:my|our)", "your"),
        (r"me", "you"),
        (r"i(?!\.\w)", "you"),
        (r"we", "you"),
    )
)
US = re.compile(r"\bus\b|\bUs\b")  # not US, which is a country
MINE = re.compile(r"(\b[a-z]+\s+)?\bmine\b(?!\s+(?:shaft|cart|entrance|worker|tunnel))", re.IGNORECASE)
MINE_IS_OWNED = frozenset("of is was are were be than like as and not in to on for".split())  # noqa: SIM905
LONE_AM = re.compile(r"(?<![\d.])(?<!\d )\bam\b")


def turn_person(text: str) -> str:
    """``text`` with its first person turned, and else as it was."""
    parts = QUOTED.split(text)
    return "".join(part if index % 2 else _turn(part) for index, part in enumerate(parts))


def _turn(text: str) -> str:
    for pattern, replacement in PERSONS:
        text = pattern.sub(replacement, text)
    text = US.sub("you", text)
    text = LONE_AM.sub("are", text)
    return MINE.sub(_turn_mine, text)


def _turn_mine(match: re.Match[str]) -> str:
    """A mine that is dug stays one: "I enter the old mine"."""
    before = match.group(1) or ""
    is_owned = not before or before.strip().lower() in MINE_IS_OWNED
    return f"{before}yours" if is_owned else match.group(0)
