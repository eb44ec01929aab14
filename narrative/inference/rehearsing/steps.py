"""A fold over the player's deeds, from what the opening established. Pure.

What the player did is narrated and remembered by the same rule, so that somebody who went somewhere is there
in later turns too, whatever phrases told it.
"""

from collections.abc import Iterable
from dataclasses import replace

from narrative.inference.rehearsing.deeds import Deed
from narrative.inference.rehearsing.handling import can_take, gift, resolve
from narrative.inference.rehearsing.known import keyed
from narrative.inference.rehearsing.moving import place_reached
from narrative.inference.rehearsing.nouns import Noun
from narrative.inference.rehearsing.told import is_name, people_of
from narrative.inference.rehearsing.world import World, distinct

_POCKETS = frozenset("pocket bag satchel pack backpack belt coat sack pouch case knapsack jacket".split())  # noqa: SIM905


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
    return world.naming(deed.thing, deed.goal)


def is_changed(before: World, after: World) -> bool:
    """Whether something that one would set down is different now."""
    places = [world.place.named if world.place else None for world in (before, after)]
    return places[0] != places[1] or before.carried != after.carried or before.people != after.people


def arrive(world: World, person: Noun) -> World:
    person = keyed((noun for noun in world.known if noun.is_person), person)
    absent = tuple(known for known in world.absent if not known.is_same(person))
    return replace(world, people=distinct((person, *world.people)), absent=absent)


def _move(world: World, deed: Deed) -> World:
    place = place_reached(world, deed)
    if place is None or (world.place is not None and place.at == world.place.at):
        return world.naming(deed.thing, deed.goal)
    together = " with " in f" {deed.clause} " or "together" in deed.clause or deed.kind == "follow"
    stay = () if together else world.people
    return replace(
        world.naming(None if place.noun else deed.goal),
        place=place,
        before=world.place,
        people=distinct((*(world.people if together else ()), *(there := world.occupants(place)))),
        absent=tuple(noun for noun in distinct((*stay, *world.absent)) if noun not in there),
    )


def _take(world: World, deed: Deed) -> World:
    for other in deed.others:
        world = _take(world, replace(deed, thing=other, goal=None, others=()))
    thing = resolve(world, deed)
    if thing is None or not can_take(world, thing) or world.holds(thing):
        return world.naming(deed.thing, deed.goal)
    mine = replace(thing, owner="")
    return replace(world.naming(mine), carried=distinct((mine, *world.carried)))


def _part_with(world: World, deed: Deed) -> World:
    thing = resolve(world, deed)
    if thing is None:
        return world
    held = world.holds(thing)
    if deed.kind == "give" and gift(world, deed) is None:
        return world
    keeps = deed.kind == "put" and deed.goal is not None and deed.goal.head.lower() in _POCKETS
    if held is None or keeps:
        return _take(world, deed) if keeps and held is None else world.naming(thing)
    left = tuple(noun for noun in world.carried if noun != held)
    return replace(world.naming(held), carried=left)


def _meet(world: World, deed: Deed) -> World:
    """Whoever the player speaks to or deals with is here, unless known to be elsewhere."""
    person = deed.person
    if person is None or world.find_person(person):
        return _to_front(world, person)
    if person.is_proper and not (person.key or is_name(person.text)):
        return world
    if deed.kind not in ("talk", "give", "attack", "help", "show", "take") or world.knows_absent(person):
        return world
    return replace(world, people=distinct((person, *world.people)))


def _to_front(world: World, person: Noun | None) -> World:
    known = world.find_person(person) if person is not None else None
    return replace(world, people=distinct((known, *world.people))) if known is not None else world
