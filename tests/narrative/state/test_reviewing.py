"""A proposal is judged in layers; each refusal names its layer and says what was wrong."""

from typing import Any

import pytest

from narrative.state.canon import read_canon
from narrative.state.document import Document, store_document
from narrative.state.events import EVENT_TYPES, MODELS
from narrative.state.extraction import UNPARSEABLE
from narrative.state.review import MOST_EVENTS, Status, review_proposal
from narrative.state.vocabulary import NEW, Choices, name_new_ones, proposal_schema, vocabulary
from tests.narrative.state.making import (
    Raw,
    after,
    at,
    fact,
    give,
    judge,
    reasons,
    rules,
    start,
    status,
    told,
)

CREATE: Raw = {"type": "create_entity", "entity": "edrin", "name": "Edrin"}


# --- envelope ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("proposal", "expected"),
    [
        (UNPARSEABLE, Status.UNPARSEABLE),
        ("set_possession", Status.REJECTED),
        (None, Status.REJECTED),
        (3, Status.REJECTED),
        ({"events": "none"}, Status.REJECTED),
        ({"events": {"type": "create_entity"}}, Status.REJECTED),
        ({"events": None}, Status.ACCEPTED),
        ({"events": []}, Status.ACCEPTED),
        ({}, Status.ACCEPTED),
        ({"player.hp": -80}, Status.ACCEPTED),
        ([], Status.ACCEPTED),
        ([give("mara")], Status.ACCEPTED),
        (give("mara"), Status.ACCEPTED),
        ({"events": ["a", 3, None, [give("mara")]]}, Status.REJECTED),
        ({"events": [give("mara"), "a"]}, Status.PARTIALLY_ACCEPTED),
        ({"events": [give("aldric")]}, Status.ACCEPTED),
    ],
)
def test_what_comes_of_an_envelope(proposal: object, expected: Status) -> None:
    before = start()
    review = review_proposal(before, proposal, rules())
    assert review.status == expected
    if expected in (Status.REJECTED, Status.UNPARSEABLE):
        assert review.document == before
    assert {each.layer for each in review.refused} <= {"envelope"}


def test_the_first_forty_are_judged_and_the_rest_is_refused() -> None:
    review = judge(Document(), *(fact(f"f-{number}", value=number) for number in range(MOST_EVENTS + 1)))
    assert len(review.accepted) == 40
    assert reasons(review) == [("envelope", "too_many")]
    assert "40" in review.refused[0].detail


# --- allowlist ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind", ["execute_shell", "", "CREATE_ENTITY", None, 3, ["create_entity"], {"a": 1}, "__class__"]
)
def test_an_unknown_type_is_refused_before_anything_else_of_it_is_read(kind: object) -> None:
    review = judge(start(), {"type": kind, "command": "rm -rf /", "entity": "mara"}, give("mara"))
    assert reasons(review) == [("allowlist", "unknown_type")]
    assert review.status == Status.PARTIALLY_ACCEPTED
    assert "rm -rf" not in review.refused[0].detail


@pytest.mark.parametrize("kind", [name for name, model in MODELS.items() if model.is_for_players])
def test_some_events_are_the_players_alone(kind: str) -> None:
    raw = {"type": kind, "entity": "mara", "into": "aldric", "name": "M", "alias": "a", "status": "active"}
    assert reasons(judge(start(), raw)) == [("allowlist", "players_only")]


# --- schema ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "named"),
    [
        ({"type": "set_possession", "item": "silver-key"}, "owner"),
        ({"type": "set_entity_attribute", "entity": "mara", "attribute": "a", "value": {"b": 1}}, "value"),
        ({"type": "set_entity_attribute", "entity": "mara", "attribute": "a"}, "value"),
        (
            {"type": "set_entity_attribute", "entity": "mara", "attribute": "a", "value": float("nan")},
            "value",
        ),
        (
            {"type": "set_entity_attribute", "entity": "mara", "attribute": "a", "value": float("inf")},
            "value",
        ),
        ({"type": "set_entity_attribute", "entity": "mara", "attribute": "a", "value": [["b"]]}, "value"),
        (
            {"type": "set_entity_attribute", "entity": "mara", "attribute": "status", "value": "active"},
            "status",
        ),
        ({"type": "set_entity_conditions", "entity": "mara", "conditions": "wet"}, "conditions"),
        ({"type": "set_entity_conditions", "entity": "mara", "conditions": [""]}, "conditions"),
        ({"type": "set_entity_conditions", "entity": "mara", "conditions": ["a"] * 41}, "conditions"),
        ({**CREATE, "name": "  "}, "name"),
        ({**CREATE, "entity": "…"}, "entity"),
        ({**CREATE, "entity": "x" * 81}, "entity"),
        ({**CREATE, "description": "x" * 2001}, "description"),
        ({**CREATE, "hp": -5}, "hp"),
        ({"type": "set_thread_status", "thread": "dawn", "status": "won"}, "status"),
        ({"type": "open_story_thread", "thread": "t", "title": "T", "importance": 6}, "importance"),
        ({"type": "add_fact", "predicate": "status", "subject": "mara", "value": "active"}, "predicate"),
        ({"type": "set_scene", "present": "mara"}, "present"),
        ({"type": "set_scene", "summary": 3}, "summary"),
    ],
)
def test_what_has_not_the_form_is_refused_by_its_field(event: Raw, named: str) -> None:
    review = judge(start(), event)
    assert [each.layer for each in review.refused] == ["schema"]
    assert f"“{named}" in review.refused[0].detail
    assert review.document == start()


@pytest.mark.parametrize(
    "event",
    [
        {**CREATE, "description": "x" * 2000},
        {**CREATE, "entity": "x" * 80},
        {"type": "set_entity_conditions", "entity": "mara", "conditions": [f"c {n}" for n in range(40)]},
        {"type": "set_entity_attribute", "entity": "mara", "attribute": "gold", "value": 0},
        {"type": "set_entity_attribute", "entity": "mara", "attribute": "gold", "value": 2.5},
        {"type": "set_entity_attribute", "entity": "mara", "attribute": "tall", "value": False},
        {"type": "set_entity_attribute", "entity": "mara", "attribute": "goals", "value": ["rest", "pay"]},
        {"type": "resolve_story_thread", "thread": "dawn", "resolution": "They came too late."},
        {"type": "set_current_location", "entity": "aldric", "location": None},
    ],
)
def test_what_is_at_the_limit_is_allowed(event: Raw) -> None:
    assert judge(start(), event).status == Status.ACCEPTED


def test_what_cannot_be_stored_is_cleaned_away() -> None:
    document = after(start(), {**CREATE, "name": "Ed\x00r\ud800in", "description": "a\nb\t c"})
    assert (document.entities["edrin"].name, document.entities["edrin"].description) == ("Edrin", "a b c")


# --- references --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written", ["silver-key", "Silver Key", "SILVER_KEY", "the silver key", "The  Silver Key", "silver key"]
)
def test_a_reference_is_found_by_key_slug_or_name(written: str) -> None:
    assert after(start(), give("mara", written)).possessions == {"silver-key": "mara"}


def test_a_typo_makes_nobody() -> None:
    review = judge(start(), at("mara", "nowhere"), at("marra", "inn"))
    assert reasons(review) == [("references", "unknown_reference")] * 2
    assert "“location”" in review.refused[0].detail
    assert "“nowhere”" in review.refused[0].detail
    assert review.document == start()


def test_a_name_that_two_things_have_has_to_be_said_by_key() -> None:
    guards = [{"type": "create_entity", "entity": f"guard-{n}", "name": "the guard"} for n in (1, 2)]
    document = after(start(), *guards)
    review = judge(document, at("guard", "inn"), at("guard-2", "inn"))
    assert reasons(review) == [("references", "unknown_reference")]
    assert "guard-1, guard-2" in review.refused[0].detail
    assert review.document.entities["guard-2"].location == "inn"


def test_what_was_made_earlier_in_the_proposal_counts_and_what_was_refused_does_not() -> None:
    mill = {"type": "create_entity", "entity": "mill", "name": "the mill"}
    assert len(judge(start(), mill, CREATE, at("edrin", "mill")).accepted) == 3
    late = judge(start(), at("edrin", "inn"), CREATE)
    assert (reasons(late), len(late.accepted)) == ([("references", "unknown_reference")], 1)
    spoiled = judge(start(), {**CREATE, "name": ""}, at("edrin", "inn"))
    assert [layer for layer, _ in reasons(spoiled)] == ["schema", "references"]


def test_what_is_there_is_not_made_anew() -> None:
    rich = after(start(), {"type": "set_entity_attribute", "entity": "mara", "attribute": "gold", "value": 5})
    again = judge(rich, {"type": "create_entity", "entity": "mara", "name": "Mara", "description": "new"})
    assert (again.status, len(again.redundant), again.document) == (Status.ACCEPTED, 1, rich)
    other = judge(rich, {"type": "create_entity", "entity": "MARA", "name": "the innkeeper's cat"})
    assert reasons(other) == [("references", "key_taken")]
    twice = judge(start(), CREATE, CREATE)
    assert (len(twice.accepted), len(twice.redundant)) == (1, 1)
    namesake = judge(start(), {"type": "create_entity", "entity": "mara-2", "name": "Mara Voss"})
    assert len(namesake.accepted) == 1


def test_a_fact_about_a_fact() -> None:
    document = after(
        start(),
        fact("f1", "the key was found at", object="abbey"),
        fact(None, "knows", subject="mara", object="f1"),
    )
    knows = document.facts[1]
    assert (knows.subject, knows.object) == ("mara", "f1")
    review = judge(document, fact(None, "knows", subject="mara", object="f9"))
    assert reasons(review) == [("references", "unknown_reference")]


def test_ids_of_facts_are_their_own() -> None:
    document = after(start(), fact("f1", value=1))
    review = judge(
        document,
        fact(None, "mara-knows", value=1),
        fact("f1", value=2),
        {"type": "invalidate_fact", "fact_id": "f1"},
        fact("mara-knows", value=3),
        fact("again", value=1),
        fact(None, "recalls", object="again"),
    )
    assert review.refused == ()
    facts = {each.id: each for each in review.document.facts}
    assert len(facts) == len(review.document.facts) == 5
    # The one that asked for a taken id got a fresh one, and was meant by it afterwards.
    assert (facts["f1"].status, facts["f1-2"].status, facts["f1-2"].value) == ("active", "invalidated", 2)
    # One that holds already keeps its own id.
    assert next(each for each in facts.values() if each.predicate == "recalls").object == "f1"


@pytest.mark.parametrize(
    "event",
    [
        {"type": "invalidate_fact", "fact_id": "nothing"},
        {"type": "set_thread_status", "thread": "nothing", "status": "resolved"},
        {"type": "end_relationship", "source": "mara", "target": "aldric", "relationship": "trusts"},
    ],
)
def test_what_is_not_there_cannot_end(event: Raw) -> None:
    assert reasons(judge(start(), event)) == [("references", "unknown_reference")]


# --- contradiction and canon -------------------------------------------------------------------------------


def test_nothing_is_inside_itself_at_any_remove() -> None:
    bag = {"type": "create_entity", "entity": "bag", "name": "the bag"}
    box = {"type": "create_entity", "entity": "box", "name": "the box"}
    document = after(start(), bag, box, give("bag", "box"), at("abbey", "box"))
    for event in (
        give("bag", "bag"),
        at("inn", "inn"),
        give("box", "bag"),
        at("bag", "box"),
        at("bag", "abbey"),
        give("abbey", "bag"),
        {"type": "add_relationship", "source": "mara", "target": "mara", "relationship": "trusts"},
    ):
        assert reasons(judge(document, event)) == [("canon", "contradiction")]


NO_RETURN = {"forbidden_status_changes": [{"from": "dead", "to": "active"}]}


@pytest.mark.parametrize(
    "way",
    [
        [status("mara", "active")],
        [status("mara", "ACTIVE ")],
        [status("mara", "alive")],
        [status("mara", "unknown"), status("mara", "active")],
        [status("mara", "inactive"), status("mara", "missing"), status("mara", "Active")],
    ],
)
def test_a_forbidden_change_stays_forbidden_whichever_way_it_is_reached(way: list[Raw]) -> None:
    document = after(start(), status("mara", "Dead"), canon=NO_RETURN)
    *between, last = way
    document = after(document, *between, canon=NO_RETURN)
    review = judge(document, last, canon=NO_RETURN)
    assert reasons(review) == [("canon", "canon_conflict")]
    assert "“dead”" in review.refused[0].detail
    assert "“active”" in review.refused[0].detail
    assert judge(document, last).refused == ()


def test_a_forbidden_change_is_not_reached_by_merging() -> None:
    document = after(start(), CREATE, status("mara", "dead"))
    merge = {"type": "merge_entities", "entity": "mara", "into": "edrin"}
    assert reasons(judge(document, merge, source="manual_correction", canon=NO_RETURN)) == [
        ("canon", "canon_conflict")
    ]


def test_a_rule_for_one_is_no_rule_for_another() -> None:
    canon = {"forbidden_status_changes": [{"from": "active", "to": "dead", "entity": "Mara Voss"}]}
    review = judge(start(), status("mara", "dead"), status("aldric", "dead"), canon=canon)
    assert reasons(review) == [("canon", "canon_conflict")]
    assert review.document.entities["aldric"].status == "dead"


def test_the_same_code_serves_another_genre() -> None:
    canon = {"forbidden_status_changes": [{"from": "grounded", "to": "faster-than-light"}]}
    ship = {"type": "create_entity", "entity": "persephone", "name": "Persephone", "entity_type": "airlock"}
    document = after(Document(), ship, status("persephone", "grounded"))
    assert document.entities["persephone"].type == "airlock"
    review = judge(document, status("persephone", "Faster than light"), canon=canon)
    assert reasons(review) == [("canon", "canon_conflict")]


def test_what_is_locked_stays() -> None:
    canon = {
        "locked_facts": [{"subject": "Mara Voss", "predicate": "born_in"}, {"predicate": "the war"}],
        "locked_attributes": [
            {"entity": "mara", "attribute": "eye colour"},
            {"entity": "mara", "attribute": "location"},
        ],
    }
    document = after(start(), fact("b", "born in", subject="mara", value="Westhaven"))
    refused: list[Raw] = [
        fact(None, "Born in", subject="mara", value="Ceres"),
        {"type": "invalidate_fact", "fact_id": "b"},
        fact(None, "The  War", value="is over"),
        {"type": "set_entity_attribute", "entity": "mara", "attribute": "Eye Colour", "value": "green"},
        at("mara", "abbey"),
    ]
    for event in refused:
        assert reasons(judge(document, event, canon=canon)) == [("canon", "canon_conflict")]
        assert reasons(judge(document, event, canon=canon, source="manual_correction")) == [
            ("canon", "canon_conflict")
        ]
    allowed = fact(None, "born in", subject="aldric", value="Ceres")
    assert judge(document, allowed, canon=canon).refused == ()
    # What a campaign begins with is what is locked.
    assert (
        judge(Document(), fact("w", "the war", value="goes on"), canon=canon, source="campaign_setup").refused
        == ()
    )


@pytest.mark.parametrize(
    "odd", [None, 3, "dead -> active", {"from": "a"}, [None, 3, {"from": "a"}, {"to": "b"}]]
)
def test_a_canon_that_cannot_be_read_is_named_and_stops_nothing(odd: Any) -> None:
    canon = read_canon({"forbidden_status_changes": odd, "house_style": {"a": 1}, "rules": ["Be kind."]})
    assert ("house_style", '{"a": 1}') in canon.unread
    assert (len(canon.unread) > 1) is (odd is not None)
    assert canon.rules == ("Be kind.",)


# --- the player's word -------------------------------------------------------------------------------------


def test_the_story_does_not_contradict_the_player() -> None:
    canon = {"single_valued": ["rank"]}
    document = after(start(), fact("r", "rank", subject="mara", value="keeper"), source="manual_correction")
    for event in (
        {"type": "invalidate_fact", "fact_id": "r"},
        fact(None, "Rank", subject="mara", value="thief"),
        status("mara", "withdrawn"),
    ):
        assert reasons(judge(document, event, canon=canon)) == [("canon", "player_correction")]
        assert judge(document, event, canon=canon, source="manual_correction").refused == ()


def test_what_the_player_withdrew_is_not_asserted_again() -> None:
    document = after(
        start(),
        fact("k", "knows", subject="mara", value="the way"),
        {"type": "add_relationship", "source": "mara", "target": "aldric", "relationship": "trusts"},
    )
    document = after(
        document,
        {"type": "invalidate_fact", "fact_id": "k", "reason": "never"},
        {"type": "end_relationship", "source": "mara", "target": "aldric", "relationship": "trusts"},
        status("abbey", "withdrawn"),
        source="manual_correction",
    )
    for event in (
        fact("k2", "Knows", subject="mara", value="The Way"),
        {"type": "add_relationship", "source": "mara", "target": "aldric", "relationship": "Trusts"},
        at("mara", "abbey"),
        status("abbey", "active"),
        {"type": "create_entity", "entity": "abbey-2", "name": "Old Abbey"},
    ):
        assert reasons(judge(document, event)) == [("canon", "player_correction")]
    assert judge(document, fact("k3", "knows", subject="mara", value="another way")).refused == ()


# --- evidence ----------------------------------------------------------------------------------------------

VALE: Raw = {"type": "create_entity", "entity": "vale", "name": "Captain Vale", "entity_type": "character"}


@pytest.mark.parametrize(
    ("event", "text", "is_told"),
    [
        (give("mara"), "Mara takes the key.", True),
        (give("mara"), "Mara nods.", False),
        (give("mara"), "She takes the keys, does Mara Voss.", True),
        (give("mara"), "The monkey looks at Marabel.", False),
        (at("aldric", "abbey"), "You come to the Old Abbey.", True),
        (at("aldric", "abbey"), "You come to an old man.", False),
        (VALE, "A captain called Vale.", True),
        (VALE, "Somebody is at the door.", False),
        ({"type": "create_entity", "entity": "sakura", "name": "桜"}, "庭に桜が咲く。", True),
        ({"type": "create_entity", "entity": "zoe", "name": "Zoë"}, "ZOË laughs.", True),
        (fact(None, "the bridge", value="collapsed"), "The bridge collapses behind you.", True),
        (fact(None, "tally", value=7), "Nothing happens.", False),
        ({"type": "set_scene", "mood": "uneasy"}, "Nothing happens.", True),
        (
            {"type": "set_thread_status", "thread": "dawn", "status": "resolved"},
            "Dawn finds you there.",
            True,
        ),
        ({"type": "set_thread_status", "thread": "dawn", "status": "resolved"}, "It rains.", False),
    ],
)
def test_what_the_story_names_is_supported(event: Raw, text: str, *, is_told: bool) -> None:
    evidence = told(text, protagonist="aldric")
    [accepted] = judge(start(), event, **evidence).accepted
    assert accepted.is_unsupported is not is_told
    refusing = judge(start(), event, **{**evidence, "demand": "refuse"})
    assert reasons(refusing) == ([] if is_told else [("evidence", "not_in_the_text")])
    assert judge(start(), event, **{**evidence, "demand": "off"}).accepted[0].is_unsupported is False


def test_who_is_present_need_not_be_named() -> None:
    document = after(start(), {"type": "set_scene", "present": ["mara"], "location": "abbey"})
    assert judge(document, at("mara", "abbey"), **told("She turns.")).accepted[0].is_unsupported is False


def test_a_passage_alone_is_no_evidence_in_any_setting() -> None:
    for demand in ("mark", "refuse", "off"):
        review = judge(
            start(), VALE, **told("It rains.", passages=("Captain Vale keeps the gate.",), demand=demand)
        )
        assert reasons(review) == [("evidence", "passage_only")]
    review = judge(
        start(), VALE, **told("Captain Vale comes in.", passages=("Captain Vale keeps the gate.",))
    )
    assert review.accepted[0].is_unsupported is False


# --- judging is not changing; teaching is what is judged ---------------------------------------------------


def test_judging_changes_nothing() -> None:
    document, events = start(), [give("mara"), {**CREATE, "name": " Edrin "}, {"type": "x"}]
    before, raw = store_document(document), [dict(each) for each in events]
    judge(document, *events)
    assert (store_document(document), events) == (before, raw)


def test_the_vocabulary_is_that_of_the_models() -> None:
    lines = [line for line in vocabulary().splitlines() if line.startswith("- ")]
    taught = {line[2:].split(":")[0]: line.split(": ", 1)[1].split(". ")[0] for line in lines}
    story = {name: model for name, model in MODELS.items() if not model.is_for_players}
    assert set(taught) == set(story)
    assert set(story) <= EVENT_TYPES
    for name, model in story.items():
        fields = [field.rstrip("?[]") for field in taught[name].split(", ")]
        assert fields == [field for field in model.model_fields if field != "type"]
        for field, written in zip(fields, taught[name].split(", "), strict=True):
            assert ("?" in written) is not model.model_fields[field].is_required()


def test_the_schema_of_a_call_has_closed_choices_and_nothing_that_converters_drop() -> None:
    schema = proposal_schema(Choices(entities=("mara", "inn"), threads=("dawn",)))
    kinds = {
        each["properties"]["type"]["const"]: each for each in schema["properties"]["events"]["items"]["anyOf"]
    }
    assert "invalidate_fact" not in kinds  # there is no fact to name
    assert kinds["set_current_location"]["properties"]["location"] == {"enum": ["mara", "inn", *NEW]}
    assert kinds["set_thread_status"]["properties"]["thread"] == {"enum": ["dawn"]}
    assert kinds["create_entity"]["properties"]["entity"] == {"enum": list(NEW)}
    text = str(schema)
    for word in ("pattern", "$ref", "uniqueItems", "oneOf", "number", "null"):
        assert word not in text


def test_new_things_go_by_stand_ins_until_they_have_a_name() -> None:
    answer = {
        "events": [
            {"type": "create_entity", "entity": "new-1", "name": "The Brass Lantern", "entity_type": "item"},
            give("aldric", "new-1"),
            at("new-2", "inn"),
        ]
    }
    named = name_new_ones(answer, start().entities)
    review = review_proposal(start(), named, rules())
    assert review.document.possessions["the-brass-lantern"] == "aldric"
    assert reasons(review) == [("references", "unknown_reference")]
    assert name_new_ones("new-1", ()) == "new-1"
