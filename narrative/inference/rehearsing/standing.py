"""The world as the state has it, where the state says so; the rest is as the story left it. Pure."""

from dataclasses import replace

from narrative.inference.rehearsing.known import find_known, keyed, noun_of
from narrative.inference.rehearsing.nouns import Noun
from narrative.inference.rehearsing.supplied import Known, Supplied
from narrative.inference.rehearsing.world import MOST_THINGS, Place, World, distinct


def stand(world: World, given: Supplied) -> World:
    """``world`` made to agree with what the state says."""
    if not given.is_given:
        return world
    known = tuple(noun_of(each) for each in given.entities if each != given.protagonist)
    world = replace(world, known=known, given=given)
    place = _place(world)
    is_elsewhere = _differs(world.place, place)
    world = replace(world, place=place, before=_known_place(world, world.before))
    people = _people(world, is_elsewhere=is_elsewhere)
    carried = _carried(world)
    return replace(
        world,
        people=people,
        absent=_absent(world, people),
        carried=carried,
        things=_things(replace(world, people=people, carried=carried)),
    )


def _place(world: World) -> Place | None:
    """Where the state has the protagonist; a nook or a side of that place is still it."""
    if world.given.place is None:
        return _known_place(world, world.place)
    noun = noun_of(world.given.place)
    now = world.place
    if now is not None and now.named is not None and now.named != now.noun and now.named.is_same(noun):
        return replace(now, of=noun)
    return Place(noun.at, noun)


def _differs(told: Place | None, stated: Place | None) -> bool:
    if told is None or stated is None or told.named is None or stated.named is None:
        return False
    return not told.named.is_same(stated.named)


def _known_place(world: World, place: Place | None) -> Place | None:
    if place is None:
        return None
    places = tuple(noun for noun in world.known if noun.is_place)
    of = keyed(places, place.of) if place.of else None
    noun = find_known(places, place.noun) if place.noun and place.noun.is_place else None
    return Place(noun.at, noun) if noun else replace(place, of=of)


def _people(world: World, *, is_elsewhere: bool) -> tuple[Noun, ...]:
    """Who is there: whom the scene names, and whom the story brought and the state knows nothing of."""
    given = world.given
    present = given.people if given.present is not None else ()
    named = tuple(noun_of(each) for each in present if each.kind in ("person", "") and not each.is_lost)
    if given.present is None:
        named = world.occupants(world.place)
    told = () if is_elsewhere else world.people
    if given.present is None:
        met = (known for person in told if (known := _person(world, person)) is not None)
        named += tuple(noun for noun in met if not _is_placed(world.facts_of(noun)))
    strangers = (p for p in told if _person(world, p) is None and not _is_withdrawn(p, given))
    return distinct((*named, *strangers))


def _person(world: World, noun: Noun) -> Noun | None:
    return find_known((each for each in world.known if each.is_person), noun)


def _absent(world: World, people: tuple[Noun, ...]) -> tuple[Noun, ...]:
    known = (noun for noun in world.known if noun.is_person)
    told = (noun for noun in world.absent if _person(world, noun) is None)
    away = (*known, *told)
    return distinct(tuple(noun for noun in away if not any(noun.is_same(person) for person in people)))


def _carried(world: World) -> tuple[Noun, ...]:
    """What the state puts into the protagonist's hands, and of what they set out with that which it does not know."""
    held = tuple(noun_of(each) for each in world.given.carried)
    own = (noun for noun in world.equipment if not _is_known(world, noun))
    return distinct((*held, *own))


def _things(world: World) -> tuple[Noun, ...]:
    """What there is to come back to: of what the state knows, only what is here and in nobody's hands."""
    lying = (
        noun
        for noun in world.known
        if noun.kind == "item" and not _holder(world.facts_of(noun)) and not world.is_elsewhere(noun)
    )
    told = (noun for noun in world.things if not _is_known(world, noun) or world.holds(noun))
    return distinct((*told, *lying))[:MOST_THINGS]


def _is_placed(known: Known | None) -> bool:
    return known is not None and (bool(known.at) or known.is_lost)


def _holder(known: Known | None) -> str:
    return known.holder if known else ""


def _is_known(world: World, noun: Noun) -> bool:
    return find_known(world.known, noun) is not None or _is_withdrawn(noun, world.given)


def _is_withdrawn(noun: Noun, given: Supplied) -> bool:
    return bool({noun.text.lower(), noun.the.lower()} & given.withdrawn)
