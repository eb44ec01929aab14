"""A turn's narration, composed from the chat messages and nothing else. English; pure.

system ──▶ brief (who, how, what is true)
history ─▶ world (where, who is there, what is held) and what was told, which is not told again
last ────▶ the player's words as deeds ──▶ what comes of them ──▶ what else is there ──▶ two to five sentences
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from narrative.inference.base import Message
from narrative.inference.rehearsing.brief import Brief, read_brief
from narrative.inference.rehearsing.deed_telling import SEARCHES, slots_of, tell_deed
from narrative.inference.rehearsing.deeds import Deed, read_deeds
from narrative.inference.rehearsing.direction_telling import tell_beyond, tell_direction
from narrative.inference.rehearsing.genres import genre_of, palette
from narrative.inference.rehearsing.grammar import Bank, Teller, load_phrases
from narrative.inference.rehearsing.inputs import Input, Mode, read_input, read_last
from narrative.inference.rehearsing.nouns import Noun
from narrative.inference.rehearsing.opening_telling import tell_opening
from narrative.inference.rehearsing.question_telling import asks_plainly, tell_answer
from narrative.inference.rehearsing.speech_telling import addressee, tell_reply, tell_spoken
from narrative.inference.rehearsing.text import is_english, lowered, shortened, split_sentences
from narrative.inference.rehearsing.told import people_of
from narrative.inference.rehearsing.world import World, arrive, begin, happen, step, supplied

# How far back is read: beyond it, what was said may be said again.
REMEMBERED = 120
MOST_SENTENCES = 5
FEWEST_SENTENCES = 2
# Deeds of one turn that are told one by one.
TOLD_DEEDS = 3


@dataclass(slots=True)
class _Turn:
    """What is being composed, and what it is composed from."""

    brief: Brief
    world: World
    teller: Teller
    stock: dict[str, Bank]
    facts: tuple[str, ...]
    parts: list[str]

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
    brief = read_brief("\n".join(message.content for message in messages if message.role == "system"))
    talk = [message for message in messages if message.role != "system"]
    given, player = read_last(talk[-1].content if talk else "")
    if player.mode is Mode.OPENING:
        return tell_opening(brief, seed or 0)
    past = talk[:-1][-2 * REMEMBERED :]
    told = [message.content for message in past if message.role == "assistant"]
    world = supplied(_world(brief, past), given)
    stock = dict(palette(genre_of(brief.manner, " ".join(told[:2]))))
    fingerprint = f"{len(past)}\0{player.mode.value}\0{player.words}"
    teller = Teller(told=told, fingerprint=fingerprint, seed=seed or 0, avoided=brief.ruled_out)
    turn = _Turn(brief, world, teller, stock, (*given.facts, *brief.facts), [])
    _TELL[player.mode](turn, player)
    _fill(turn)
    if _is_spoken(turn):
        return "\n\n".join([turn.parts[0], " ".join(turn.parts[1:])])
    return " ".join(turn.parts)


def _is_spoken(turn: _Turn) -> bool:
    return len(turn.parts) > 2 and "“" in turn.parts[0]


def _world(brief: Brief, past: Sequence[Message]) -> World:
    """The world as the story has left it: its first narration, and what was done since."""
    world = World()
    is_begun = False
    for message in past:
        if message.role == "user":
            player = read_input(message.content)
            if player.mode is Mode.ACTION and is_english(player.words):
                world = happen(world, read_deeds(player.words))
        elif not is_begun:
            world, is_begun = (
                begin(message.content, protagonist=brief.protagonist, description=brief.description),
                True,
            )
        else:
            for person in people_of(_without(brief.facts, message.content)):
                if not set(person.text.split()) & set(brief.protagonist.split()):
                    world = arrive(world, person)
    return world


def _without(facts: Sequence[str], text: str) -> str:
    """``text`` without the canon told in it: whom that speaks of is not here for it."""
    for fact in facts:
        text = text.replace(fact[1:], " ")
    return text


def _tell_action(turn: _Turn, player: Input) -> None:
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
    deeds = [deed for deed in read_deeds(player.words) if deed.kind != "question"]
    if not deeds:
        turn.add(_question(turn, player.words))
        return
    for index, deed in enumerate(deeds[:TOLD_DEEDS]):
        _tell_one(turn, deed, is_first=index == 0)
    if len(deeds) > TOLD_DEEDS:
        turn.add(turn.teller.say(_deeds("long")))
        turn.world = happen(turn.world, deeds[TOLD_DEEDS:])


def _tell_one(turn: _Turn, deed: Deed, *, is_first: bool) -> None:
    before, turn.world = turn.world, step(turn.world, deed)
    if deed.kind == "talk":
        _tell_talk(turn, deed)
        return
    if not is_first and not turn.has_room:
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


def _tell_dialogue(turn: _Turn, player: Input) -> None:
    person = addressee(turn.world, player.words)
    if not turn.teller.chance("spoken", 3) or person is None:
        turn.add(tell_spoken(turn.teller, player.words))
    turn.add(_reply(turn, player.words, person))


def _tell_direction(turn: _Turn, player: Input) -> None:
    lines = tell_direction(turn.teller, player.words)
    for line in lines or (tell_beyond(turn.teller, player.words),):
        turn.add(line)
    for person in people_of(" ".join(lines)):
        turn.world = arrive(turn.world, person)


def _tell_continue(turn: _Turn, player: Input) -> None:
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
    return tell_reply(turn.teller, words, turn.world, person, name=turn.brief.first_name, facts=turn.facts)


def _question(turn: _Turn, words: str) -> str:
    if told := tell_answer(turn.teller, words, turn.world, turn.facts):
        return told
    return _reply(turn, words, turn.world.people[0]) if turn.world.people else ""


def _fill(turn: _Turn) -> None:
    """Round the turn off with what else is there: at least two sentences, at most five."""
    ways = (_presence, _senses, _bring_back, _held, _place, _fact)
    start = turn.teller.number("fill") % len(ways)
    wanted = FEWEST_SENTENCES + 1 + turn.teller.number("length") % 2
    for way in (*ways[start:], *ways[:start]):
        if turn.sentences >= wanted:
            return
        way(turn)


def _presence(turn: _Turn) -> None:
    people = load_phrases("people")
    if len(turn.world.people) > 1 and turn.teller.chance("company", 3):
        who, other = turn.world.people[:2]
        turn.add(turn.teller.say(people["company"], who=who.the, other=other.the))
    elif turn.world.people and not any(turn.world.people[0].the in part for part in turn.parts):
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
