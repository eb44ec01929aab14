"""What the embedded narrator knows of the story: read out of the chat messages, for nobody tells it more.
Pure.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from narrative.inference.base import Message
from narrative.inference.rehearsal_words import QUOTED, tidy

RECENT_MESSAGES = 24
# How far back the narrator looks for phrases it has used already.
REMEMBERED_MESSAGES = 80
READ_LENGTH = 4000

PROTAGONIST = re.compile(
    r"\b[Pp]rotagonist(?:'s name)?(?: is(?: called| named)?|, called|:)\s+"
    r"((?:[A-Z][\w'-]+)(?: [A-Z][\w'-]+)?)"
)
NAME = re.compile(r"(?<=[a-z,;] )(?:[A-Z][a-z'-]{2,})(?: [A-Z][a-z'-]{2,})*")
ARTICLE = r"(?:the|a|an|my|your|his|her|their|this|that|some)"
OWN_THING = re.compile(rf"\b{ARTICLE}\s+((?:[a-z][a-z'-]*\s*){{1,4}})", re.IGNORECASE)
TOLD_THING = re.compile(
    rf"\b(?:in|on|at|of|under|behind|beside|into|through|from|to|with|by|near|over|above|below|against)\s+{ARTICLE}\s+"
    r"((?:[a-z][a-z'-]*\s*){1,4})(?=[.,;:!?]|$)"
)
# A thing's name ends before one of these.
BREAKS = frozenset(
    """
    a about above across after again against all along alone am an and are around as at away back be
    before behind below beneath beside between beyond but by can carefully do down each every for forward
    from gently go hard her here his how i if in inside into is it its just like look me more my near next
    no not now of off on once one onto open or other our out outside over past quickly quietly say she
    slowly so softly some take than that the their them then there they this through to together too
    toward towards twice under until up upon us very was we were what when where which while who with
    within without you your he him
    """.split()  # noqa: SIM905 - quoted one by one they would fill a screen
)
NOT_THINGS = frozenset(
    """
    bit direction end moment lot name narrator one other others place protagonist question rest same side
    story thing things time turn way while word words world first last next second reply player rules
    scene sentence
    """.split()  # noqa: SIM905 - quoted one by one they would fill a screen
)
NOT_NAMES = frozenset(
    """
    And But Canon Continue Direction English Markdown Narrator Never Player Reference Inspiration Rules
    Scene State Story The They There Then This You Your
    """.split()  # noqa: SIM905 - quoted one by one they would fill a screen
)
PEOPLE = re.compile(
    r"\b(?:woman|man|girl|boy|guard|guards|keeper|innkeeper|stranger|traveller|captain|priest|monk|nun|king|queen|child|sailor|"
    r"soldier|merchant|smith|witch|wizard|knight|thief|driver|doctor|nurse|clerk|servant|sister|brother|mother|father|"
    r"friend|lady|lord|crew|officer|pilot|robot|hermit|hunter|farmer|bartender|barkeep)\b"
)


class Mode(Enum):
    ACTION = "action"
    DIALOGUE = "dialogue"
    DIRECTION = "direction"
    CONTINUE = "continue"


MODES = (
    (Mode.CONTINUE, re.compile(r"\s*\[Continue the story\.?\]\s*")),
    (Mode.DIRECTION, re.compile(r"\s*\[Direction to the narrator:(.*)\]\s*", re.DOTALL)),
    (Mode.DIALOGUE, re.compile(r"\s*I say: [\"“](.*)[\"”]\s*", re.DOTALL)),
)


@dataclass(frozen=True, slots=True)
class Scene:
    """``named`` are things and people of the player's present words, ``recent`` those from before, newest
    first.
    """

    mode: Mode
    words: str
    turn: int
    protagonist: str | None
    named: tuple[str, ...]
    recent: tuple[str, ...]
    names: tuple[str, ...]
    told: str

    @property
    def person(self) -> str | None:
        """Somebody who could answer, as far as the words tell."""
        return next((thing for thing in (*self.named, *self.recent) if PEOPLE.search(thing)), None)


def read_scene(messages: Sequence[Message]) -> Scene:
    players = [message.content for message in messages if message.role == "user"]
    mode, words = read_input(players[-1] if players else "")
    before = [message for message in messages[:-1] if message.role != "system"][-REMEMBERED_MESSAGES:]
    system = "\n".join(message.content for message in messages if message.role == "system")
    told = [tidy(message.content[-READ_LENGTH:]) for message in before if message.role == "assistant"]
    protagonist = PROTAGONIST.search(system)
    named = _things(words, OWN_THING)
    return Scene(
        mode=mode,
        words=words,
        turn=len(players),
        protagonist=protagonist[1] if protagonist else None,
        named=tuple(named),
        recent=tuple(thing for thing in _recent(before[-RECENT_MESSAGES:]) if thing not in named),
        names=_names(told[-RECENT_MESSAGES:], system, protagonist[1] if protagonist else ""),
        told=" ".join(told),
    )


def read_input(text: str) -> tuple[Mode, str]:
    """The way of playing that a rendered input stands for, and the player's own words in it."""
    for mode, pattern in MODES:
        if match := pattern.fullmatch(text):
            return mode, tidy(match[1]) if pattern.groups else ""
    words = tidy(text)
    return (Mode.ACTION, words) if any(char.isalnum() for char in words) else (Mode.CONTINUE, "")


def _recent(before: Sequence[Message]) -> list[str]:
    found: list[str] = []
    for message in reversed(before):
        if message.role == "user":
            found += _things(read_input(message.content[:READ_LENGTH])[1], OWN_THING)
    # The narrator's own turns repeat what players said; only the opening adds to it.
    opening = next((message for message in before if message.role == "assistant"), None)
    if opening is not None:
        found += _things(tidy(opening.content[:READ_LENGTH]), TOLD_THING)
    return list(dict.fromkeys(found))


def _things(text: str, pattern: re.Pattern[str]) -> list[str]:
    found = []
    for match in pattern.finditer(QUOTED.sub(" ", text) if pattern is TOLD_THING else text):
        words: list[str] = []
        for word in match[1].lower().split():
            if word in BREAKS or word.endswith("ly") or "'" in word or len(words) == 3:
                break
            words.append(word)
        if words and words[-1] not in NOT_THINGS and len(words[-1]) > 2:
            found.append(" ".join(words))
    return list(dict.fromkeys(found))


def _names(told: Sequence[str], system: str, protagonist: str) -> tuple[str, ...]:
    """Proper names of the story: said in the middle of a sentence, and in the rules at least twice."""
    in_rules = Counter(NAME.findall(system[:READ_LENGTH]))
    found = [name for text in reversed(told) for name in NAME.findall(text)]
    found += [name for name, count in in_rules.items() if count > 1]
    own = set(protagonist.split())
    return tuple(
        name
        for name in dict.fromkeys(found)
        if not own & set(name.split()) and not NOT_NAMES & set(name.split())
    )
