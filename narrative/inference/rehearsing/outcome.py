"""What a turn changes: where the protagonist is, who is there, who holds what, and what they set out to do. Pure.

It follows from the player's words and the world, not from the phrases that tell it, so that it is the same
for every telling.
"""

import re
from dataclasses import dataclass

from narrative.inference.rehearsing.aims import find_aim, is_open
from narrative.inference.rehearsing.deeds import Deed
from narrative.inference.rehearsing.handling import gift
from narrative.inference.rehearsing.inputs import Mode
from narrative.inference.rehearsing.nouns import Noun
from narrative.inference.rehearsing.person import turn_person
from narrative.inference.rehearsing.situation import Situation, arriving, read_turn_deeds
from narrative.inference.rehearsing.steps import arrive, step
from narrative.inference.rehearsing.world import World

# Said to somebody: whoever that is.
_THEIRS = re.compile(r"\b(?:your|you)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Holding:
    """Where a thing is at the end of a turn: the protagonist's, somebody's, or nobody's, in a ``place``."""

    thing: Noun
    is_mine: bool = False
    owner: Noun | None = None
    place: Noun | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    before: World
    after: World
    holdings: tuple[Holding, ...] = ()
    aim: str = ""

    @property
    def here(self) -> Noun | None:
        """The place with a name where the turn ends."""
        return self.after.place.named if self.after.place else None

    @property
    def is_new_place(self) -> bool:
        """Whether the turn ends in another place than the state has."""
        here, stated = self.here, self.before.given.place
        return here is not None and (stated is None or stated.key != here.key)

    @property
    def newcomers(self) -> tuple[Noun, ...]:
        """Those who are there and whom the scene does not have, as far as there is one."""
        present = {known.key for known in self.before.given.people}
        return tuple(person for person in self.after.people if not person.key or person.key not in present)

    @property
    def arrived(self) -> tuple[Noun, ...]:
        """Those who were not there before this turn."""
        return tuple(p for p in self.after.people if self.before.find_person(p) is None)

    @property
    def is_told(self) -> bool:
        """Whether there is anything to set down of it but the place."""
        return bool(self.holdings or self.arrived or self.aim)


def follow(situation: Situation) -> Outcome:
    """What comes of the player's input."""
    world = situation.world
    holdings: list[Holding] = []
    for deed in read_turn_deeds(situation):
        after = step(world, deed)
        for holding in _passed(world, deed, after):
            holdings = [known for known in holdings if not known.thing.is_same(holding.thing)]
            holdings.append(holding)
        world = after
    for person in arriving(situation):
        world = arrive(world, person)
    changed = tuple(each for each in holdings if not _holds_already(situation.world, each))
    return Outcome(situation.world, world, changed, _aim(situation))


def _passed(before: World, deed: Deed, after: World) -> list[Holding]:
    """What went from hand to hand by one deed."""
    given = gift(before, deed)
    if given is not None:
        thing, receiver = given
        return [Holding(thing, owner=receiver)]
    taken = [Holding(thing, is_mine=True) for thing in after.carried if before.holds(thing) is None]
    place = before.place.named if before.place else None
    left = [Holding(thing, place=place) for thing in before.carried if after.holds(thing) is None]
    return [*taken, *left]


def _holds_already(world: World, holding: Holding) -> bool:
    """Whether it ends as it began: taken up and put down again, or put down and taken up."""
    if holding.is_mine:
        return world.holds(holding.thing) is not None
    return holding.owner is None and world.holds(holding.thing) is None


def _aim(situation: Situation) -> str:
    """What the player sets out to do, where no open thread is about it; in the second person."""
    player = situation.player
    if player.mode not in (Mode.ACTION, Mode.DIALOGUE):
        return ""
    goal = find_aim(player.words, is_said=player.mode is Mode.DIALOGUE)
    if player.mode is Mode.DIALOGUE:
        goal = _THEIRS.sub(lambda match: "their" if match[0].lower() == "your" else "them", goal)
    goal = turn_person(goal)
    return "" if is_open(goal, (aim.title for aim in situation.given.threads)) else goal
