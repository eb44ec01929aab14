"""What holds in the story, as far as it is followed: where one is, who is there, what is held. Pure."""

from dataclasses import dataclass, replace

from narrative.inference.rehearsing.nouns import FITTINGS, Noun, read_noun
from narrative.inference.rehearsing.supplied import NOTHING_GIVEN, Known, Supplied
from narrative.inference.rehearsing.told import is_somebody, names_of, people_of, place_of, things_of

MOST_THINGS = 24
_TOO_MUCH = frozenset("it them him her everything nothing world room place door wall floor ground".split())  # noqa: SIM905
_PORTABLE = frozenset("box map rope lamp lantern mirror sign light lever".split())  # noqa: SIM905
# Said of a place without saying which: where one is then is still the place that has a name.
_UNNAMED = frozenset(
    """
    room place exit entrance foot mouth site post spot path road passage building way core ice top side corner area
    border edge lift elevator stair stairs staircase ladder slope wall
    """.split()  # noqa: SIM905 - quoted one by one they would fill a screen
)


@dataclass(frozen=True, slots=True)
class Place:
    """``at`` is where one is, being there: "in the crypt", "north of the quay". ``of`` is the place with a
    name that the latter is near."""

    at: str
    noun: Noun | None = None
    of: Noun | None = None

    @property
    def named(self) -> Noun | None:
        """The place that a map would show."""
        noun = self.noun
        is_shown = noun is not None and noun.is_place and (noun.key or noun.text.lower() not in _UNNAMED)
        return noun if is_shown else self.of


@dataclass(frozen=True, slots=True)
class World:
    """``people`` are here, ``absent`` are known and are not. Newest first, all of them. ``known`` is what the
    state holds, and ``given`` what it says of that."""

    place: Place | None = None
    before: Place | None = None
    people: tuple[Noun, ...] = ()
    absent: tuple[Noun, ...] = ()
    carried: tuple[Noun, ...] = ()
    # What the protagonist set out with, by their description.
    equipment: tuple[Noun, ...] = ()
    things: tuple[Noun, ...] = ()
    names: tuple[str, ...] = ()
    known: tuple[Noun, ...] = ()
    given: Supplied = NOTHING_GIVEN

    @property
    def last_thing(self) -> Noun | None:
        return self.things[0] if self.things else None

    def find_person(self, noun: Noun) -> Noun | None:
        return next((known for known in self.people if known.is_same(noun)), None)

    def holds(self, noun: Noun) -> Noun | None:
        return next((held for held in self.carried if held.is_same(noun)), None)

    def naming(self, *nouns: Noun | None) -> "World":
        """The world in which things have been spoken of."""
        found = (noun for noun in nouns if noun is not None and not noun.is_person and not noun.is_place)
        return replace(self, things=distinct((*found, *self.things))[:MOST_THINGS])

    def knows_absent(self, noun: Noun) -> bool:
        return any(known.is_same(noun) for known in self.absent)

    def facts_of(self, noun: Noun | None) -> Known | None:
        """What the state says of something."""
        return self.given.find(noun.key) if noun is not None and noun.key else None

    def keeper_of(self, noun: Noun) -> Noun | None:
        """Somebody here, other than the protagonist, who holds a thing by the state."""
        known = self.facts_of(noun)
        return next(
            (person for person in self.people if known and person.key and person.key == known.holder), None
        )

    def is_elsewhere(self, noun: Noun) -> bool:
        """Whether the state has a thing in another place, with somebody who is not here, or nowhere at all."""
        if {noun.text.lower(), noun.the.lower()} & self.given.withdrawn:
            return True
        known, here = self.facts_of(noun), self.place.named if self.place else None
        if known is None or self.holds(noun):
            return False
        if known.holder:
            mine = self.given.protagonist
            return self.keeper_of(noun) is None and (mine is None or known.holder != mine.key)
        return bool(known.at and here is not None and here.key and known.at != here.key)

    def occupants(self, place: Place | None) -> tuple[Noun, ...]:
        """Those whom the state has in a place."""
        key = place.noun.key if place and place.noun else ""
        mine = self.given.protagonist
        return tuple(
            noun
            for noun in self.known
            if key
            and noun.is_person
            and (known := self.facts_of(noun))
            and known.at == key
            and not known.is_lost
            and known != mine
        )


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
        equipment=_equipment(description),
        things=things_of(narration),
        names=names,
    )


def can_carry(thing: Noun) -> bool:
    if thing.kind:
        return thing.kind == "item"
    return not (
        thing.is_person
        or thing.is_place
        or (thing.is_proper and "'s " not in thing.text)
        or thing.head.lower() in FITTINGS - _PORTABLE
    ) and (thing.head.lower() not in _TOO_MUCH)


def distinct(nouns: tuple[Noun, ...]) -> tuple[Noun, ...]:
    kept: list[Noun] = []
    for noun in nouns:
        if not any(noun.is_same(other) for other in kept):
            kept.append(noun)
    return tuple(kept)


def _equipment(description: str) -> tuple[Noun, ...]:
    """What a protagonist is said to carry."""
    found = []
    for marker in ("carries ", "Carries ", "carrying ", "Armed with ", "armed with "):
        for part in description.split(marker)[1:]:
            listed = part.split(".")[0].replace(" and ", ", ").split(", ")[:3]
            found += [noun for text in listed if (noun := read_noun(text, bare=False)) and can_carry(noun)]
    return tuple(replace(noun, owner="") for noun in found)
