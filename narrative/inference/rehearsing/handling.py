"""What can be taken, and what can be given to whom. Pure."""

from narrative.inference.rehearsing.deeds import Deed
from narrative.inference.rehearsing.nouns import Noun
from narrative.inference.rehearsing.world import World, can_carry

GIVES_AWAY = frozenset({"drop", "give", "put", "throw"})


def resolve(world: World, deed: Deed) -> Noun | None:
    """What a deed is done to: named, or a pronoun for what was named last."""
    if deed.pronoun in ("him", "her") or (deed.pronoun == "them" and world.people):
        return world.people[0] if world.people else None
    if deed.pronoun and deed.kind in GIVES_AWAY:
        held = (*(thing for thing in world.things if world.holds(thing)), *world.carried)
        return next(iter(held), world.last_thing)
    if deed.pronoun:
        return world.last_thing
    if deed.thing is None:
        return None
    around = (*world.people, *world.carried, *world.things)
    if exact := next((noun for noun in around if noun == deed.thing), None):
        return exact
    found = next((noun for noun in around if noun.is_same(deed.thing)), deed.thing)
    # "the toll book" tells more than "the book" of which the story spoke.
    is_fuller = not (found.key or found.is_person) and len(found.text) < len(deed.thing.text)
    return deed.thing if is_fuller else found


def can_take(world: World, thing: Noun) -> bool:
    """Whether a thing can be carried, and is here for the taking."""
    return can_carry(thing) and not world.is_elsewhere(thing) and world.keeper_of(thing) is None


def can_give(world: World, deed: Deed) -> bool:
    """Whether somebody is there to give something to: the one who is named, or anybody."""
    if deed.person is None:
        is_to_a_thing = deed.preposition == "to" and deed.goal is not None
        return bool(world.people) and not is_to_a_thing
    return world.find_person(deed.person) is not None or not world.knows_absent(deed.person)


def receiver(world: World, deed: Deed) -> Noun | None:
    """Whom something is given to."""
    if deed.person is not None:
        return world.find_person(deed.person) or deed.person
    return next(iter(world.people), None)


def gift(world: World, deed: Deed) -> tuple[Noun, Noun] | None:
    """What a deed gives, and to whom; None where it gives nothing."""
    thing = resolve(world, deed) if deed.kind == "give" else None
    to = receiver(world, deed) if thing is not None else None
    if (
        thing is None
        or to is None
        or not can_give(world, deed)
        or not can_carry(thing)
        or lacks(world, thing)
    ):
        return None
    return world.holds(thing) or thing, to


def lacks(world: World, thing: Noun) -> bool:
    """Whether the state says what is held, and this is not."""
    return world.given.protagonist is not None and world.holds(thing) is None
