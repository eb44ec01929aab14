"""Documents and rules to judge with, as short as tests want them."""

from typing import Any

from narrative.state.apply import Writing
from narrative.state.canon import read_canon
from narrative.state.document import Document
from narrative.state.document import Place as Place
from narrative.state.evidence import Evidence
from narrative.state.review import Review, Rules, review_proposal

HERE = Place(1, 3)
Raw = dict[str, Any]

START: list[Raw] = [
    {"type": "create_entity", "entity": "aldric", "name": "Aldric", "entity_type": "character"},
    {"type": "create_entity", "entity": "mara", "name": "Mara Voss", "entity_type": "character"},
    {"type": "create_entity", "entity": "inn", "name": "the Crooked Lantern", "entity_type": "location"},
    {"type": "create_entity", "entity": "abbey", "name": "the Old Abbey", "entity_type": "location"},
    {"type": "create_entity", "entity": "silver-key", "name": "the silver key", "entity_type": "item"},
    {"type": "set_current_location", "entity": "aldric", "location": "inn"},
    {"type": "set_possession", "item": "silver-key", "owner": "aldric"},
    {"type": "open_story_thread", "thread": "dawn", "title": "Get to the Old Abbey before dawn"},
]


def rules(source: str = "accepted_story", **values: Any) -> Rules:
    canon = read_canon(values.pop("canon", {}))
    writing = Writing(
        source, values.pop("at", HERE), canon.single_predicates, takes_back=values.pop("takes_back", False)
    )
    return Rules(writing=writing, canon=canon, **values)


def judge(document: Document, *events: object, source: str = "accepted_story", **values: Any) -> Review:
    return review_proposal(document, {"events": list(events)}, rules(source, **values))


def after(document: Document, *events: Raw, source: str = "accepted_story", **values: Any) -> Document:
    """The document after events that are all accepted."""
    review = judge(document, *events, source=source, **values)
    assert review.refused == ()
    return review.document


def told(narration: str, *, demand: Any = "mark", **values: Any) -> dict[str, Any]:
    return {"evidence": Evidence((narration,), **values), "demand": demand}


def reasons(review: Review) -> list[tuple[str, str]]:
    return [(each.layer, each.reason) for each in review.refused]


def start() -> Document:
    return after(Document(), *START, source="campaign_setup", at=Place(1, 0))


def give(owner: str, item: str = "silver-key") -> Raw:
    return {"type": "set_possession", "item": item, "owner": owner}


def status(entity: str, value: str) -> Raw:
    return {"type": "set_entity_status", "entity": entity, "status": value}


def fact(fact_id: str | None, predicate: str = "tally", **values: Any) -> Raw:
    return {"type": "add_fact", "predicate": predicate, **({"fact_id": fact_id} if fact_id else {}), **values}


def at(entity: str, location: str) -> Raw:
    return {"type": "set_current_location", "entity": entity, "location": location}
