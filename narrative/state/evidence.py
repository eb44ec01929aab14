"""Whether a proposal of the model's stands on the story: small models invent, and this catches it. Pure.

An event is supported when what it names occurs in what was just told, in what the player wrote, or in the
turn before, or is present in the scene. Supplied passages are no evidence: a file never becomes state by
itself.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from narrative.state.document import Document
from narrative.state.events import (
    AddFact,
    AddRelationship,
    CreateEntity,
    EndRelationship,
    Event,
    InvalidateFact,
    OpenStoryThread,
    SetFactStatus,
    SetThreadStatus,
)
from narrative.state.fields import named_by
from narrative.state.keys import folded_name, folded_text

_WORD = re.compile(r"[^\W_]+")
_LIVING = frozenset({"character", "creature"})
_SHORTEST = 4
# So many letters of a word count: "rope" is in "ropes", "resolve" in "resolved".
_STEM = 5
# Before a single word of a name, of which the stem will do. No text that was cleaned holds it.
_STEMMED = "\0"
# Scripts that set no space between words, or hang their particles on a name.
_UNSPACED = (
    ("\u0e00", "\u0eff"),
    ("\u1000", "\u109f"),
    ("\u1780", "\u17ff"),
    ("\u3040", "\u9fff"),
    ("\uac00", "\ud7af"),
    ("\uf900", "\ufaff"),
    ("\U00020000", "\U0003ffff"),
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """``texts`` are the new narration, the player's input and the turn before; ``passages`` what was supplied
    beside them. ``protagonist`` is their key: the story calls them by other words."""

    texts: tuple[str, ...]
    passages: tuple[str, ...] = ()
    protagonist: str | None = None

    def find_missing(self, document: Document, event: Event) -> tuple[str, ...]:
        """What the event names and the story does not; nothing where it is supported."""
        told = _fold("\n".join(self.texts))
        return tuple(
            names[0].removeprefix(_STEMMED)
            for names in _named(document, event, self.protagonist)
            if not _any_occurs(names, told)
        )

    def is_only_in_passages(self, document: Document, event: Event) -> bool:
        """Of an event that is not supported: whether a supplied passage has what it names."""
        if not self.passages:
            return False
        read = _fold("\n".join((*self.texts, *self.passages)))
        return all(_any_occurs(names, read) for names in _named(document, event, self.protagonist))


def _named(document: Document, event: Event, protagonist: str | None) -> list[tuple[str, ...]]:
    """For each thing that has to occur, the ways in which it may: a whole name, or single words of it."""
    if isinstance(event, CreateEntity):
        return [_ways(event.name, event.aliases or [], event.entity, event.entity_type or "")]
    here = {protagonist, document.scene.location, *document.scene.present}
    found: list[tuple[str, ...]] = []
    names_any = False
    for _, role, key in named_by(event):
        entity = document.entities.get(key) if role.to in ("entity", "either") else None
        if entity is None:
            continue
        names_any = True
        if key not in here:
            found.append(_ways(entity.name, entity.aliases, key, entity.type))
    words = _own_words(document, event)
    if words and not names_any:
        found.append(words)
    elif isinstance(event, AddRelationship | EndRelationship) and not found:
        return []
    return found


def _own_words(document: Document, event: Event) -> tuple[str, ...]:
    """What an event that names nobody says, in single words: one of them has to occur."""
    match event:
        case AddFact():
            said = f"{event.value if event.value is not None else ''} {event.predicate}"
        case InvalidateFact(fact_id=fact_id) | SetFactStatus(fact_id=fact_id):
            fact = document.fact(fact_id)
            said = (
                f"{fact.value or ''} {fact.predicate} {fact.subject or ''} {fact.object or ''}"
                if fact
                else ""
            )
        case OpenStoryThread():
            said = f"{event.title} {event.description or ''}"
        case SetThreadStatus(thread=key):
            thread = document.threads.get(key)
            said = f"{thread.title if thread else ''} {event.resolution or ''}"
        case _:
            return ()
    words = _WORD.findall(_fold(said))
    long = [word for word in words if len(word) >= _SHORTEST or word.isdigit()]
    return tuple(f"{_STEMMED}{word}" for word in long or words)


def _ways(name: str, aliases: list[str], key: str, kind: str) -> tuple[str, ...]:
    ways = [folded_name(each) for each in (name, *aliases)] + [key.replace("-", " ").replace("_", " ")]
    words = _WORD.findall(folded_name(name))
    # Spoken of in part: "the key" is the silver key, "Mara" is Mara Voss.
    ways += [f"{_STEMMED}{word}" for word in words[-1:]]
    if kind.lower() in _LIVING:
        ways += [f"{_STEMMED}{word}" for word in words[:1]]
    return tuple(dict.fromkeys(way for way in ways if way))


def _any_occurs(ways: tuple[str, ...], told: str) -> bool:
    return any(
        _stem_occurs(way.removeprefix(_STEMMED), told) if way.startswith(_STEMMED) else _occurs(way, told)
        for way in ways
    )


@lru_cache(maxsize=8)
def _fold(text: str) -> str:
    return folded_text(text)


def _occurs(phrase: str, told: str) -> bool:
    at = told.find(phrase)
    while at >= 0:
        if _is_whole(told, at, at + len(phrase)):
            return True
        at = told.find(phrase, at + 1)
    return False


def _is_whole(told: str, start: int, end: int) -> bool:
    """Whether no word goes on at either side, but for the s of many; in scripts without spaces every place
    will do."""
    before, after = told[start - 1 : start], told[end : end + 2].removeprefix("s")[:1]
    first, last = told[start], told[end - 1]
    return not (_joins(before) and _joins(first)) and not (_joins(after) and _joins(last))


def _joins(character: str) -> bool:
    return character.isalnum() and not any(first <= character <= last for first, last in _UNSPACED)


def _stem_occurs(word: str, told: str) -> bool:
    if len(word) <= _SHORTEST or not word.isascii():
        return _occurs(word, told)
    return re.search(rf"\b{re.escape(word[: max(_STEM, len(word) - 3)])}", told) is not None
