"""What kind of memory a text is, how much it weighs, and whether it is established.

The application decides, by words. A model that calls its guess certain changes nothing.
"""

import re
from collections.abc import Collection

from narrative.models import Memory

Type = Memory.Type

_HEDGES = re.compile(
    r"\b(?:seem(?:s|ed|ing|ingly)?|appear(?:s|ed)? to|apparent(?:ly)?|perhaps|probably|possibly|presumably"
    r"|likely|impl(?:y|ies|ied)|hint(?:s|ed)?|suspect(?:s|ed)?|suspicio(?:n|ns|us)|believ(?:e|es|ed)"
    r"|wonder(?:s|ed)? (?:whether|if)|as if|as though|suppos(?:e|es|ed|edly)|guess(?:es|ed)?|assum(?:e|es|ed)"
    r"|(?:may|might|could|must) have|may be|might be|maybe|looked (?:uneasy|nervous|guilty|afraid|as)"
    r"|rumou?r(?:s|ed)?|uncertain|unclear|it is not known)\b",
    re.IGNORECASE,
)
# The first that is found decides, from the most telling to the least.
_TYPES = (
    (
        Type.PROMISE,
        r"promis\w*|swore|sworn|vow(?:s|ed)?|pledg\w*|oath|gave (?:his|her|their|its) word|owes?|owed|debt",
    ),
    (
        Type.DISCOVERY,
        r"discover\w*|found(?! (?:themsel|himsel|hersel))|learn(?:ed|t)|reveal\w*|uncover\w*|reali[sz]ed"
        r"|secret|clue|hidden|hid",
    ),
    (
        Type.CONFLICT,
        r"fought|fight|attack\w*|kill\w*|wound\w*|quarrel\w*|argu(?:ed|ment)|threaten\w*|betray\w*|stole"
        r"|enem(?:y|ies)|struck",
    ),
    (
        Type.RELATIONSHIP,
        r"friend\w*|trust(?:s|ed)?|lov(?:e|es|ed)|married|ally|allies|allied|forgave|forgiv\w*|hat(?:e|es|ed)|rival\w*",
    ),
    (
        Type.LOCATION,
        r"arriv\w*|reach(?:ed)?|travel\w*|went to|came to|left for|return(?:ed)? to|entered|cross(?:ed)?",
    ),
    (Type.CHARACTER, r"met|introduc\w*|named|called|stranger|died|born|became"),
)
_PATTERNS = tuple((kind, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for kind, words in _TYPES)

_WEIGHTS = {
    Type.PROMISE: 4,
    Type.DISCOVERY: 4,
    Type.CONFLICT: 3,
    Type.RELATIONSHIP: 3,
    Type.CHARACTER: 3,
    Type.EVENT: 3,
    Type.LOCATION: 2,
    Type.HEURISTIC: 2,
}
# Changes of the state that make a stretch weigh more.
_WEIGHTY_EVENTS = frozenset(
    {"open_story_thread", "set_thread_status", "set_entity_status", "add_relationship"}
)


def hedges(text: str) -> bool:
    """Whether a text says somewhere that it only guesses."""
    return _HEDGES.search(text) is not None


def authority_of(text: str) -> Memory.Authority:
    return Memory.Authority.HEURISTIC if hedges(text) else Memory.Authority.ACCEPTED_STORY


def type_of(text: str) -> Memory.Type:
    if hedges(text):
        return Type.HEURISTIC
    return next((kind for kind, pattern in _PATTERNS if pattern.search(text)), Type.EVENT)


def importance_of(kind: Memory.Type, events: Collection[str] = ()) -> int:
    """1 to 5, by the kind of a memory and the types of the state's changes in its stretch."""
    return min(5, _WEIGHTS[kind] + any(event in _WEIGHTY_EVENTS for event in events))
