"""The opening of a story, from what its brief says and the stock of its genre. Pure."""

from narrative.inference.rehearsing.brief import Brief
from narrative.inference.rehearsing.genres import genre_of, palette
from narrative.inference.rehearsing.grammar import Teller, load_phrases
from narrative.inference.rehearsing.nouns import read_noun
from narrative.inference.rehearsing.text import lowered
from narrative.inference.rehearsing.told import place_of


def tell_opening(brief: Brief, seed: int) -> str:
    """Three short paragraphs: an hour and a place, something that should not be there, and the moment before
    the first move."""
    stock = palette(genre_of(brief.manner, brief.description))
    fingerprint = f"{brief.manner}\0{brief.protagonist}\0{brief.description}"
    teller = Teller(told=(), fingerprint=fingerprint, seed=seed, avoided=brief.ruled_out)
    named = next((place for fact in brief.facts if (place := place_of(fact)) is not None), None)
    place = named or read_noun(teller.choose("place", stock["places"]))
    where = {"place": place.the, "inplace": place.at} if place else {"place": "here", "inplace": "here"}
    hour = teller.phrase(stock["hours"])
    first = teller.say(stock["firsts"], hour=hour, plural=False, **where)
    if brief.first_name:
        first = f"You are {brief.protagonist}. {first}".strip()
    hook = teller.say(stock["hooks"], find=teller.choose("find", stock["finds"]), plural=False, **where)
    fact = next(iter(_facts(teller, brief)), "")
    last = teller.say(stock["lasts"], plural=False, **where)
    second = " ".join(part for part in (hook, fact) if part)
    return "\n\n".join(part for part in (first, second, last) if part)


def _facts(teller: Teller, brief: Brief) -> list[str]:
    if not brief.facts:
        return []
    fact = teller.choose("fact", brief.facts)
    return [teller.say(load_phrases("scene")["fact"], fact=lowered(fact))]
