"""What events make of a document: absolute, exclusive, never deleting, and never touching what it was."""

from copy import deepcopy
from typing import Any

import pytest

from narrative.state.apply import Writing, apply_events
from narrative.state.changes import change_lines
from narrative.state.document import (
    Document,
    Place,
    damaged_sections,
    read_document,
    store_document,
    write_document,
)
from narrative.state.events import parse_event
from tests.narrative.state.making import HERE, Raw, after, at, fact, give, judge, start, status

ABSOLUTE: list[Raw] = [
    status("mara", "wary"),
    {"type": "set_entity_attribute", "entity": "mara", "attribute": "gold", "value": 50},
    {"type": "set_entity_conditions", "entity": "mara", "conditions": ["wet", "tired"]},
    at("mara", "abbey"),
    give("mara"),
    {"type": "clear_possession", "item": "silver-key"},
]


def test_absolute_events_twice_are_once() -> None:
    events = [parse_event(each) for each in ABSOLUTE]
    writing = Writing("accepted_story", HERE)
    once = apply_events(start(), events, writing)
    assert apply_events(once, events, writing) == once
    assert once.entities["mara"].attributes == {"gold": 50}
    for event in ABSOLUTE:
        assert judge(after(start(), event), event).redundant, event


def test_an_item_has_one_holder() -> None:
    document = after(start(), give("mara"))
    assert document.possessions == {"silver-key": "mara"}
    assert document.possession_provenance["silver-key"].at == HERE
    gone = after(document, {"type": "clear_possession", "item": "silver-key"})
    assert (gone.possessions, gone.possession_provenance) == ({}, {})


def test_conditions_are_replaced() -> None:
    def wear(*labels: str) -> Raw:
        return {"type": "set_entity_conditions", "entity": "mara", "conditions": list(labels)}

    document = after(start(), wear("injured", "wet"), wear("dry"))
    assert document.entities["mara"].conditions == ["dry"]
    assert after(document, wear()).entities["mara"].conditions == []


def test_an_attribute_is_taken_away_by_null() -> None:
    gold: Raw = {"type": "set_entity_attribute", "entity": "mara", "attribute": "gold", "value": 5}
    assert after(start(), gold, {**gold, "value": None}).entities["mara"].attributes == {}
    assert judge(start(), {**gold, "value": None}).redundant


def test_what_ends_is_marked_and_stays() -> None:
    trusts: Raw = {"source": "mara", "target": "aldric", "relationship": "trusts"}
    document = after(
        start(),
        fact("f", value=1),
        {"type": "invalidate_fact", "fact_id": "f", "reason": "It was two."},
        {"type": "add_relationship", **trusts, "description": "since the fire"},
        {"type": "end_relationship", **trusts},
        {"type": "set_thread_status", "thread": "dawn", "status": "resolved", "resolution": "They came."},
    )
    [known] = document.facts
    assert (known.status, known.invalidated_by, known.invalidated_at, known.invalidated_reason) == (
        *("invalidated", "accepted_story", HERE, "It was two."),
    )
    [tie] = document.relationships
    assert (tie.status, tie.ended_at, tie.description) == ("ended", HERE, "since the fire")
    thread = document.threads["dawn"]
    assert (thread.status, thread.resolved_at, thread.resolution) == ("resolved", HERE, "They came.")


def test_a_single_value_takes_the_place_of_the_one_before() -> None:
    canon = {"single_valued": ["Rank"]}
    document = after(
        start(),
        fact("r1", "rank", subject="mara", value="keeper"),
        fact("r2", "rank", subject="aldric", value="courier"),
        fact("o1", "owes", subject="mara", value=3),
        fact("r3", "rank", subject="mara", value="reeve"),
        fact("o2", "owes", subject="mara", value=4),
        canon=canon,
    )
    statuses = {each.id: each.status for each in document.facts}
    assert statuses == {"r1": "superseded", "r2": "active", "o1": "active", "r3": "active", "o2": "active"}
    assert document.facts[0].invalidated_reason == "replaced by r3"


def test_the_scene_is_changed_in_part() -> None:
    document = after(
        start(),
        {"type": "set_scene", "summary": "Rain.", "location": "inn", "present": ["aldric", "Mara Voss"]},
    )
    moved = after(document, {"type": "set_scene", "mood": "still"}, at=Place(1, 4))
    assert (moved.scene.summary, moved.scene.mood, moved.scene.present) == (
        "Rain.",
        "still",
        ["aldric", "mara"],
    )
    assert (moved.scene.since, moved.scene.at) == (HERE, Place(1, 4))
    away = after(moved, {"type": "set_scene", "location": "abbey"}, at=Place(1, 5))
    assert away.scene.since == Place(1, 5)


def test_everything_says_who_established_it_and_where() -> None:
    by_player = after(start(), fact("f", value=1), give("mara"), source="manual_correction", at=Place(2, 9))
    assert (by_player.facts[0].authority, by_player.facts[0].source) == ("manual_correction",) * 2
    assert by_player.facts[0].at == Place(2, 9)
    assert by_player.possession_provenance["silver-key"].authority == "manual_correction"
    assert after(start(), fact("f", value=1)).facts[0].authority == "accepted_story"


def test_two_entries_for_one_thing_become_one() -> None:
    document = after(
        start(),
        {"type": "create_entity", "entity": "innkeeper", "name": "the innkeeper", "aliases": ["the keeper"]},
        {"type": "set_entity_attribute", "entity": "innkeeper", "attribute": "mood", "value": "sour"},
        give("innkeeper"),
        at("innkeeper", "inn"),
        fact("f", "knows", subject="innkeeper", object="abbey"),
        {"type": "add_relationship", "source": "innkeeper", "target": "aldric", "relationship": "trusts"},
        {"type": "add_relationship", "source": "innkeeper", "target": "mara", "relationship": "resembles"},
        {"type": "set_scene", "present": ["innkeeper", "mara", "aldric"]},
    )
    merge = {"type": "merge_entities", "entity": "innkeeper", "into": "mara"}
    merged = after(document, merge, source="manual_correction")
    mara = merged.entities["mara"]
    assert "innkeeper" not in merged.entities
    assert (mara.name, mara.aliases, mara.location) == ("Mara Voss", ["the innkeeper", "the keeper"], "inn")
    assert (mara.attributes, merged.possessions) == ({"mood": "sour"}, {"silver-key": "mara"})
    assert [tie.source for tie in merged.relationships] == ["mara"]
    assert (merged.facts[0].subject, merged.scene.present) == ("mara", ["mara", "aldric"])
    assert after(merged, at("the innkeeper", "abbey")).entities["mara"].location == "abbey"


def test_names_of_before_still_lead_there() -> None:
    rename = {"type": "rename_entity", "entity": "mara", "name": "Mara of the Inn"}
    document = after(start(), rename, source="manual_correction")
    assert document.entities["mara"].aliases == ["Mara Voss"]
    assert after(document, at("mara voss", "abbey")).entities["mara"].location == "abbey"
    forget = {"type": "remove_entity_alias", "entity": "mara", "alias": "mara voss"}
    assert after(document, forget, source="manual_correction").entities["mara"].aliases == []


def test_what_was_stays_as_it_was() -> None:
    before = start()
    stored = deepcopy(write_document(before))
    after(before, *ABSOLUTE, fact("f", value=1), {"type": "set_scene", "present": ["mara"]})
    assert write_document(before) == stored


def test_size_follows_content_and_not_history() -> None:
    document = start()
    for number in range(500):
        event = {"type": "set_entity_attribute", "entity": "mara", "attribute": "gold", "value": number}
        document = after(document, event)
    assert len(str(store_document(document))) < len(str(store_document(start()))) + 60


def test_a_short_line_for_each_change_with_names_and_no_keys() -> None:
    events = [
        {"type": "create_entity", "entity": "edrin-x", "name": "Edrin", "entity_type": "Character"},
        at("edrin-x", "inn"),
        give("edrin-x"),
        fact("f-x", "knows", subject="edrin-x", value="the way"),
        {"type": "invalidate_fact", "fact_id": "f-x"},
        {"type": "open_story_thread", "thread": "t-x", "title": "Find the way"},
        {"type": "resolve_story_thread", "thread": "t-x", "resolution": "It was a lie"},
        {"type": "set_entity_conditions", "entity": "edrin-x", "conditions": []},
        {"type": "set_scene", "present": ["edrin-x"], "mood": "uneasy"},
    ]
    lines = change_lines(start(), [parse_event(each) for each in events], Writing("accepted_story", HERE))
    assert lines == [
        "New: Edrin (character)",
        "Edrin: now at the Crooked Lantern",
        "the silver key: now with Edrin",
        "Established: Edrin knows the way",
        "No longer true: Edrin knows the way",
        "Open: Find the way",
        "Resolved: Find the way (It was a lie)",
        "Edrin: well again",
        "Scene: uneasy; with Edrin",
    ]


# --- documents that were damaged ---------------------------------------------------------------------------


@pytest.mark.parametrize("stored", [None, [], 3, "x", {"entities": []}, {"facts": "x"}, {"version": "old"}])
def test_a_damaged_document_is_read(stored: Any) -> None:
    assert read_document(stored) == Document()


@pytest.mark.parametrize("section", ["entities", "facts", "threads", "scene", "possessions", "relationships"])
@pytest.mark.parametrize("damage", [None, 3, "x", [3], {"a": 3}])
def test_a_damaged_section_is_empty_and_the_others_are_kept(section: str, damage: Any) -> None:
    whole = after(start(), fact("f", value=1), {"type": "set_scene", "mood": "still"})
    stored = store_document(whole) | {section: damage}
    read = read_document(stored)
    assert getattr(read, section) == getattr(Document(), section)
    if not (section == "scene" and isinstance(damage, dict)):  # a scene with nothing in it is one
        assert damaged_sections(stored) == (section,)
    for other in ("entities", "facts", "threads", "scene"):
        if other != section:
            assert getattr(read, other) == getattr(whole, other)


def test_a_good_document_is_not_repaired() -> None:
    whole = after(start(), fact("f", value=True), fact("g", value=["a"]), fact("h", value=1))
    for written in (store_document(whole), write_document(whole)):
        assert damaged_sections(written) == ()
        assert read_document(written) == whole
    assert [each.value for each in read_document(store_document(whole)).facts] == [True, ["a"], 1]
