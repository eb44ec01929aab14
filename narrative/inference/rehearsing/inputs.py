"""The last message taken apart: what stands before the player's words, how they are meant, and the words.
Pure."""

import re
from dataclasses import dataclass
from enum import Enum

from narrative.inference.rehearsing.supplied import Supplied, read_supplied, split_sections
from narrative.inference.rehearsing.text import read_plainly

READ_LENGTH = 24_000


class Mode(Enum):
    ACTION = "action"
    DIALOGUE = "dialogue"
    DIRECTION = "direction"
    CONTINUE = "continue"
    OPENING = "opening"


@dataclass(frozen=True, slots=True)
class Input:
    mode: Mode
    words: str


# The beginning of what a request for an opening says (narrative/prompt/texts/opening.txt).
_OPENING = re.compile(r"\[Open the story\.\]")
_MODES = (
    (Mode.CONTINUE, re.compile(r"\s*\[(?:Continue|Begin) the story\.?\]\s*")),
    (Mode.DIRECTION, re.compile(r"\s*\[Direction to the narrator:(.*)\]\s*", re.DOTALL)),
    (Mode.DIALOGUE, re.compile(r"\s*I say: [\"“](.*)[\"”]\s*", re.DOTALL)),
    (Mode.DIALOGUE, re.compile(r"\s*I say: (.*)", re.DOTALL)),
)
_ALL_QUOTED = re.compile(r"[\"“]([^\"“”]+)[\"”][.!]?")
# Words that are said and not done.
_UTTERANCE = re.compile(
    r"(?:yes|no|yeah|nope|ok|okay|sure|hello|hi|hey|hallo|thanks|thank you|help|sorry|please|never|maybe|goodbye|bye|"
    r"good (?:morning|evening|day|night))[.!?]*",
    re.IGNORECASE,
)


def read_last(content: str, protagonist: str = "") -> tuple[Supplied, Input]:
    """The last message: what its sections say, and the player's input, which stands last. A section that is
    not read, such as the author's note, is not told."""
    sections, text = split_sections(content)
    return read_supplied(sections, protagonist), read_input(text)


def read_input(text: str) -> Input:
    """The way of playing that a rendered input stands for, and the player's own words in it, tamed."""
    text = text[:READ_LENGTH]
    if _OPENING.match(text):
        return Input(Mode.OPENING, "")
    for mode, pattern in _MODES:
        if match := pattern.fullmatch(text):
            return Input(mode, read_plainly(match[1]) if pattern.groups else "")
    words = read_plainly(text)
    if (match := _ALL_QUOTED.fullmatch(words)) or _UTTERANCE.fullmatch(words):
        return Input(Mode.DIALOGUE, match[1] if match else words)
    return Input(Mode.ACTION, words)
