"""Following a direction as far as its words can be followed, and saying so where they cannot. Pure."""

import re

from narrative.inference.rehearsing.grammar import Teller, load_phrases
from narrative.inference.rehearsing.person import turn_person
from narrative.inference.rehearsing.text import capitalised, closed, shortened, split_sentences
from narrative.inference.rehearsing.verbs import BASE_OF, third_person

_LET = re.compile(r"(?i:let|have|make)\s+(.+)")
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


def _follow(teller: Teller, sentence: str) -> str:
    if (match := _LET.match(sentence)) and (told := _let_happen(match[1])):
        return told
    if _ORDERS.match(sentence) or len(sentence.split()) < 3:
        weather = _WEATHER.search(sentence)
        return teller.say(load_phrases("scene")["weather"], what=weather[1].lower()) if weather else ""
    return capitalised(closed(shortened(turn_person(sentence), _LONGEST)))


def _let_happen(words: str) -> str:
    """ "the bell ring twice" as "The bell rings twice."; empty where no deed is found in it."""
    parts = words.split()
    for place, word in enumerate(parts[1:5], start=1):
        if BASE_OF.get(word.rstrip(".,!").lower()) == word.rstrip(".,!").lower():
            who, several = parts[:place], parts[place - 1].endswith("s") and parts[0][:1].islower()
            rest = " ".join([word, *parts[place + 1 :]])
            return capitalised(closed(f"{' '.join(who)} {rest if several else _third(rest)}"))
    return ""


def _third(rest: str) -> str:
    """Verbs as somebody else does them: "laugh and leave" as "laughs and leaves"."""
    first, _, tail = rest.partition(" ")
    tail = _MORE_VERBS.sub(
        lambda match: f"and {third_person(match[1])}" if BASE_OF.get(match[1]) == match[1] else match[0], tail
    )
    mark = first[len(first.rstrip(".,!")) :]
    return f"{third_person(first.rstrip('.,!').lower())}{mark} {tail}".strip()
