"""Which stock of phrases a story is told from, by the words of its profile. Pure."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from narrative.inference.rehearsing.grammar import Bank, load_phrases

# In the order of preference where a profile names several as often.
_SIGNS: Mapping[str, str] = MappingProxyType(
    {
        "space": r"science.?fiction|sci.?fi|space|cyber\w*|robots?|android|station|starship|orbit\w*|future|futuristic|"
        r"alien|solar|mars|lunar|moon|generation ship",
        "horror": r"horror|gothic|ghosts?|haunt\w*|lovecraft\w*|eldritch|terrifying|occult|zombies?|vampires?",
        "wasteland": r"post.?apocalyp\w*|apocalyp\w*|wasteland|dystopia\w*|survival|after the \w+ collapse",
        "western": r"western|frontier|cowboys?|outlaws?|gunslinger\w*",
        "mystery": r"myster\w*|detective|crime|noir|whodunn?it|thriller|spy|spies|espionage|investigat\w*|murder|heist",
        "fantasy": r"fantas\w*|sword|sorcery|magic\w*|fairy\w*|folk.?tale|myth\w*|dragons?|elves|elf|wizards?|quest|"
        r"medieval|dark ages|knights?|kingdom",
        "history": r"histor\w*|victorian|regency|tudor|roman|renaissance|century|ancient|edo|ottoman|baroque|georgian",
        "everyday": r"contemporary|modern|romance|slice of life|everyday|comedy|sitcom|school|family|drama|urban|office",
    }
)
NEUTRAL = "neutral"
# What must not be said in a story that does not name a genre, is not said at all; so its words decide little.
_ENOUGH_IN_PROSE = 2


def genre_of(manner: str, prose: str) -> str:
    """A genre's name: what the profile says, or what the story's own words say more than once."""
    counts = {
        name: len(re.findall(rf"\b(?:{signs})\b", manner, re.IGNORECASE)) for name, signs in _SIGNS.items()
    }
    best = max(counts, key=lambda name: counts[name])
    if counts[best]:
        # The first word that names a genre is the genre; what follows colours it.
        return _first_named(manner)
    if manner.strip():
        return NEUTRAL
    counts = {
        name: len(re.findall(rf"\b(?:{signs})\b", prose, re.IGNORECASE)) for name, signs in _SIGNS.items()
    }
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] >= _ENOUGH_IN_PROSE else NEUTRAL


def palette(genre: str) -> Mapping[str, Bank]:
    return load_phrases(genre)


def _first_named(manner: str) -> str:
    found = [
        (match.start(), name)
        for name, signs in _SIGNS.items()
        if (match := re.search(rf"\b(?:{signs})\b", manner, re.IGNORECASE))
    ]
    return min(found, key=lambda each: each[0])[1]
