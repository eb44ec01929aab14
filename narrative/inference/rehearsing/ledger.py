"""A proposal in the making: its events in order, few of them, and the keys that it gives to what is new. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from narrative.inference.rehearsing.known import KEY_LENGTH, key_for
from narrative.inference.rehearsing.nouns import Noun
from narrative.inference.rehearsing.supplied import Supplied

MOST_EVENTS = 8

Event = dict[str, str | list[str]]

_FITTING = re.compile(r"[^\W\d_][\w' -]{1,58}")


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that events name: under the key that it has, or the one that it will get with a ``name``."""

    key: str
    text: str = ""
    name: str = ""
    kind: str = ""


@dataclass(slots=True)
class Ledger:
    """``kept`` is the room that is left for what comes last."""

    given: Supplied
    kept: int = 0
    events: list[Event] = field(default_factory=list)
    made: dict[str, str] = field(default_factory=dict)

    def entry(self, noun: Noun, kind: str, *, name: str = "", key: str = "") -> Entry | None:
        """The entry for something; None where it is nothing to set down."""
        if noun.key:
            return Entry(noun.key)
        text = noun.text.lower()
        if text in self.made:
            return Entry(self.made[text])
        wanted = key_for(key or noun.text)
        if not wanted or not _FITTING.fullmatch(noun.text) or self._is_withdrawn(noun):
            return None
        return Entry(fresh(wanted, self._taken()), text, name or _name(noun), kind)

    def add(self, entries: Sequence[Entry], events: Iterable[Event] = ()) -> bool:
        """Set down events, and before them what they name that is new. False where there is no room for it all."""
        new = {entry.key: entry for entry in entries if entry.name and entry.text not in self.made}
        added = [*(_create(entry) for entry in new.values()), *events]
        if len(self.events) + len(added) > MOST_EVENTS - self.kept:
            return False
        self.events += added
        self.made |= {entry.text: entry.key for entry in new.values()}
        return True

    def places(self, key: str) -> bool:
        """Whether it is said already where something is."""
        return any(e["type"] == "set_current_location" and e["entity"] == key for e in self.events)

    def _taken(self) -> set[str]:
        return {known.key for known in self.given.entities} | self.given.withdrawn | set(self.made.values())

    def _is_withdrawn(self, noun: Noun) -> bool:
        return bool({noun.text.lower(), _name(noun).lower(), key_for(noun.text)} & self.given.withdrawn)


def fresh(wanted: str, taken: Iterable[str]) -> str:
    """``wanted``, with a number where something else is called so."""
    key, number = wanted, 2
    while key in set(taken):
        key, number = f"{wanted[: KEY_LENGTH - 4].rstrip('-')}-{number}", number + 1
    return key


def _name(noun: Noun) -> str:
    """A name as it is written in a list: "the iron key", "your sister"."""
    if noun.is_proper:
        return noun.text
    return f"your {noun.text}" if noun.owner == "your" and noun.is_person else f"the {noun.text}"


def _create(entry: Entry) -> Event:
    return {"type": "create_entity", "entity": entry.key, "name": entry.name, "entity_type": entry.kind}
