"""What the player asks of the story itself: where they are, what they have, who is there, what is known. Pure.

Only what was told is answered. The rest is said not to be known.
"""

import re
from collections.abc import Sequence

from narrative.inference.rehearsing.grammar import Teller, load_phrases
from narrative.inference.rehearsing.nouns import Noun, with_article
from narrative.inference.rehearsing.text import lowered
from narrative.inference.rehearsing.world import World

_MOST = 4
_LOOK = re.compile(r"(?:i )?look(?: around| about| round)?(?: me)?[.!]?", re.IGNORECASE)
_HELD = re.compile(
    r"\b(?:inventory|what (?:do|have) i (?:have|got|carry|hold)|what am i (?:carrying|holding|wearing)|what's in my)\b|^i[.!]?$",
    re.IGNORECASE,
)
_WHERE = re.compile(
    r"\bwhere (?:am i|are we|is this)\b|\bwhat (?:is this place|place is this)\b", re.IGNORECASE
)
_HERE = re.compile(
    r"\bwho(?: is|'s| else)\b.*\bhere\b|\bis (?:any(?:body|one)|some(?:body|one)) (?:here|there)\b",
    re.IGNORECASE,
)
_ABOUT_SELF = re.compile(r"\b(?:do|can|am|did|have|could|should) (?:i|we)\b", re.IGNORECASE)
_COMMON = frozenset(
    [
        "what",
        "where",
        "when",
        "which",
        "know",
        "does",
        "have",
        "about",
        "there",
        "could",
        "would",
        "should",
        "this",
        "that",
        "with",
        "from",
    ]
)


def tell_answer(teller: Teller, words: str, world: World, facts: Sequence[str]) -> str:
    """The answer to a question that the story itself answers; empty where it is for somebody in it."""
    if _LOOK.fullmatch(words):
        return _look(teller, world)
    if _HELD.search(words):
        return _listed(teller, "ask.held", world.carried)
    if _WHERE.search(words):
        return (
            teller.say(_bank("ask.where"), inplace=world.place.at)
            if world.place
            else teller.say(_bank("ask.unknown"))
        )
    if _HERE.search(words):
        return _listed(teller, "ask.here", world.people)
    if world.people and not _ABOUT_SELF.search(words):
        return ""
    fact = next((fact for fact in facts if not teller.times_told(fact[1:]) and _touches(fact, words)), "")
    return (teller.say(_bank("fact"), fact=lowered(fact)) if fact else "") or teller.say(_bank("ask.unknown"))


def asks_plainly(words: str) -> bool:
    """Whether words that are no question in form are one: "inventory", "look"."""
    return bool(
        _LOOK.fullmatch(words)
        or re.fullmatch(r"(?:check )?(?:my )?inventory[.!]?|i[.!]?", words, re.IGNORECASE)
    )


def _look(teller: Teller, world: World) -> str:
    away = [*world.carried, *world.people]
    things = [
        thing for thing in world.things if not thing.owner and not any(thing.is_same(noun) for noun in away)
    ]
    seen = _list([*(person.the for person in world.people[:2]), *(thing.the for thing in things[:3])])
    return (
        teller.say(_bank("look.around"), inplace=world.place.at if world.place else "here", seen=seen)
        if seen
        else ""
    )


def _listed(teller: Teller, name: str, nouns: Sequence[Noun]) -> str:
    if not nouns:
        return teller.say(_bank(f"{name}.none"))
    return teller.say(_bank(name), seen=_list([_named(noun, name) for noun in nouns[:_MOST]]))


def _named(noun: Noun, name: str) -> str:
    if noun.is_proper or noun.is_plural or noun.is_person or "'s " in noun.text or name != "ask.held":
        return noun.text if "'s " in noun.text else noun.the
    return with_article(noun.text)


def _list(names: Sequence[str]) -> str:
    """ "the door, the lamp and the key"."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def _touches(fact: str, words: str) -> bool:
    asked = set(re.findall(r"[a-z]{4,}", words.lower())) - _COMMON
    return bool(asked & set(re.findall(r"[a-z]{4,}", fact.lower())))


def _bank(name: str) -> tuple[str, ...]:
    return load_phrases("scene")[name]
