"""Following a direction as far as its words can be followed, and saying so where they cannot. Pure."""

import re

from narrative.inference.rehearsing.grammar import Teller, load_phrases
from narrative.inference.rehearsing.nouns import DETERMINERS, PEOPLE, read_noun, with_article
from narrative.inference.rehearsing.person import turn_person
from narrative.inference.rehearsing.text import capitalised, closed, shortened, split_sentences
from narrative.inference.rehearsing.verbs import BASE_OF, third_person

_LET = re.compile(r"(?i:let|have|make)\s+(.+)")
_FORBIDS = re.compile(r"(?:please )?(?:don't|do not|never|no|stop|avoid|without)\b", re.IGNORECASE)
_SKIP = re.compile(
    r"\b(?:skip|jump|cut|fast.?forward|advance)\b.*?\b(?:to|until|till)\s+(.+)|\b(the next (?:morning|day|night|evening))\b"
    r"|^((?:an?|some|two|three|a few|several) (?:hours?|days?|weeks?|months?|minutes) later)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:morning|night|evening|dawn|dusk|noon|midnight|day|hours?|later|week|month|winter|spring|summer|autumn|dark|"
    r"sunrise|sunset|tomorrow|afternoon|minutes)\b",
    re.IGNORECASE,
)
_FIND = re.compile(r"(?i:let|have|make) (?:me|us) (?i:find|discover|notice|see|spot|come upon)\s+(.+)")
_BRING = re.compile(r"(?i:please )?(?i:introduce|bring in|add|send in)\s+(.+)")
_SHOULD = re.compile(r"(.+?)\s+(?:should|must)\s+(.+)")
_MANNER = re.compile(
    r"\b(?:tone|style|darker|lighter|funnier|shorter|longer|slower|faster|detail|describe|descriptions?|tense|prose|"
    r"paragraphs?|sentences?|write|writing|voice|pace|poetic|rhyme)\b",
    re.IGNORECASE,
)
_LONGEST = 200
_MORE_VERBS = re.compile(r"\band (\w+)\b")
_WEATHER = re.compile(r"\b(rain|snow|fog|mist|hail|sleet|a storm|thunder|wind|frost)\b", re.IGNORECASE)
_ORDERS = re.compile(
    r"^(?:please |now |then )*(?:describe|make|let|have|give|add|skip|slow|speed|tell|write|focus|show|use|keep|end|start|"
    r"introduce|change|jump|be|do|don't|avoid|continue|include|switch|move|bring|increase|reveal|explain)\b",
    re.IGNORECASE,
)
BEYOND = "(The rehearsal narrator cannot follow this direction: it understands few of them. A real narrator would.)"


def tell_direction(teller: Teller, words: str) -> list[str]:
    """What a direction asks to happen, as having happened; nothing where that is beyond this narrator."""
    return [line for sentence in split_sentences(words)[:3] if (line := _follow(teller, sentence.strip()))]


def arrivals(words: str) -> list[str]:
    """The same, whatever has been told: the people in it are those in any telling of it."""
    teller = Teller(told=(), fingerprint=words, seed=0, avoided=frozenset())
    return tell_direction(teller, words)


def tell_beyond(teller: Teller, words: str) -> str:
    """That a direction is beyond this narrator, plainly, and not twice in the same words."""
    if not teller.was_told(BEYOND):
        return BEYOND
    banks = load_phrases("directions")
    return teller.say(banks["manner" if _MANNER.search(words) else "unable"]) or BEYOND


def _follow(teller: Teller, sentence: str) -> str:
    banks = load_phrases("directions")
    if _FORBIDS.match(sentence):
        return ""
    if (match := _SKIP.search(sentence)) and _TIME.search(match[0]):
        return teller.say(banks["time"], time=turn_person(next(filter(None, match.groups())).strip(" .!")))
    if match := _FIND.match(sentence):
        return teller.say(banks["find"], what=turn_person(match[1].strip(" .!")))
    if (match := _BRING.match(sentence)) and (who := _someone(match[1])):
        return teller.say(banks["arrive"], who=who)
    if (match := _SHOULD.match(sentence)) and (told := _let_happen(f"{match[1]} {match[2]}")):
        return told
    if (match := _LET.match(sentence)) and (told := _let_happen(match[1])):
        return told
    if _ORDERS.match(sentence) or len(sentence.split()) < 3:
        weather = _WEATHER.search(sentence)
        return teller.say(load_phrases("scene")["weather"], what=weather[1].lower()) if weather else ""
    return capitalised(closed(shortened(turn_person(sentence), _LONGEST)))


def _someone(words: str) -> str:
    """ "the harbourmaster", "a boy in a torn suit", "a stranger" for "stranger"; empty for what is nobody."""
    noun = read_noun(words)
    if noun is None or not noun.is_person:
        return ""
    words = re.split(r"\s+(?:who|that|which|called|named|to|into)\b", words.strip(" .!"))[0]
    known = words.split()[0].lower() in DETERMINERS or noun.is_proper
    return shortened(turn_person(words if known else with_article(words)), _LONGEST)


def _let_happen(words: str) -> str:
    """ "the bell ring twice" as "The bell rings twice."; empty where no deed is found in it."""
    parts = words.split()
    if parts and parts[0].lower() in ("me", "us", "i"):
        return ""
    if parts and parts[0].lower() in DETERMINERS:
        # Behind somebody there is a verb, known here or not: "the oldest rider dismount".
        somebody = next((place for place, word in enumerate(parts[:4]) if word.lower() in PEOPLE), None)
        if somebody is not None and parts[somebody + 1 : somebody + 2] and parts[somebody + 1].isalpha():
            return _told(parts, somebody + 1)
    for place, word in enumerate(parts[1:5], start=1):
        if BASE_OF.get(word.rstrip(".,!").lower()) == word.rstrip(".,!").lower():
            return _told(parts, place)
    return ""


def _told(parts: list[str], place: int) -> str:
    """Words with a bare verb at a place as a sentence: "the bell ring" as "The bell rings."."""
    several = parts[place - 1].endswith("s") and parts[0][:1].islower()
    rest = " ".join(parts[place:])
    return capitalised(closed(turn_person(f"{' '.join(parts[:place])} {rest if several else _third(rest)}")))


def _third(rest: str) -> str:
    """Verbs as somebody else does them: "laugh and leave" as "laughs and leaves"."""
    first, _, tail = rest.partition(" ")
    tail = _MORE_VERBS.sub(
        lambda match: f"and {third_person(match[1])}" if BASE_OF.get(match[1]) == match[1] else match[0], tail
    )
    mark = first[len(first.rstrip(".,!")) :]
    return f"{third_person(first.rstrip('.,!').lower())}{mark} {tail}".strip()
