"""Where a move leads. Pure."""

from dataclasses import replace

from narrative.inference.rehearsing.deeds import Deed
from narrative.inference.rehearsing.known import find_known
from narrative.inference.rehearsing.nouns import FITTINGS
from narrative.inference.rehearsing.world import Place, World

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


def place_reached(world: World, deed: Deed) -> Place | None:
    """Where a move ends, with what the state knows of it; None where one stays in the same place."""
    return _known_place(world, _destination(world, deed))


def _destination(world: World, deed: Deed) -> Place | None:
    """Where a move leads; None where one stays in the same place."""
    goal = deed.goal or deed.thing
    if deed.heading in ("back", "away") and goal is None:
        return world.before if deed.heading == "back" else Place("some way off")
    if goal is not None and (goal.is_person or goal.kind == "item"):
        return None
    if goal is not None and goal.kind == "place":
        return Place(goal.at, goal)
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


def _known_place(world: World, place: Place | None) -> Place | None:
    """A place with what the state knows of it, and the named one that it belongs to where it has no name."""
    if place is None:
        return None
    if place.noun is not None and place.noun.is_place and not place.noun.key:
        places = (noun for noun in world.known if noun.is_place)
        if (noun := find_known(places, place.noun)) is not None:
            place = Place(noun.at, noun)
    of = None if place.named else (world.place.named if world.place else None)
    return replace(place, of=place.of or of)
