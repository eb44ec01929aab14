"""What a turn is told from: the brief, the world as the state and the story have it, and the player's input. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from narrative.inference.base import Message
from narrative.inference.rehearsing.brief import Brief, is_tellable, read_brief
from narrative.inference.rehearsing.deeds import Deed, read_deeds
from narrative.inference.rehearsing.direction_telling import arrivals
from narrative.inference.rehearsing.handling import resolve
from narrative.inference.rehearsing.inputs import Input, Mode, read_input, read_last
from narrative.inference.rehearsing.known import keyed
from narrative.inference.rehearsing.nouns import Noun
from narrative.inference.rehearsing.standing import stand
from narrative.inference.rehearsing.steps import arrive, happen
from narrative.inference.rehearsing.supplied import Supplied
from narrative.inference.rehearsing.text import capitalised, closed, is_english
from narrative.inference.rehearsing.told import names_of, people_of
from narrative.inference.rehearsing.world import World, begin

# How far back is read: beyond it, what was said may be said again.
REMEMBERED = 120
_SPOKEN_OF_BY_A_PRONOUN = frozenset({"take", "drop", "throw", "put", "give"})


@dataclass(frozen=True, slots=True)
class Situation:
    """The moment before the narrator answers. ``told`` are the narrations so far."""

    brief: Brief
    given: Supplied
    player: Input
    world: World
    told: tuple[str, ...]
    turns: int

    @property
    def facts(self) -> tuple[str, ...]:
        """What is true and can be told as it is, in sentences."""
        said = (closed(capitalised(fact)) for fact in self.given.facts)
        return (*(fact for fact in said if is_tellable(fact) and len(fact.split()) > 3), *self.brief.facts)


def read_situation(messages: Sequence[Message]) -> Situation:
    """The situation that the last message makes."""
    brief = read_brief("\n".join(message.content for message in messages if message.role == "system"))
    talk = [message for message in messages if message.role != "system"]
    given, player = read_last(talk[-1].content if talk else "", brief.protagonist)
    past = talk[:-1][-2 * REMEMBERED :] if player.mode is not Mode.OPENING else []
    told = tuple(message.content for message in past if message.role == "assistant")
    return Situation(brief, given, player, stand(_world(brief, past), given), told, len(past))


def read_turn_deeds(situation: Situation) -> list[Deed]:
    """What the player does this turn, each thing of it with what the state knows of it."""
    player = situation.player
    if player.mode is not Mode.ACTION or not is_english(player.words):
        return []
    return [_bound(deed, situation.world) for deed in read_deeds(player.words) if deed.kind != "question"]


def arriving(situation: Situation) -> tuple[Noun, ...]:
    """Whom the player's direction brings into the scene."""
    if situation.player.mode is not Mode.DIRECTION:
        return ()
    brought = people_of(" ".join(arrivals(situation.player.words)))
    return tuple(person for person in brought if not situation.brief.is_protagonist(person))


def named_deed(deed: Deed, world: World) -> Deed:
    """A deed that says "it" of what it moves from hand to hand, with the thing's name: so that what is told
    names what changes."""
    if deed.kind not in _SPOKEN_OF_BY_A_PRONOUN or not deed.pronoun or deed.thing is not None:
        return deed
    thing = resolve(world, deed)
    if thing is None or thing.is_person:
        return deed
    words = deed.clause.split(" ")
    place = next((n for n, word in enumerate(words) if word.lower().strip(".,") == deed.pronoun), None)
    if place is None:
        return deed
    words[place] = thing.the
    return replace(deed, clause=" ".join(words))


def _bound(deed: Deed, world: World) -> Deed:
    thing, goal = (keyed(world.known, noun) if noun is not None else None for noun in (deed.thing, deed.goal))
    others = tuple(keyed(world.known, noun) for noun in deed.others)
    return replace(deed, thing=thing, goal=goal, others=others)


def _world(brief: Brief, past: Sequence[Message]) -> World:
    """The world as the story has left it: its first narration, and what was done since."""
    world = World()
    is_begun = False
    named = _names_of_the_story(brief, past)
    for message in past:
        if message.role == "user":
            world = happen(world, _deeds_of(message.content))
        elif not is_begun:
            world, is_begun = opened(brief, message.content), True
        else:
            for person in _people_in(brief, message.content):
                if not person.is_proper or person.text in named or person.text in names_of(message.content):
                    world = arrive(world, person)
    return world


def _names_of_the_story(brief: Brief, past: Sequence[Message]) -> str:
    """All that names can come from: what heads a sentence may look like one and be none."""
    first = next((message.content for message in past if message.role == "assistant"), "")
    return "\n".join((first, *brief.facts, *(message.content for message in past if message.role == "user")))


def opened(brief: Brief, narration: str) -> World:
    """The world as a first narration leaves it."""
    return begin(narration, protagonist=brief.protagonist, description=brief.description)


def _deeds_of(content: str) -> tuple[Deed, ...]:
    player = read_input(content)
    is_read = player.mode is Mode.ACTION and is_english(player.words)
    return read_deeds(player.words) if is_read else ()


def _people_in(brief: Brief, narration: str) -> Iterator[Noun]:
    people = people_of(_without(brief.facts, narration))
    return (person for person in people if not brief.is_protagonist(person))


def _without(facts: Sequence[str], text: str) -> str:
    """``text`` without the canon told in it: whom that speaks of is not here for it."""
    for fact in facts:
        text = text.replace(fact[1:], " ")
    return text
