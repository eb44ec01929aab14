"""What comes of a deed, in a sentence or two. Pure."""

from dataclasses import dataclass, replace

from narrative.inference.rehearsing.deeds import Deed
from narrative.inference.rehearsing.grammar import Bank, Teller, load_phrases
from narrative.inference.rehearsing.handling import GIVES_AWAY, can_give, lacks, receiver, resolve
from narrative.inference.rehearsing.nouns import Noun
from narrative.inference.rehearsing.text import lowered, shortened
from narrative.inference.rehearsing.world import World, can_carry

# Kinds that can turn something up.
SEARCHES = frozenset({"search", "open", "look", "read"})
_LONGEST_CLAUSE = 160
# What can only be done to a thing that is here.
_NEEDS_THE_THING = frozenset(
    "take wear use read eat light touch drop throw put look open close push make".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Slots:
    """What a template is filled with, and whether ``{the}`` is several."""

    words: dict[str, str]
    is_plural: bool


def tell_deed(
    teller: Teller, deed: Deed, before: World, after: World, *, is_first: bool, meanwhile: str = ""
) -> str:
    """The deed acknowledged, and its result; empty where nothing is left to say of such a deed. ``meanwhile``
    is something that may happen while it is done."""
    if deed.kind == "aim":
        return teller.say(_bank("aim"), goal=shortened(deed.clause, _LONGEST_CLAUSE))
    if deed.kind == "claim":
        return teller.say(_bank("claim"), sentence=shortened(deed.clause, _LONGEST_CLAUSE))
    deed = _attempted(deed, before)
    deed = replace(deed, clause=shortened(deed.clause, _LONGEST_CLAUSE).rstrip("…"))
    slots = _with_pronoun(slots_of(deed, before, after), deed)
    result = _result(teller, deed, before, slots)
    if not result:
        return teller.say(_bank("bare"), clause=deed.clause) or f"You {deed.clause}."
    banks = [_bank("plain"), _bank("leads")] if is_first else [_bank("more"), _bank("plain")]
    if ", and " in result or deed.clause.count(" and ") > 0:  # a third "and" would be one too many
        banks = [tuple(line for line in bank if ", and {result}" not in line) for bank in banks]
    happening = {"meanwhile": meanwhile} if meanwhile and is_first else {}
    return teller.say_first(*banks, plural=False, clause=deed.clause, result=lowered(result), **happening)


def _attempted(deed: Deed, before: World) -> Deed:
    """A deed that cannot be done, as what is done instead."""
    thing = resolve(before, deed)
    if thing is None or thing.is_person:
        return deed
    if deed.kind == "take" and before.keeper_of(thing) is not None:
        return replace(deed, clause=f"reach for {thing.the}")
    if deed.kind in _NEEDS_THE_THING and before.is_elsewhere(thing):
        return replace(deed, clause=f"look about for {thing.the}")
    if deed.kind == "give" and lacks(before, thing) and can_carry(thing):
        return replace(deed, clause=f"feel for {thing.the}")
    return deed


def _with_pronoun(slots: Slots, deed: Deed) -> Slots:
    """A single thing that the deed has just named is "it" in what comes of it."""
    if deed.others and "who" not in slots.words:
        several = {"the": "all of them", "it": "they", "them": "them", "itself": "themselves"}
        return Slots({**slots.words, **several}, is_plural=True)
    named = slots.words.get("bare", "")
    if not named or slots.is_plural or "who" in slots.words or named not in deed.clause:
        return slots
    return Slots({**slots.words, "the": "it"}, is_plural=False)


def slots_of(deed: Deed, before: World, after: World) -> Slots:
    thing = resolve(before, deed)
    words: dict[str, str] = {}
    if thing is not None:
        several = thing.is_plural
        words |= {
            "the": thing.the,
            "bare": thing.text,
            "it": "they" if several else "it",
            "them": "them" if several else "it",
            "itself": "themselves" if several else "itself",
        }
    to = receiver(before, deed) if deed.kind == "give" else None
    person = deed.person or to or (thing if thing is not None and thing.is_person else None)
    if deed.kind == "take" and thing is not None:
        person = before.keeper_of(thing) or person
    if person is not None:
        words["who"] = person.the
    if after.place is not None and after.place != before.place:
        words["inplace"] = after.place.at
        if after.place.noun is not None:
            words["dest"] = after.place.noun.the
    return Slots(words, thing is not None and thing.is_plural)


def _result(teller: Teller, deed: Deed, before: World, slots: Slots) -> str:
    for name in _bank_names(deed, before, slots):
        bank = load_phrases("deeds").get(name, ())
        if bank and (told := teller.say(bank, plural=slots.is_plural, **slots.words)):
            return told
    return ""


def _bank_names(deed: Deed, before: World, slots: Slots) -> list[str]:
    """The banks that fit, the closest first. The last ones need no thing to speak of."""
    kind, thing = deed.kind, resolve(before, deed)
    has_place = "inplace" in slots.words
    if kind in ("move", "follow"):
        if has_place:
            back = ["move.back"] if deed.heading == "back" and deed.goal is None else []
            return [*(["follow"] if kind == "follow" else []), *back, "move", "move.none"]
        if kind == "follow":
            return ["follow", "move.none"]
        if deed.person is not None:
            return ["move.person", "move.none"]
        return ["move.near", "move.none"] if "the" in slots.words else ["move.none"]
    if kind in _NEEDS_THE_THING and thing is not None and before.is_elsewhere(thing):
        return ["away"]
    if kind == "take" and thing is not None:
        return _taking(thing, before)
    if kind == "give" and thing is not None and lacks(before, thing) and can_carry(thing):
        return ["give.lack"]
    if kind in GIVES_AWAY and thing is not None and before.holds(thing) is None and not can_carry(thing):
        return ["other.none"]
    if kind == "give":
        if not can_give(before, deed):
            return ["give.nobody"]
        return ["give.to", "give"] if "who" in slots.words else ["give"]
    variants = [f"{kind}.person"] if "who" in slots.words and kind in ("look", "attack", "help") else []
    if kind == "help" and not variants:
        return ["help.none", "other.none"]
    plain = [kind] if "the" in slots.words or kind in _NEEDS_NO_THING else []
    fallback = "other" if "the" in slots.words and not variants else "other.none"
    return [*variants, *plain, f"{kind}.none", fallback, "other.none"]


_NEEDS_NO_THING = frozenset({"listen", "smell", "write", "eat", "rest", "think", "show"})


def _taking(thing: Noun, before: World) -> list[str]:
    if thing.is_person:
        return ["other.none"]
    if before.holds(thing) is not None:
        return ["take.held"]
    if before.keeper_of(thing) is not None:
        return ["take.kept"]
    return ["take"] if can_carry(thing) else ["take.fixed"]


def _bank(name: str) -> Bank:
    return load_phrases("deeds")[name]
