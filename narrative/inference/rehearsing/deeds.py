"""What a player's words do: each sentence taken apart into deeds. English; pure.

Nothing is understood here beyond a verb, what it is done to, and where to. What cannot be taken apart is a
claim, and is told as it was written.
"""

import re
from dataclasses import dataclass, replace

from narrative.inference.rehearsing.aims import read_aim
from narrative.inference.rehearsing.idioms import is_only_said, is_way
from narrative.inference.rehearsing.nouns import Noun, read_noun
from narrative.inference.rehearsing.person import QUOTED, turn_person
from narrative.inference.rehearsing.text import capitalised, closed, is_question, split_sentences
from narrative.inference.rehearsing.verbs import BASE_OF, KIND_OF

MOST_DEEDS = 60

_LEADS = re.compile(
    r"^(?:(?:and|then|so|but|now|next|finally|first|okay|ok|well|after that|meanwhile|please|also|suddenly|still|"
    r"instead|afterwards|later|again|\w+ly)\b,?\s+)+",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"^(?:i|we|you)(?:'m|'ll|'d| am| will| would| can| shall| just| also)*\s+"
    r"(?:(?:going to|gonna|about to|would like to|want to|wish to|like to|intend to|trying to|try to|attempt to|begin to|"
    r"start to|decide to|need to|have to|have a|continue to|let myself)\s+)?",
    re.IGNORECASE,
)
# "I'm tired" is no deed; "I'm climbing" is one, and "I'm going to climb" has more than this before its verb.
_BEING = re.compile(r"(?:'m| am)(?: just| also)*\s+$", re.IGNORECASE)
_BARE_SUBJECT = re.compile(
    r"^(?:let's|let me|let us|try to|i'm going to|going to|want to|attempt to)\s+", re.IGNORECASE
)
_FOLLOWERS = (
    r"(?:the|a|an|my|your|his|her|its|their|this|that|some|to|into|in|on|at|up|down|out|off|for|from|towards?|through|"
    r"him|it|them|me|and|around|back|over|under|behind|with|if|whether|about|away|inside|outside|what|«)"
)
_FORMS = "|".join(sorted(BASE_OF, key=len, reverse=True))
_SPLIT = re.compile(
    r"\s*(?:;|,?\s+(?:and then|then|and|but|before|while|so)\b|,)\s+"
    rf"(?=(?:i|we)\s+\w|(?:\w+ly\s+)?(?:{_FORMS})(?:\s+{_FOLLOWERS}|\s*$))",
    re.IGNORECASE,
)
_PARTICLES = frozenset(
    [
        "up",
        "down",
        "out",
        "off",
        "open",
        "over",
        "away",
        "on",
        "back",
        "around",
        "in",
        "together",
        "forward",
        "through",
        "across",
        "along",
    ]
)
_GOAL = re.compile(
    r"\b(?:(?:(?:down|up|over|out|back|across|along)\s+)?(?P<prep>to|into|onto|towards?|through|inside|in|at|from|under|behind|beside|on|with|against|across|along|"
    r"over|past|around|beneath|for|about|down|up|aboard|near|by)\s+)(?P<rest>.+)",
    re.IGNORECASE,
)
# Of several, the one that a way ends at: "along the wall to the office".
_LEADING_TO = re.compile(
    r"\b(?P<prep>to|into|onto|aboard)\s+(?P<rest>(?!the (?:left|right)\b).+)", re.IGNORECASE
)
HEADINGS = (
    "north-east north-west south-east south-west north south east west upstairs downstairs upward downward inside "
    "outside up down back home out in forward ahead left right away on"
)
_HEADING = re.compile(
    rf"\b({'|'.join(HEADINGS.split())})\b(?!\s+(?:the|a|an|my|his|her|to)\b)", re.IGNORECASE
)
_SHORT_HEADINGS = {"n": "north", "s": "south", "e": "east", "w": "west", "u": "up", "d": "down"}
_LONE_HEADING = re.compile(rf"(?:{'|'.join(HEADINGS.split())}|[nsewud])[.!]?", re.IGNORECASE)
_PRONOUNS = re.compile(
    r"^(?:him|her|them|it|that|this)\b"
    r"(?!\s+(?!(?:away|down|aside|back|over|off|out|from|with|into|onto|again|and|then|under|behind)\b)[a-z]{3,})",
    re.IGNORECASE,
)
# "give him the key", "hand the boy a coin"
_DATIVE = re.compile(
    r"(?P<who>him|her|them|(?:(?:the|a|an|my) )?[\w'-]+(?: (?!to\b)[\w'-]+)??) (?P<what>(?:the|a|an|my|some|this|that|our|two|three|four|five|six|ten) .+)",
    re.IGNORECASE,
)
_LIST = re.compile(r",? and |, ")
_MOST_LISTED = 4
_SAYING = frozenset("say shout whisper yell mutter murmur reply announce".split())  # noqa: SIM905
_TOPIC = re.compile(
    r"\b(?:about|of|for|concerning|whether|if|why|where|what|how|when|who)\s+.+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Deed:
    """``clause`` is the deed in the second person without its subject: "push open the bronze door". A claim's
    clause is a whole sentence. ``pronoun`` stands in for a thing: "it"."""

    kind: str
    clause: str
    thing: Noun | None = None
    goal: Noun | None = None
    preposition: str = ""
    heading: str = ""
    pronoun: str = ""
    speech: str = ""
    topic: str = ""
    # What is taken with the thing: "the rope and the oar".
    others: tuple[Noun, ...] = ()

    @property
    def is_claim(self) -> bool:
        return self.kind in ("claim", "question")

    @property
    def person(self) -> Noun | None:
        """Somebody whom it concerns."""
        return next((noun for noun in (self.thing, self.goal) if noun is not None and noun.is_person), None)


def read_deeds(words: str) -> tuple[Deed, ...]:
    deeds: list[Deed] = []
    for sentence in split_sentences(words):
        if is_question(sentence) and not _SUBJECT.match(sentence):
            deeds.append(Deed("question", closed(sentence)))
            continue
        deeds += _deeds_of(sentence)
        if len(deeds) >= MOST_DEEDS:
            break
    return tuple(deeds[:MOST_DEEDS])


def _deeds_of(sentence: str) -> list[Deed]:
    speeches = QUOTED.findall(sentence)
    masked = QUOTED.sub("«»", sentence)
    parts = [part.strip() for part in _SPLIT.split(masked.rstrip(" .!…")) if part.strip()]
    read = [_read_clause(part) for part in parts]
    if not any(read) or (speeches and read[0] is None):
        return [Deed("claim", closed(turn_person(sentence)), speech=speeches[0] if speeches else "")]
    if read[0] is None and " " in parts[0] and not any(_SUBJECT.match(part) for part in parts):
        return [Deed("claim", closed(turn_person(sentence)))]  # what others do, all of it
    merged: list[Deed] = []
    for part, deed in zip(parts, read, strict=True):
        if deed is not None:
            merged.append(deed)
        elif merged and not merged[-1].is_claim:
            last = merged[-1]
            merged[-1] = replace(last, clause=f"{last.clause}, {turn_person(part)}")
        else:
            merged.append(Deed("claim", closed(capitalised(turn_person(part)))))
    return [_with_speech(deed, speeches) for deed in merged]


def _with_speech(deed: Deed, speeches: list[str]) -> Deed:
    if "«»" not in deed.clause:
        return deed
    speech = speeches.pop(0) if speeches else ""
    clause = deed.clause.replace("«»", speech, 1)
    kind = "talk" if deed.kind in ("other", "show") else deed.kind
    return replace(deed, kind=kind, clause=clause, speech=speech.strip('"“”'))


def _read_clause(clause: str) -> Deed | None:
    if match := _LONE_HEADING.fullmatch(clause):
        heading = match[0].rstrip(".!").lower()
        heading = _SHORT_HEADINGS.get(heading, heading)
        return Deed("move", f"go {heading}", heading=heading)
    text = _LEADS.sub("", clause)
    if aim := read_aim(text):
        return Deed("aim", turn_person(aim))
    has_subject = _SUBJECT.match(text)
    if has_subject:
        text = text[has_subject.end() :]
    elif bare := _BARE_SUBJECT.match(text):
        text = text[bare.end() :]
    words = text.split()
    adverbs: list[str] = []
    while words and (words[0].lower().endswith("ly") or words[0].lower() in ("just", "then", "never")):
        adverbs.append(words.pop(0).lower())
    if not words:
        return None
    form = words[0].lower().rstrip(",")
    verb = BASE_OF.get(form, form if has_subject and form.isalpha() else "")
    if not verb or (not has_subject and form.endswith("ing")):
        return None
    if has_subject and _BEING.search(has_subject[0]) and not (form.endswith("ing") and len(form) > 5):
        return None
    if verb in (
        "am",
        "was",
        "have",
        "had",
        "do",
        "don't",
        "cannot",
        "can't",
        "be",
        "were",
        "did",
        "is",
        "are",
    ):
        return None
    return _read_deed(verb, " ".join(words[1:]), adverbs)


def _read_deed(verb: str, rest: str, adverbs: list[str]) -> Deed:
    kind = KIND_OF.get(verb, "other")
    clause = turn_person(" ".join([*adverbs, verb, rest])).strip()
    words = rest.split()
    particle = words.pop(0).lower() if words and words[0].lower() in _PARTICLES and len(words) > 1 else ""
    tail = " ".join(words)
    pronoun = match[0].lower() if (match := _PRONOUNS.match(tail)) else ""
    match = _GOAL.search(
        rest if particle in ("in", "on", "through", "across", "along", "over", "up", "down") else tail
    )
    thing = None if pronoun else read_noun(tail)
    if thing is None and match is None and particle:
        match = _GOAL.search(rest)
    if kind == "move" and (leading := _LEADING_TO.search(rest)):
        match = leading
    goal = read_noun(match["rest"]) if match else None
    kind = _kind_with_particle(kind, verb, particle, thing, goal)
    if kind == "take" and thing is not None:
        if verb == "take" and is_way(thing):
            kind = "move"
        elif is_only_said(tail, thing):
            kind, thing = "other", None
    preposition = match["prep"].lower() if match else ""
    if kind == "give" and pronoun not in ("it", "this", "that") and (dative := _DATIVE.match(tail)):
        thing, pronoun, goal = read_noun(dative["what"]), "", read_noun(dative["who"])
        preposition = "to"
    if verb in _SAYING and thing is not None and thing.is_proper:
        thing = None
    if verb == "leave" and thing is not None and not thing.is_person and not particle:
        kind, thing, goal, rest = _leaving(thing, goal, match["prep"] if match else "", rest)
    heading = h[1].lower() if kind in ("move", "follow") and (h := _HEADING.search(rest)) else ""
    topic = t[0] if kind == "talk" and (t := _TOPIC.search(rest)) else ""
    if kind == "talk" and thing and (goal is None or not goal.is_person) and not thing.is_person:
        topic = topic or thing.the
    return Deed(
        kind,
        clause,
        thing,
        goal,
        preposition,
        heading,
        pronoun,
        topic=turn_person(topic),
        others=_listed(tail) if kind == "take" and thing is not None else (),
    )


def _leaving(
    thing: Noun, goal: Noun | None, preposition: str, rest: str
) -> tuple[str, Noun | None, Noun | None, str]:
    """Leaving a place is to go out of it, or to another; leaving a thing is to let it lie."""
    if not thing.is_place:
        return "drop", thing, goal, rest
    is_onward = preposition.lower() in ("for", "to") and goal is not None
    return ("move", None, goal, rest) if is_onward else ("move", None, None, "outside")


def _listed(tail: str) -> tuple[Noun, ...]:
    """What a list names behind its first thing, up to where all of it comes from."""
    parts = _LIST.split(_GOAL.split(tail, maxsplit=1)[0])[1:_MOST_LISTED]
    return tuple(noun for part in parts if (noun := read_noun(part, bare=False)) is not None)


def _kind_with_particle(kind: str, verb: str, particle: str, thing: Noun | None, goal: Noun | None) -> str:
    if kind == "take" and particle == "off":
        return "other"
    if verb == "pick" and not particle and thing is not None and thing.head == "lock":
        return "open"
    if kind == "push" and particle == "open":
        return "open"
    if verb == "put" and particle in ("on",) and goal is None:
        return "wear"
    if kind == "put" and particle == "down":
        return "drop"
    if verb in ("stand", "turn", "get") and particle in ("up", "around", "back") and thing is None:
        return "move" if particle == "back" and verb == "turn" else "rest"
    if verb == "head" and thing is None and goal is None:
        return "move"
    if verb == "hand" or (
        verb == "draw" and thing and thing.head in ("sword", "knife", "gun", "blade", "weapon")
    ):
        return "give" if verb == "hand" else "take"
    return kind
