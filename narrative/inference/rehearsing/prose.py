"""A turn's narration, composed from the chat messages and nothing else. English; pure.

system ──▶ brief (who, how, what is true)
history ─▶ world (where, who is there, what is held) and what was told, which is not told again
last ────▶ the player's words as deeds ──▶ what comes of them ──▶ what else is there ──▶ two to five sentences
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from narrative.inference.base import Message
from narrative.inference.rehearsing.deed_telling import SEARCHES, slots_of, tell_deed
from narrative.inference.rehearsing.deeds import Deed
from narrative.inference.rehearsing.direction_telling import tell_beyond, tell_direction
from narrative.inference.rehearsing.genres import genre_of, palette
from narrative.inference.rehearsing.grammar import Bank, Teller, load_phrases
from narrative.inference.rehearsing.inputs import Mode
from narrative.inference.rehearsing.nouns import Noun
from narrative.inference.rehearsing.opening_telling import tell_opening
from narrative.inference.rehearsing.outcome import follow
from narrative.inference.rehearsing.question_telling import asks_plainly, tell_answer
from narrative.inference.rehearsing.situation import (
    Situation,
    arriving,
    named_deed,
    read_situation,
    read_turn_deeds,
)
from narrative.inference.rehearsing.speech_telling import addressee, tell_reply, tell_spoken
from narrative.inference.rehearsing.steps import arrive, happen, is_changed, step
from narrative.inference.rehearsing.text import is_english, lowered, shortened, split_sentences
from narrative.inference.rehearsing.verbs import BASE_OF
from narrative.inference.rehearsing.world import World

MOST_SENTENCES = 5
FEWEST_SENTENCES = 2
# Deeds of one turn that are told one by one.
TOLD_DEEDS = 3
_LONGEST_TITLE = 100
# For so many turns an open thread is not spoken of again.
_THREAD_RESTS = 6


@dataclass(slots=True)
class _Turn:
    """What is being composed, and what it is composed from."""

    situation: Situation
    world: World
    teller: Teller
    stock: dict[str, Bank]
    facts: tuple[str, ...]
    parts: list[str]

    @property
    def text(self) -> str:
        return " ".join(self.parts)

    @property
    def sentences(self) -> int:
        return sum(len(split_sentences(part)) for part in self.parts)

    @property
    def has_room(self) -> bool:
        return self.sentences < MOST_SENTENCES - 1

    def add(self, text: str) -> bool:
        if text:
            self.parts.append(text)
        return bool(text)


def compose(messages: Sequence[Message], seed: int | None) -> str:
    """The narration that answers the last message: the same for the same messages and seed."""
    situation = read_situation(messages)
    if situation.player.mode is Mode.OPENING:
        return tell_opening(situation.brief, seed or 0)
    turn = _begin(situation, seed or 0)
    _TELL[situation.player.mode](turn)
    _name_changes(turn)
    _fill(turn)
    if _is_spoken(turn):
        return "\n\n".join([turn.parts[0], " ".join(turn.parts[1:])])
    return " ".join(turn.parts)


def _begin(situation: Situation, seed: int) -> _Turn:
    brief, player = situation.brief, situation.player
    fingerprint = f"{situation.turns}\0{player.mode.value}\0{player.words}"
    teller = Teller(told=situation.told, fingerprint=fingerprint, seed=seed, avoided=brief.ruled_out)
    stock = dict(palette(genre_of(brief.manner, " ".join(situation.told[:2]))))
    return _Turn(situation, situation.world, teller, stock, situation.facts, [])


def _is_spoken(turn: _Turn) -> bool:
    return len(turn.parts) > 2 and "“" in turn.parts[0]


def _tell_action(turn: _Turn) -> None:
    player = turn.situation.player
    if not re.search(r"\w", player.words) or (
        len(player.words) == 1 and player.words not in "nsewudNSEWUDiI"
    ):
        turn.add(turn.teller.say(_deeds("wordless" if player.words else "wordless.none")))
        return
    if not is_english(player.words):
        turn.add(turn.teller.say(_deeds("foreign"), quoted=f"“{shortened(player.words.strip('.'), 60)}”"))
        return
    if asks_plainly(player.words) and turn.add(
        tell_answer(turn.teller, player.words, turn.world, turn.facts)
    ):
        return
    deeds = read_turn_deeds(turn.situation)
    if not deeds:
        turn.add(_question(turn, player.words))
        return
    for index, deed in enumerate(deeds[:TOLD_DEEDS]):
        _tell_one(turn, deed, is_first=index == 0)
    if len(deeds) > TOLD_DEEDS:
        turn.add(turn.teller.say(_deeds("long")))
        turn.world = happen(turn.world, deeds[TOLD_DEEDS:])


def _tell_one(turn: _Turn, deed: Deed, *, is_first: bool) -> None:
    deed = named_deed(deed, turn.world)
    before, turn.world = turn.world, step(turn.world, deed)
    if deed.kind == "talk":
        _tell_talk(turn, deed)
        return
    if not is_first and not turn.has_room:
        if is_changed(before, turn.world):
            turn.add(turn.teller.say(_deeds("bare"), clause=deed.clause) or f"You {deed.clause}.")
        return
    meanwhile = turn.teller.phrase(turn.stock["events"])
    if turn.teller.times_told(meanwhile):
        meanwhile = ""
    turn.add(tell_deed(turn.teller, deed, before, turn.world, is_first=is_first, meanwhile=meanwhile))
    if deed.kind in SEARCHES and turn.has_room and not slots_of(deed, before, turn.world).words.get("who"):
        _find(turn, deed)


def _find(turn: _Turn, deed: Deed) -> None:
    if not turn.teller.chance(f"find {deed.clause}", 2):
        return
    fresh = [find for find in turn.stock["finds"] if not turn.teller.times_told(find)]
    if fresh:
        turn.add(turn.teller.say(_deeds("find"), find=turn.teller.choose("find", fresh)))
    elif deed.kind == "search":
        turn.add(turn.teller.say(_deeds("find.nothing")))


def _tell_talk(turn: _Turn, deed: Deed) -> None:
    person = deed.person or addressee(turn.world, deed.clause)
    if person is not None and turn.world.find_person(person) is None:
        person = None
    turn.add(turn.teller.say(_deeds("bare"), clause=deed.clause) or f"You {deed.clause}.")
    if person is None and deed.person is not None and turn.world.knows_absent(deed.person):
        turn.add(turn.teller.say(load_phrases("people")["absent"], who=deed.person.the))
        return
    words = deed.speech or (f"What about {deed.topic}?" if deed.topic else deed.clause)
    turn.add(_reply(turn, words, person))


def _tell_dialogue(turn: _Turn) -> None:
    player = turn.situation.player
    person = addressee(turn.world, player.words)
    if not turn.teller.chance("spoken", 3) or person is None:
        turn.add(tell_spoken(turn.teller, player.words))
    turn.add(_reply(turn, player.words, person))


def _tell_direction(turn: _Turn) -> None:
    words = turn.situation.player.words
    for line in tell_direction(turn.teller, words) or (tell_beyond(turn.teller, words),):
        turn.add(line)
    for person in arriving(turn.situation):
        turn.world = arrive(turn.world, person)


def _tell_continue(turn: _Turn) -> None:
    turn.add(turn.teller.say(_scene("continue")))
    _push(turn)
    turn.add(turn.teller.say(_scene("close")))


def _push(turn: _Turn) -> None:
    """The story goes on by itself: somebody here speaks up, or something named before does something."""
    world, teller = turn.world, turn.teller
    if (
        world.people
        and teller.chance("push", 2)
        and turn.add(teller.say(_scene("push.person"), who=world.people[0].the))
    ):
        return
    if loose := [thing for thing in world.things if not world.holds(thing)]:
        thing = loose[teller.number("thing") % len(loose)]
        words = {"thread": thing.the, "them": "them" if thing.is_plural else "it"}
        if turn.add(teller.say(_scene("push.thing"), plural=thing.is_plural, **words)):
            return
    named = next((noun for noun in world.absent if noun.is_proper), None)
    if named is not None and turn.add(teller.say(_scene("push.name"), name=named.the)):
        return
    if world.place is not None:
        turn.add(teller.say(_scene("push.place"), inplace=world.place.at))


def _reply(turn: _Turn, words: str, person: Noun | None) -> str:
    return tell_reply(
        turn.teller, words, turn.world, person, name=turn.situation.brief.first_name, facts=turn.facts
    )


def _question(turn: _Turn, words: str) -> str:
    if told := tell_answer(turn.teller, words, turn.world, turn.facts):
        return told
    return _reply(turn, words, turn.world.people[0]) if turn.world.people else ""


def _fill(turn: _Turn) -> None:
    """Round the turn off with what else is there: at least two sentences, at most five."""
    ways = (_presence, _senses, _bring_back, _held, _place, _fact, _thread)
    start = turn.teller.number("fill") % len(ways)
    wanted = FEWEST_SENTENCES + 1 + turn.teller.number("length") % 2
    for way in (*ways[start:], *ways[:start]):
        if turn.sentences >= wanted:
            return
        way(turn)


def _name_changes(turn: _Turn) -> None:
    """What is set down of this turn is said in it, by name."""
    outcome, teller = follow(turn.situation), turn.teller
    here, brief, given = outcome.here, turn.situation.brief, turn.situation.given
    if (
        outcome.is_new_place
        and here is not None
        and not _is_said(turn, here)
        and _is_worth_saying(turn, here)
    ):
        turn.add(teller.say(_scene("place"), inplace=here.at))
    for person in outcome.arrived[:2]:
        if not _is_said(turn, person):
            turn.add(teller.say(load_phrases("people")["presence"], who=person.the))
    is_unknown = given.protagonist is None and bool(brief.protagonist)
    is_set_down = outcome.is_told or (outcome.is_new_place and here is not None and _is_said(turn, here))
    is_due = is_unknown and is_set_down and brief.protagonist not in turn.text
    if is_due and not _is_introduced(turn):
        turn.add(teller.say(_scene("named"), name=brief.protagonist))


def _is_said(turn: _Turn, noun: Noun) -> bool:
    return noun.text.lower() in turn.text.lower()


def _is_worth_saying(turn: _Turn, here: Noun) -> bool:
    """A place that the state does not know is named when one comes to it, and else once."""
    is_moved = turn.situation.world.place != turn.world.place
    return is_moved or not any(here.the in text for text in turn.situation.told[1:])


def _is_introduced(turn: _Turn) -> bool:
    """Whether the protagonist has been named since the story began."""
    return any(turn.situation.brief.protagonist in text for text in turn.situation.told[1:])


def _presence(turn: _Turn) -> None:
    people = load_phrases("people")
    if len(turn.world.people) > 1 and turn.teller.chance("company", 3):
        who, other = turn.world.people[:2]
        turn.add(turn.teller.say(people["company"], who=who.the, other=other.the))
    elif turn.world.people and not _is_said(turn, turn.world.people[0]):
        turn.add(turn.teller.say(people["presence"], who=turn.world.people[0].the))


def _senses(turn: _Turn) -> None:
    turn.add(turn.teller.say_first(turn.stock["senses"], load_phrases("neutral")["senses"]))


def _bring_back(turn: _Turn) -> None:
    """Something of before is remembered."""
    world, teller = turn.world, turn.teller
    if world.absent and teller.chance("name", 2):
        absent = world.absent[teller.number("absent") % len(world.absent)]
        banks = (_scene("back.name"),) if absent.is_proper else ()
        turn.add(teller.say_first(*banks, _scene("back.absent"), name=absent.the))
        return
    older = [
        thing
        for thing in world.things[2:10]
        if not (thing.owner or world.holds(thing)) and not any(thing.text in part for part in turn.parts)
    ]
    if older:
        thing = older[teller.number("older") % len(older)]
        words = {"thread": thing.the, "them": "them" if thing.is_plural else "it"}
        words["it"] = "they" if thing.is_plural else "it"
        turn.add(teller.say(_scene("back"), plural=thing.is_plural, **words))


def _held(turn: _Turn) -> None:
    carried = turn.world.carried
    if not carried or not turn.teller.chance("held", 3):
        return
    thing = carried[turn.teller.number("carried") % len(carried)]
    words = {"held": f"the {thing.text}" if not thing.is_proper else thing.text}
    words |= {"it": "they" if thing.is_plural else "it", "them": "them" if thing.is_plural else "it"}
    if turn.world.place is not None:
        words["inplace"] = turn.world.place.at
    turn.add(turn.teller.say(_scene("held"), plural=thing.is_plural, **words))


def _place(turn: _Turn) -> None:
    if turn.world.place is not None and turn.teller.chance("place", 2):
        turn.add(turn.teller.say(_scene("place"), inplace=turn.world.place.at))


def _fact(turn: _Turn) -> None:
    fresh = [fact for fact in turn.facts if not turn.teller.times_told(fact[1:])]
    if fresh and turn.teller.chance("fact", 4):
        fact = fresh[turn.teller.number("which fact") % len(fresh)]
        turn.add(turn.teller.say(_scene("fact"), fact=lowered(fact)))


def _thread(turn: _Turn) -> None:
    """What is still to be done is remembered."""
    recent = "\n".join(turn.situation.told[-_THREAD_RESTS:]).lower()
    aims = [aim for aim in turn.situation.given.threads if aim.title.lower().rstrip(" .!?") not in recent]
    if aims and turn.teller.chance("thread", 3):
        title = aims[turn.teller.number("which thread") % len(aims)].title.rstrip(" .!?")
        first, _, rest = title.partition(" ")
        title = f"{first.lower()} {rest}" if first.lower() in BASE_OF else title
        turn.add(turn.teller.say(_scene("thread"), title=shortened(title, _LONGEST_TITLE)))


def _deeds(name: str) -> Bank:
    return load_phrases("deeds")[name]


def _scene(name: str) -> Bank:
    return load_phrases("scene")[name]


_TELL = {
    Mode.ACTION: _tell_action,
    Mode.DIALOGUE: _tell_dialogue,
    Mode.DIRECTION: _tell_direction,
    Mode.CONTINUE: _tell_continue,
}
