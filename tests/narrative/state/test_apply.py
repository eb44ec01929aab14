"""Merging, single values, and that applying is total."""

from typing import Any

import pytest

from narrative.state.apply import Writing, apply_event, apply_events
from narrative.state.document import Document, Place, damaged_sections, store_document
from narrative.state.events import MODELS, parse_event
from tests.narrative.state.making import HERE, Raw, after, at, fact, give, judge, start, status

MERGE: Raw = {"type": "merge_entities", "entity": "keeper", "into": "mara"}
CANON = {"single_valued": ["rank"]}


def tie(source: str, target: str, kind: str = "trusts", **values: Any) -> Raw:
    return {"type": "add_relationship", "source": source, "target": target, "relationship": kind, **values}


def merged(*events: Raw) -> Document:
    keeper = {"type": "create_entity", "entity": "keeper", "name": "the keeper"}
    document = after(start(), keeper, *events)
    return after(document, MERGE, source="manual_correction", canon=CANON)


# --- merging -----------------------------------------------------------------------------------------------


def test_a_relationship_that_both_had_holds_once() -> None:
    document = merged(
        tie("mara", "aldric"),
        tie("keeper", "aldric", "Trusts", description="since the fire"),
        tie("keeper", "aldric", "owes"),
        tie("keeper", "mara", "resembles"),
    )
    assert [(each.type, each.description) for each in document.relationships] == [
        ("trusts", "since the fire"),
        ("owes", ""),
    ]
    end = {"type": "end_relationship", "source": "mara", "target": "aldric", "relationship": "trusts"}
    ended = after(document, end)
    assert [each.type for each in ended.relationships if each.status == "active"] == ["owes"]


def test_relationships_that_ended_stay_on_record() -> None:
    end = {"type": "end_relationship", "source": "keeper", "target": "aldric", "relationship": "trusts"}
    document = merged(tie("keeper", "aldric"), end, tie("mara", "aldric"))
    assert [(each.source, each.status) for each in document.relationships] == [
        ("mara", "ended"),
        ("mara", "active"),
    ]


def test_a_fact_that_both_had_holds_once() -> None:
    document = merged(
        fact("a", "knows", subject="mara", object="abbey"),
        fact("b", "Knows", subject="keeper", object="abbey"),
        fact("c", "knows", subject="keeper", object="inn"),
        fact("d", "fears", subject="aldric", object="mara"),
        fact("e", "fears", subject="aldric", object="keeper"),
    )
    statuses = {each.id: each.status for each in document.facts}
    assert statuses == {"a": "active", "b": "superseded", "c": "active", "d": "active", "e": "superseded"}
    withdrawn = after(document, {"type": "invalidate_fact", "fact_id": "a"})
    assert [each.id for each in withdrawn.facts if each.status == "active"] == ["c", "d"]


def test_of_a_single_value_one_stays() -> None:
    document = merged(
        fact("a", "rank", subject="mara", value="reeve"),
        fact("b", "rank", subject="keeper", value="keeper"),
        fact("c", "owes", subject="mara", value=1),
        fact("d", "owes", subject="keeper", value=2),
    )
    assert {each.id for each in document.facts if each.status == "active"} == {"a", "c", "d"}


def test_what_the_player_established_stays() -> None:
    keeper = {"type": "create_entity", "entity": "keeper", "name": "the keeper"}
    document = after(start(), keeper, fact("a", "rank", subject="mara", value="reeve"))
    document = after(
        document, fact("b", "rank", subject="keeper", value="keeper"), source="manual_correction"
    )
    document = after(document, MERGE, source="manual_correction", canon=CANON)
    assert {each.id for each in document.facts if each.status == "active"} == {"b"}


def test_an_item_that_is_merged_has_one_holder() -> None:
    double = {"type": "create_entity", "entity": "key-2", "name": "a key"}
    document = after(start(), double, give("mara", "key-2"))
    for entity, into, owner in (("key-2", "silver-key", "aldric"), ("silver-key", "key-2", "mara")):
        event = {"type": "merge_entities", "entity": entity, "into": into}
        one = after(document, event, source="manual_correction")
        assert one.possessions == {into: owner}
        assert set(one.possession_provenance) == {into}
        assert entity not in one.entities


def test_nothing_names_what_was_merged_any_more() -> None:
    document = merged(
        at("keeper", "inn"),
        {"type": "create_entity", "entity": "cat", "name": "a cat"},
        at("cat", "keeper"),
        give("keeper", "cat"),
        tie("cat", "keeper"),
        fact("f", "of", subject="keeper", object="keeper"),
        {"type": "set_scene", "location": "inn", "present": ["keeper", "mara"], "significant": ["keeper"]},
        status("keeper", "weary"),
        {"type": "set_entity_conditions", "entity": "keeper", "conditions": ["wet"]},
    )
    stored = str(store_document(document)).replace("'the keeper'", "")
    assert "'keeper'" not in stored
    assert (document.entities["cat"].location, document.possessions["cat"]) == ("mara", "mara")
    assert (document.scene.present, document.entities["mara"].conditions) == (["mara"], ["wet"])
    assert "weary" in document.entities["mara"].earlier_statuses


# --- facts and ties ----------------------------------------------------------------------------------------


def test_a_value_that_holds_after_all_takes_the_place_of_the_other() -> None:
    document = after(
        start(),
        fact("a", "rank", subject="mara", value="reeve"),
        fact("b", "Rank", subject="mara", value="keeper"),
        fact("c", "rank", value="none"),
        canon=CANON,
    )
    back = {"type": "set_fact_status", "fact_id": "a", "status": "active"}
    document = after(document, back, source="manual_correction", canon=CANON)
    assert {each.id: each.status for each in document.facts} == {
        "a": "active",
        "b": "superseded",
        "c": "active",
    }
    assert document.facts[1].invalidated_reason == "replaced by a"


def test_where_and_by_whom_it_ended() -> None:
    document = after(start(), tie("mara", "aldric"), fact("f", value=1))
    end = {"type": "end_relationship", "source": "mara", "target": "aldric", "relationship": "TRUSTS"}
    gone = {"type": "invalidate_fact", "fact_id": "f"}
    document = after(document, end, gone, source="manual_correction", at=Place(7, 11))
    [known], [was] = document.relationships, document.facts
    assert (known.status, known.ended_by, known.ended_at, known.at) == (
        "ended",
        "manual_correction",
        Place(7, 11),
        HERE,
    )
    assert (was.invalidated_by, was.invalidated_at, was.authority) == (
        "manual_correction",
        Place(7, 11),
        "accepted_story",
    )
    again = after(document, tie("mara", "aldric"), source="manual_correction")
    assert [each.status for each in again.relationships] == ["ended", "active"]
    assert len({each.id for each in again.relationships}) == 2


def test_a_description_is_kept_unless_another_is_given() -> None:
    document = after(start(), tie("mara", "aldric", description="since the fire"))
    assert after(document, tie("mara", "aldric", "trusts", description="")).relationships[0].description == ""
    assert judge(document, tie("mara", "aldric")).document.relationships[0].description == "since the fire"


@pytest.mark.parametrize(
    ("source", "authority"),
    [
        ("accepted_story", "accepted_story"),
        ("narrator_edit", "accepted_story"),
        ("campaign_setup", "accepted_story"),
        ("manual_correction", "manual_correction"),
        ("campaign_canon", "campaign_canon"),
        ("import", "imported_canon"),
    ],
)
def test_every_source_has_its_authority(source: str, authority: str) -> None:
    document = after(
        start(),
        fact("f", value=1),
        tie("mara", "aldric"),
        give("mara"),
        {"type": "create_entity", "entity": "x", "name": "X"},
        {"type": "open_story_thread", "thread": "t", "title": "T", "importance": 3},
        source=source,
        at=Place(4, 9),
    )
    assert document.facts[0].source == source
    made = (
        (document.facts[0].authority, document.facts[0].at),
        (document.relationships[0].authority, document.relationships[0].at),
        (
            document.possession_provenance["silver-key"].authority,
            document.possession_provenance["silver-key"].at,
        ),
        (document.entities["x"].authority, document.entities["x"].at),
        (document.threads["t"].authority, document.threads["t"].opened_at),
    )
    assert set(made) == {(authority, Place(4, 9))}


def test_a_type_that_nobody_foresaw_is_kept() -> None:
    document = after(
        Document(),
        {"type": "create_entity", "entity": "a", "name": "Airlock four", "entity_type": "Airlock"},
        {"type": "create_entity", "entity": "b", "name": "B"},
    )
    assert [each.type for each in document.entities.values()] == ["airlock", "other"]


# --- total -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", sorted(MODELS))
def test_applying_to_what_is_not_there_is_no_exception(kind: str) -> None:
    listed: dict[str, Any] = {
        field: ["nobody"]
        for field in (
            "present",
            "significant",
            "conditions",
            "aliases",
            "actions",
            "visual_notes",
            "continuity_notes",
        )
    }
    worded = {"set_fact_status": "disputed", "set_thread_status": "resolved"}
    values = {**listed, "importance": 1, "status": worded.get(kind, "x")}
    fields = [field for field in MODELS[kind].model_fields if field != "type"]
    event = parse_event({"type": kind, **{field: values.get(field, "nobody") for field in fields}})
    for document in (Document(), start()):
        applied = apply_event(document, event, Writing("accepted_story", HERE))
        assert damaged_sections(store_document(applied)) == ()
        if kind not in ("create_entity", "add_fact", "add_relationship", "open_story_thread", "set_scene"):
            assert applied == document


def test_a_list_applied_again_elsewhere_makes_the_same() -> None:
    review = judge(
        start(),
        fact("f", value=1),
        fact("f", value=2),
        fact(None, value=3),
        tie("mara", "aldric"),
        {"type": "set_scene", "location": "inn", "present": ["mara"]},
    )
    writing = Writing("accepted_story", HERE)
    assert apply_events(start(), review.events, writing) == review.document
    assert apply_events(start(), list(review.events), writing) == review.document
