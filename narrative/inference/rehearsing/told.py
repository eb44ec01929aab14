"""What a narration has established, as far as it can be read without understanding it: where the protagonist
is, who is there, and what has been named. English; pure."""

import re
from collections.abc import Iterator

from narrative.inference.rehearsing.nouns import DETERMINERS, PEOPLE, PLACES, Noun, read_noun
from narrative.inference.rehearsing.text import outside_quotes

_ARTICLES = "|".join(sorted(DETERMINERS))
_PREPOSITIONS = "in|on|at|of|under|behind|beside|into|through|from|to|with|by|near|over|above|below|against|aboard|inside|onto|across"
_AFTER = re.compile(rf"\b(?:{_PREPOSITIONS})\s+((?:{_ARTICLES})\s+.+)", re.IGNORECASE)
_WHERE = re.compile(r"\b(?:in|on|at|into|onto|inside|aboard|to|of|from|across|through)\s+(.+)", re.IGNORECASE)
_CAPITALS = r"[A-Z][a-z'-]{2,}(?: (?:of )?[A-Z][a-z'-]{2,}){0,2}"
_NAME = re.compile(rf"(?<=[a-z,;—–] )(?:{_CAPITALS})")
_ACTS = (
    r"(?:stands?|waits?|sits?|looks?|turns?|leans?|watch(?:es)?|says?|asks?|nods?|smiles?|steps?|walks?|comes?|holds?|"
    r"grips?|shakes?|laughs?|kneels?|speaks?|whispers?|answers?|calls?|points?|reaches|rises|raises|lifts?|puts?|takes?|"
    r"gives?|stares?|shrugs?|frowns?|sleeps?|lies|works?|is (?:already |still )?\w+ing|stood|sat|said|asked|turned|looked|"
    r"waited|blocks?|follows?|opens?|wipes?|pours?|keeps?|counts?|rubs?|clears?|lowers?|pushes|sets?|runs?|appears?|enters?|arrives?)"
)
_ACTING_NAME = re.compile(rf"(?:^|[.!?”\"] |, |; | and )({_CAPITALS})(?:, [^,.]{{3,60}},)? {_ACTS}\b")
_ACTING_PERSON = re.compile(
    rf"\b(?:the|a|an|your|another|one) ((?:[a-z-]+ ){{0,3}}(?:{'|'.join(sorted(PEOPLE))})"
    rf"(?: (?:in|with|of) (?:a|an|the) (?:[a-z-]+ ){{0,2}}[a-z-]+)?)(?: who)? {_ACTS}\b",
    re.IGNORECASE,
)
# What is everywhere, or cannot be looked at: nothing to come back to.
_ROUND_ABOUT = frozenset(
    """
    water frost snow rain ground floor mist cold grass dust wind roll watch rhythm proportion time price sun moon
    stars law sand mud smoke fog heat weather distance job work reason sort number line story place share want
    post posts sills pocket pockets rest season autumn winter spring summer
    """.split()  # noqa: SIM905 - quoted one by one they would fill a screen
)
_NOT_NAMES = frozenset(
    """
    And But Canon Continue Direction English Narrator Never Player Reference Inspiration Rules Scene State Story
    The They There Then This You Your Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February
    March April May June July August September October November December God Nobody Somebody Nothing Everything
    Dawn Dusk Noon Midnight Morning Evening Night Rain Snow Fog Wind Spring Summer Autumn Winter
    Someone Anyone Anybody Everyone Everybody Something Anything Whoever Whatever Out Over Past Old Its His Her Their When Where What Who Why How Not For From With
    """.split()  # noqa: SIM905 - quoted one by one they would fill a screen
)


def place_of(text: str) -> Noun | None:
    """The first place that a narration puts its events in."""
    for rest in _tails(_WHERE, outside_quotes(text)):
        noun = read_noun(rest, bare=rest[:1].isupper())
        if noun is not None and noun.is_place and rest.split()[0].lower() not in ("every", "each", "no"):
            return noun
    return None


def people_of(text: str) -> tuple[Noun, ...]:
    """Those who do something in a narration, and so are there."""
    plain = outside_quotes(text)
    names = [Noun(name, is_proper=True) for name in _ACTING_NAME.findall(plain) if is_name(name)]
    others = [Noun(text.lower()) for text in _ACTING_PERSON.findall(plain)]
    return tuple(dict.fromkeys(noun for noun in (*names, *others) if noun.is_person))


def things_of(text: str) -> tuple[Noun, ...]:
    """What a narration names after a preposition: things that can be come back to."""
    found = [read_noun(rest, bare=False) for rest in _tails(_AFTER, outside_quotes(text))]
    return tuple(
        dict.fromkeys(
            n
            for n in found
            if n is not None and not (n.is_person or n.is_place or n.owner or n.head.lower() in _ROUND_ABOUT)
        )
    )


def names_of(text: str) -> tuple[str, ...]:
    """Proper names, said in the middle of a sentence."""
    return tuple(dict.fromkeys(name for name in _NAME.findall(outside_quotes(text)) if is_name(name)))


def is_somebody(name: str, text: str) -> bool:
    """Whether a narration speaks of a name as of a person: as an owner, a doer, or by a title."""
    said = re.escape(name)
    title = (
        r"(?:Old|Young|Mr|Mrs|Miss|Dr|Doctor|Captain|Sister|Brother|Father|Mother|Aunt|Uncle|Lady|Lord)\.?"
    )
    return re.search(rf"\b(?:{title} {said}\b|{said}(?:[’']s\b| {_ACTS}\b))", text) is not None


def is_name(text: str) -> bool:
    words = text.split(" ")
    return not _NOT_NAMES & set(words) and words[-1].lower() not in PEOPLE


def is_place_name(text: str) -> bool:
    return text.split(" ")[-1].lower() in PLACES


def _tails(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    start = 0
    while match := pattern.search(text, start):
        yield match[1][:120]
        start = match.start(1)
