"""What a narration has changed, as events: few and right rather than many. Pure.

Every value is what holds afterwards; nothing is said that holds already; and whatever an event names is
named in the narration or in the player's own words.
"""

import json
import re
from collections.abc import Sequence

from narrative.inference.base import Message
from narrative.inference.rehearsing.aims import title_of
from narrative.inference.rehearsing.inputs import Mode
from narrative.inference.rehearsing.known import key_for
from narrative.inference.rehearsing.ledger import Entry, Event, Ledger, fresh
from narrative.inference.rehearsing.nouns import Noun
from narrative.inference.rehearsing.outcome import Holding, Outcome, follow
from narrative.inference.rehearsing.situation import Situation, opened, read_situation
from narrative.inference.rehearsing.standing import stand
from narrative.inference.rehearsing.supplied import Known
from narrative.inference.rehearsing.told import is_name

# Too little is known of these to set them down as somebody.
_NOBODY = frozenset("people person voice crowd visitor god hello help lord nobody".split())  # noqa: SIM905


def write_events(messages: Sequence[Message], narration: str) -> str:
    """The proposal that a narration makes, answering the last of the messages; as compact JSON."""
    return json.dumps({"events": propose(messages, narration)}, ensure_ascii=False, separators=(",", ":"))


def propose(messages: Sequence[Message], narration: str) -> list[Event]:
    situation = read_situation(messages)
    if situation.player.mode is Mode.OPENING:
        return []
    is_opening = situation.player.mode is Mode.CONTINUE and not situation.told
    outcome = _opening(situation, narration) if is_opening else follow(situation)
    return _Proposing(situation, outcome, narration).propose()


def _opening(situation: Situation, narration: str) -> Outcome:
    """What a first narration establishes."""
    return Outcome(situation.world, stand(opened(situation.brief, narration), situation.given))


class _Proposing:
    def __init__(self, situation: Situation, outcome: Outcome, narration: str) -> None:
        self._outcome = outcome
        self._given = situation.given
        self._name = situation.brief.protagonist
        self._is_protagonist = situation.brief.is_protagonist
        self._told = _folded(f"{narration}\n{situation.player.words}")
        self._book = Ledger(situation.given)
        # The key of the place where the turn ends, where that is known.
        self._here = ""

    def propose(self) -> list[Event]:
        outcome, book = self._outcome, self._book
        thread = int(bool(outcome.aim))
        book.kept = 1 + thread
        self._move()
        for holding in outcome.holdings:
            self._hold(holding)
        met = [key for person in outcome.newcomers if (key := self._meet(person))]
        self._place_companions()
        book.kept = thread
        self._set_scene(met)
        book.kept = 0
        self._open_thread()
        return book.events

    def _move(self) -> None:
        here, stated = self._outcome.here, self._given.place
        if here is None:
            return
        if stated is not None and stated.key == here.key:
            self._here = here.key
            return
        place, mine = self._book.entry(here, "location"), self._protagonist()
        if place is None or not self._is_named(here):
            return
        is_there = self._given.protagonist is not None and self._given.protagonist.at == place.key
        if self._book.add([mine, place], [] if is_there else [_at(mine.key, place.key)]):
            self._here = place.key

    def _hold(self, holding: Holding) -> None:
        thing = self._book.entry(holding.thing, "item")
        if thing is None or not self._is_named(holding.thing):
            return
        known = self._given.find(thing.key)
        if holding.is_mine:
            mine = self._protagonist()
            self._book.add([mine, thing], [_held(thing.key, mine.key)])
        elif holding.owner is not None:
            to = self._somebody(holding.owner)
            if to is not None and to.key != thing.key and not (known and known.holder == to.key):
                self._book.add([to, thing], [_held(thing.key, to.key)])
        else:
            let_go: list[Event] = (
                [{"type": "clear_possession", "item": thing.key}] if known and known.holder else []
            )
            where = self._place_key(holding.place)
            lies = [_at(thing.key, where)] if where and not (known and known.at == where) else []
            if let_go or lies:
                self._book.add([thing], [*let_go, *lies])

    def _place_key(self, place: Noun | None) -> str:
        """The key of a place that the state has or gets."""
        if place is None:
            return ""
        return self._here if place == self._outcome.here else place.key

    def _meet(self, person: Noun) -> str:
        """The key of somebody who is there, where that can be set down."""
        somebody = self._somebody(person)
        if somebody is None:
            return ""
        known = self._given.find(somebody.key)
        is_placed = not self._here or (known and known.at == self._here)
        placed = [] if is_placed else [_at(somebody.key, self._here)]
        return somebody.key if self._book.add([somebody], placed) else ""

    def _place_companions(self) -> None:
        """Those who came along are where the protagonist is."""
        for known in self._staying() if self._here else ():
            if known.at != self._here and not self._book.places(known.key) and self._outcome.is_new_place:
                self._book.add([], [_at(known.key, self._here)])

    def _set_scene(self, met: list[str]) -> None:
        given = self._given
        stated = given.place.key if given.place else ""
        if self._outcome.is_new_place and self._outcome.here is not None and not self._here:
            return  # where that is could not be said, so nothing is said of who is there
        was = {known.key for known in given.people}
        present = list(dict.fromkeys([*(known.key for known in self._staying()), *met]))
        is_elsewhere = bool(self._here) and self._here != stated
        if not is_elsewhere and set(present) == was:
            return
        mine = self._protagonist()
        scene: Event = {"type": "set_scene", "present": [mine.key, *present]}
        if is_elsewhere:
            scene["location"] = self._here
        self._book.add([mine], [scene])

    def _staying(self) -> list[Known]:
        """Those of the scene who are still there."""
        here = {person.key for person in self._outcome.after.people}
        return [known for known in self._given.people if known.key in here]

    def _open_thread(self) -> None:
        title = title_of(self._outcome.aim)
        if key := key_for(title):
            thread = fresh(key, {known.key for known in self._given.threads})
            self._book.add([], [{"type": "open_story_thread", "thread": thread, "title": title}])

    def _protagonist(self) -> Entry:
        known = self._given.protagonist
        if known is not None:
            return Entry(known.key)
        played = Noun(self._name, is_proper=True, kind="person")
        named = self._book.entry(played, "character") if self._name else None
        unnamed = Entry(
            fresh("protagonist", {each.key for each in self._given.entities}), "you", "You", "character"
        )
        return named or unnamed

    def _somebody(self, person: Noun) -> Entry | None:
        if not self._is_named(person) or person.text.lower() in _NOBODY or self._is_protagonist(person):
            return None
        if person.is_proper and not person.key and not is_name(person.text):
            return None
        return self._book.entry(person, "character")

    def _is_named(self, noun: Noun) -> bool:
        """Whether the narration or the player speaks of something: by its name, or by a part of that which
        the state has."""
        words = noun.text.split(" ")
        parts = [noun.head, *(words if noun.is_proper else [])] if noun.key else []
        return any(re.search(rf"\b{re.escape(_folded(way))}\b", self._told) for way in (noun.text, *parts))


def _at(key: str, place: str) -> Event:
    return {"type": "set_current_location", "entity": key, "location": place}


def _held(item: str, owner: str) -> Event:
    return {"type": "set_possession", "item": item, "owner": owner}


def _folded(text: str) -> str:
    return " ".join(text.replace("’", "'").casefold().split())
