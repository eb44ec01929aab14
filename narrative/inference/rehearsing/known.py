"""What the state holds, as things that a story names, and the way from a name to it. Pure."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace

from narrative.inference.rehearsing.nouns import PEOPLE, Noun
from narrative.inference.rehearsing.supplied import Known

KEY_LENGTH = 80

_ARTICLE = re.compile(r"(?:the|a|an)\s+", re.IGNORECASE)
_NOT_OF_A_KEY = re.compile(r"[^\w]+")
# Words that many a name has, and that tell none from another.
_COMMON = frozenset("the of old young new great little big saint st lady lord mr mrs miss dr captain".split())  # noqa: SIM905


def key_for(text: str) -> str:
    """A key for something new: lower case, words joined by hyphens. Empty where no letter is in it."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("'", "").replace("’", "")
    return _NOT_OF_A_KEY.sub("-", folded).strip("-_")[:KEY_LENGTH].rstrip("-_")


def noun_of(known: Known) -> Noun:
    """Something of the state as the story speaks of it."""
    text = (
        _ARTICLE.sub("", known.name.replace("’", "'"), count=1) if _ARTICLE.match(known.name) else known.name
    )
    words = text.replace("’", "'").split()
    is_proper = (
        text == known.name and text[:1].isupper() and (known.kind != "item" or "'s " in " ".join(words))
    )
    if is_proper and len(words) > 1 and words[-1] in PEOPLE:  # "Hooded woman"
        is_proper, words = False, [words[0].lower(), *words[1:]]
    return Noun(" ".join(words), is_proper=is_proper, key=known.key, kind=known.kind)


def find_known(nouns: Iterable[Noun], noun: Noun) -> Noun | None:
    """That which the state holds under a name: by the whole of it or its key, else by a part that only one
    has."""
    nouns = tuple(nouns)
    wanted, key = noun.text.lower(), key_for(noun.text)
    for known in nouns:
        if known.text.lower() == wanted or known.key == key:
            return known
    near = [known for known in nouns if _is_near(known, noun)]
    return near[0] if len(near) == 1 else None


def keyed(nouns: Iterable[Noun], noun: Noun) -> Noun:
    """A noun with what the state knows of it."""
    known = find_known(nouns, noun)
    return replace(known, owner=noun.owner if not known.is_proper else "") if known else noun


def _is_near(known: Noun, noun: Noun) -> bool:
    whole, said = set(known.text.lower().split()), set(noun.text.lower().split())
    if noun.is_proper:
        return bool(said - _COMMON) and (said - _COMMON <= whole or whole - _COMMON <= said)
    if known.kind == "person" and known.is_proper:
        return False
    if known.kind == "place" and known.is_proper:  # "the castle" is Castle Drum
        return said <= whole
    is_part = said <= whole or (whole <= said and not known.is_proper)
    return known.head.lower() == noun.head.lower() and is_part
