"""What is answered when the player says something, and by whom. Pure."""

import re

from narrative.inference.rehearsing.grammar import Teller, load_phrases
from narrative.inference.rehearsing.nouns import Noun
from narrative.inference.rehearsing.text import capitalised, is_question, lowered, shortened, split_sentences
from narrative.inference.rehearsing.world import World

_LONGEST_QUOTE = 60
_LONGEST_TOPIC = 48
# In this order: what is said is what its first sign says.
_SIGNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("greeting", r"^(?:hello|hi|hey|hallo|good (?:morning|evening|day|afternoon)|greetings|well met)\b"),
        ("farewell", r"^(?:goodbye|bye|farewell|good night|see you|until later)\b"),
        ("thanks", r"\b(?:thank you|thanks|grateful)\b"),
        ("sorry", r"^(?:sorry|i'm sorry|forgive me|i apologi[sz]e|my apologies)\b"),
        (
            "threat",
            r"\bor (?:i'll|i will|else)\b|\b(?:i'll|i will) (?:kill|hurt|shoot|cut|break)\b|\byou'll regret\b",
        ),
        (
            "whether",
            r"^(?:is|are|was|were|do|does|did|can|could|will|would|have|has|had|should|may|must)\b.*\?",
        ),
        ("where", r"\bwhere\b.*\?"),
        ("who", r"\b(?:who|whose|your name)\b.*\?"),
        ("why", r"\bwhy\b.*\?|\bhow come\b"),
        ("when", r"\b(?:when|how long|how soon)\b.*\?"),
        ("how", r"\bhow\b.*\?"),
        ("what", r"\b(?:what|which)\b.*\?"),
        ("whether", r"\?$"),
        ("yes", r"^(?:yes|yeah|sure|ok|okay|of course|agreed|very well|fine)\b"),
        ("no", r"^(?:no|nope|never|not)\b"),
        (
            "order",
            r"^(?:please )?(?:come|go|give|tell|show|help|wait|stop|take|open|follow|hold|bring|keep|look|let|stay|run|get|put|"
            r"leave|listen|hurry|be)\b",
        ),
    )
)
_ABOUT = re.compile(
    r"\b(?:about|of|concerning)\s+((?:the|a|an|my|your|his|her|their|this|that)\s+[\w' -]{3,40}|[A-Z][\w']+)"
)


def tell_reply(
    teller: Teller, words: str, world: World, addressed: Noun | None, *, name: str, facts: tuple[str, ...]
) -> str:
    """The answer of somebody who is there; what becomes of the words where nobody is."""
    people = load_phrases("people")
    if addressed is None:
        absent = next((noun for noun in world.absent if noun.text.split()[0] in words), None)
        if absent is not None and (told := teller.say(people["absent"], who=absent.the)):
            return told
        return teller.say(people["nobody"])
    line = _line(teller, words, name=name, facts=facts)
    return teller.say(people["beats"], line=line, who=addressed.the) if line else _beat(teller, addressed)


def tell_spoken(teller: Teller, words: str) -> str:
    """That the player said it, in as few words as it takes."""
    first = (split_sentences(words) or [words])[0].strip('“”"')
    return teller.say(load_phrases("people")["spoken"], short=shortened(first, _LONGEST_QUOTE))


def addressee(world: World, words: str) -> Noun | None:
    """Whom the words are for: somebody named in them who is here, else whoever is nearest."""
    for person in world.people:
        if re.search(rf"\b{re.escape(person.text.split(' ')[0])}\b", words, re.IGNORECASE):
            return person
    named = any(re.search(rf"\b{re.escape(noun.text.split(' ')[0])}\b", words) for noun in world.absent)
    return None if named else next(iter(world.people), None)


def kind_of_speech(words: str) -> str:
    """What sort of thing was said, by its last sentence where that is a question, else by its first."""
    sentences = split_sentences(words) or [words]
    told = next((sentence for sentence in reversed(sentences) if is_question(sentence)), sentences[0])
    return next((name for name, sign in _SIGNS if sign.search(told)), "statement")


def _line(teller: Teller, words: str, *, name: str, facts: tuple[str, ...]) -> str:
    people = load_phrases("people")
    kind = kind_of_speech(words)
    slots = {"name": name} if name else {}
    if is_question(words):
        if facts and teller.chance("fact", 3):
            fact = next((fact for fact in facts if not teller.was_told(fact) and _touches(fact, words)), "")
            if fact and (line := teller.say(people["fact"], fact=lowered(fact))):
                return line
        if (match := _ABOUT.search(words)) and len(match[1]) <= _LONGEST_TOPIC:
            topic = match[1].strip()
            if line := teller.say(people["about"], topic=topic, Topic=capitalised(topic)):
                return line
    return teller.say_first(people.get(kind, ()), people["statement"], plural=False, **slots)


def _touches(fact: str, words: str) -> bool:
    return bool(_telling(fact) & _telling(words))


def _telling(text: str) -> set[str]:
    return {word.rstrip("s") for word in re.findall(r"[a-z]{4,}", text.lower())}


def _beat(teller: Teller, person: Noun) -> str:
    return teller.say(load_phrases("people")["presence"], who=person.the)
