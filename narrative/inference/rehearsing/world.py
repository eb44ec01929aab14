"""What has become of the story: a fold over the player's deeds, from what the opening established. Pure.

What the player did is narrated and remembered by the same rule, so that somebody who went somewhere is there
in later turns too, whatever phrases told it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from narrative.inference.rehearsing.deeds import Deed
from narrative.inference.rehearsing.inputs import Supplied
from narrative.inference.rehearsing.nouns import FITTINGS, Noun, read_noun
from narrative.inference.rehearsing.told import is_somebody, names_of, people_of, place_of, things_of

MOST_THINGS = 24
_TOO_MUCH = frozenset("it them him her everything nothing world room place door wall floor ground".split())  # noqa: SIM905
_THRESHOLDS = frozenset(
    [
        "door",
        "gate",
        "hatch",
        "doorway",
        "archway",
        "window",
        "curtain",
        "arch",
        "airlock",
        "portal",
        "opening",
        "hole",
    ]
)
_STEPS = frozenset("stair stairs staircase ladder steps step slope hill".split())  # noqa: SIM905


@dataclass(frozen=True, slots=True)
class Place:
    """``at`` is where one is, being there: "in the crypt", "north of the quay"."""

    at: str
    noun: Noun | None = None


@dataclass(frozen=True, slots=True)
class World:
    """``people`` are here, ``absent`` are known and are not. Newest first, all of them."""

    place: Place | None = None
    before: Place | None = None
    people: tuple[Noun, ...] = ()
    absent: tuple[Noun, ...] = ()
    carried: tuple[Noun, ...] = ()
    things: tuple[Noun, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def last_thing(self) -> Noun | None:
        return self.things[0] if self.things else None

    def find_person(self, noun: Noun) -> Noun | None:
        return next((known for known in self.people if known.is_same(noun)), None)

    def holds(self, noun: Noun) -> Noun | None:
        return next((held for held in self.carried if held.is_same(noun)), None)

    def naming(self, noun: Noun) -> "World":
        return _name(self, noun)

    def knows_absent(self, noun: Noun) -> bool:
        return any(known.is_same(noun) for known in self.absent)


def begin(narration: str, *, protagonist: str, description: str) -> World:
    """The world as an opening leaves it."""
    own = set(protagonist.split())
    people = tuple(p for p in people_of(narration) if not own & set(p.text.split()))
    names = tuple(name for name in names_of(narration) if not own & set(name.split()))
    place = place_of(narration)
    here = {person.text for person in people}
    absent = (
        Noun(name, is_proper=True) for name in names if name not in here and is_somebody(name, narration)
    )
    return World(
        place=Place(place.at, place) if place else None,
        people=people,
        absent=tuple(noun for noun in absent if noun.is_person),
        carried=_equipment(description),
        things=things_of(narration),
        names=names,
    )


def supplied(world: World, given: Supplied) -> World:
    """The world as the game itself knows it, where it says so."""
    place = read_noun(given.place) if given.place else None
    return replace(
        world,
        place=Place(place.at, place) if place else world.place,
        people=_nouns(given.people) or world.people,
        carried=_nouns(given.carried) or world.carried,
    )


def happen(world: World, deeds: Iterable[Deed]) -> World:
    for deed in deeds:
        world = step(world, deed)
    return world


def step(world: World, deed: Deed) -> World:
    """The world after one deed. Total: whatever is typed, something holds afterwards."""
    world = _meet(world, deed)
    match deed.kind:
        case "take":
            return _take(world, deed)
        case "drop" | "throw" | "give" | "put":
            return _part_with(world, deed)
        case "move" | "follow":
            return _move(world, deed)
        case "claim":
            for person in people_of(deed.clause):
                world = arrive(world, person)
            return world
    return _name(world, deed.thing, deed.goal)


def resolve(world: World, deed: Deed) -> Noun | None:
    """What a deed is done to: named, or a pronoun for what was named last."""
    if deed.pronoun in ("him", "her") or (deed.pronoun == "them" and world.people):
        return world.people[0] if world.people else None
    if deed.pronoun:
        return world.last_thing
    if deed.thing is None:
        return None
    known = (*world.people, *world.carried, *world.things)
    return next((noun for noun in known if noun.is_same(deed.thing)), deed.thing)


def destination(world: World, deed: Deed) -> Place | None:
    """Where a move leads; None where one stays in the same place."""
    goal = deed.goal or deed.thing
    if deed.heading in ("back", "away") and goal is None:
        return world.before if deed.heading == "back" else Place("some way off")
    if goal is not None and goal.is_person:
        return None
    if (
        goal is not None
        and goal.head.lower() in _THRESHOLDS
        and deed.preposition in ("through", "past", "out")
    ):
        return Place(f"beyond {goal.the}")
    if goal is not None and goal.head.lower() in _STEPS:
        down = deed.heading == "down" or deed.preposition == "down" or deed.clause.startswith("descend")
        return Place(f"at the {'foot' if down else 'top'} of {goal.the}", None)
    if goal is not None and deed.kind == "follow" and not goal.is_place:
        return None
    if goal is not None and goal.head.lower() not in FITTINGS:
        return Place(goal.at, goal)
    return _by_heading(world, deed.heading) if goal is None else None


def _by_heading(world: World, heading: str) -> Place | None:
    if not heading or heading in ("in", "on", "out", "forward", "ahead", "left", "right", "home"):
        return Place("at home") if heading == "home" else Place("further on") if heading else None
    if heading in ("up", "down", "upward", "downward"):
        return Place("higher up" if heading.startswith("up") else "further down")
    if heading in ("upstairs", "inside", "outside"):
        return Place(heading)
    noun = world.place.noun if world.place else None
    return Place(f"{heading} of {noun.the}" if noun else f"further {heading}")


def _move(world: World, deed: Deed) -> World:
    place = destination(world, deed)
    if place is None or (world.place is not None and place.at == world.place.at):
        return _name(world, deed.thing, deed.goal)
    together = " with " in f" {deed.clause} " or "together" in deed.clause or deed.kind == "follow"
    stay = () if together else world.people
    return replace(
        _name(world, None if place.noun else deed.goal),
        place=place,
        before=world.place,
        people=world.people if together else (),
        absent=_distinct((*stay, *world.absent)),
    )


def _take(world: World, deed: Deed) -> World:
    thing = resolve(world, deed)
    if thing is None or not can_carry(thing) or world.holds(thing):
        return _name(world, deed.thing, deed.goal)
    mine = replace(thing, owner="")
    return replace(_name(world, mine), carried=_distinct((mine, *world.carried)))


def can_carry(thing: Noun) -> bool:
    return not (
        thing.is_person
        or thing.is_place
        or (thing.is_proper and "'s " not in thing.text)
        or thing.head.lower() in FITTINGS - _PORTABLE
    ) and (thing.head.lower() not in _TOO_MUCH)


_PORTABLE = frozenset("box map rope lamp lantern mirror sign light lever".split())  # noqa: SIM905


def _part_with(world: World, deed: Deed) -> World:
    thing = resolve(world, deed)
    if thing is None:
        return world
    held = world.holds(thing)
    if deed.kind == "give" and not can_give(world, deed):
        return world
    keeps = deed.kind == "put" and deed.goal is not None and deed.goal.head.lower() in _POCKETS
    if held is None or keeps:
        return _take(world, deed) if keeps else _name(world, thing)
    left = tuple(noun for noun in world.carried if noun != held)
    return replace(_name(world, held), carried=left)


def can_give(world: World, deed: Deed) -> bool:
    """Whether somebody is there to give something to: the one who is named, or anybody."""
    if deed.person is None:
        return bool(world.people)
    return world.find_person(deed.person) is not None or not world.knows_absent(deed.person)


_POCKETS = frozenset("pocket bag satchel pack backpack belt coat sack pouch case knapsack jacket".split())  # noqa: SIM905


def _meet(world: World, deed: Deed) -> World:
    """Whoever the player speaks to or deals with is here, unless known to be elsewhere."""
    person = deed.person
    if person is None or world.find_person(person):
        return _to_front(world, person)
    if deed.kind not in ("talk", "give", "attack", "help", "show", "take") or world.knows_absent(person):
        return world
    return replace(world, people=_distinct((person, *world.people)))


def arrive(world: World, person: Noun) -> World:
    absent = tuple(known for known in world.absent if not known.is_same(person))
    return replace(world, people=_distinct((person, *world.people)), absent=absent)


def _to_front(world: World, person: Noun | None) -> World:
    known = world.find_person(person) if person is not None else None
    return replace(world, people=_distinct((known, *world.people))) if known is not None else world


def _name(world: World, *nouns: Noun | None) -> World:
    found = tuple(noun for noun in nouns if noun is not None and not noun.is_person and not noun.is_place)
    return replace(world, things=_distinct((*found, *world.things))[:MOST_THINGS])


def _distinct(nouns: tuple[Noun, ...]) -> tuple[Noun, ...]:
    kept: list[Noun] = []
    for noun in nouns:
        if not any(noun.is_same(other) for other in kept):
            kept.append(noun)
    return tuple(kept)


def _nouns(texts: Iterable[str]) -> tuple[Noun, ...]:
    return tuple(noun for text in texts if (noun := read_noun(text)) is not None)


def _equipment(description: str) -> tuple[Noun, ...]:
    """What a protagonist is said to carry."""
    found = []
    for marker in ("carries ", "Carries ", "carrying ", "Armed with ", "armed with "):
        for part in description.split(marker)[1:]:
            listed = part.split(".")[0].replace(" and ", ", ").split(", ")[:3]
            found += [noun for text in listed if (noun := read_noun(text, bare=False)) and can_carry(noun)]
    return tuple(replace(noun, owner="") for noun in found)
