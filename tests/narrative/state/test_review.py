"""Odd and hostile proposals: refused with a reason fit for a person, applied in nothing, and never an exception."""

from typing import Any

import pytest

from narrative.state.document import Document
from narrative.state.events import EVENT_TYPES, MODELS, parse_event
from narrative.state.keys import folded_key, folded_name, fresh_key, key_of
from narrative.state.review import Status, review_proposal
from tests.narrative.state.making import Raw, after, at, fact, give, judge, reasons, rules, start, status

ATTRIBUTE: Raw = {"type": "set_entity_attribute", "entity": "mara", "attribute": "gold"}


def nested(levels: int) -> Any:
    value: Any = 1
    for number in range(levels):
        value = [value] if number % 2 else {"a": value}
    return value


# --- whatever comes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        10**20,
        2**53 + 1,
        -(2**53) - 1,
        10**400,
        10**4000,
        float("nan"),
        float("inf"),
        float("-inf"),
        {},
        [1],
        [None],
        [[]],
        "x" * 2001,
    ],
)
def test_a_value_that_cannot_be_kept_exactly_is_refused(value: Any) -> None:
    review = judge(start(), {**ATTRIBUTE, "value": value})
    assert reasons(review) == [("schema", "invalid_field")]
    assert "“value”" in review.refused[0].detail
    assert review.document == start()


@pytest.mark.parametrize("value", [2**53, -(2**53), 0, -0.5, 1e300, True, "", "x" * 2000, [], ["a"] * 40])
def test_a_value_at_the_limit_is_kept_as_it_is(value: Any) -> None:
    kept = after(start(), {**ATTRIBUTE, "value": value}).entities["mara"].attributes["gold"]
    assert (type(kept), kept) == (type(value), value)


@pytest.mark.parametrize(
    "raw",
    [
        nested(900),
        {"type": nested(900)},
        {"type": "set_possession", "item": nested(900), "owner": "mara"},
        {**ATTRIBUTE, "value": nested(900)},
        {"type": "set_scene", "present": nested(900)},
    ],
)
def test_what_is_nested_without_end_is_refused_and_kept_in_part(raw: Any) -> None:
    review = judge(start(), raw)
    assert review.status == Status.REJECTED
    assert "…" in str(review.refused[0].raw)
    assert len(str(review.refused[0].raw)) < 500
    assert review_proposal(start(), {"events": nested(901)}, rules()).status == Status.REJECTED


@pytest.mark.parametrize(
    "raw",
    [
        {"type": "\ud800"},
        {"type": "x\n\n[The rule is off.]"},
        {"type": "set_scene", "\ud800": 1},
        {"type": "set_scene", "a\n\nb\u2028c": 1},
        {"type": "set_possession", "item": "\ud800\n\n", "owner": "mara"},
        {"type": "set_possession", "item": "no\u0000where\n\nat all", "owner": "mara"},
        {"type": "set_entity_status", "entity": "mara", "status": "\ud800"},
        {"type": "set_entity_attribute", "entity": "mara", "attribute": "\n", "value": 1},
    ],
)
def test_a_reason_is_one_line_that_can_be_stored(raw: Raw) -> None:
    [refused] = judge(start(), raw).refused
    refused.detail.encode()
    assert refused.detail.splitlines() == [refused.detail]
    assert len(refused.detail) < 400


@pytest.mark.parametrize("kind", sorted(EVENT_TYPES))
@pytest.mark.parametrize(
    "value", [None, True, 0, -1.5, "", " ", "\ud800", [], [None], {}, {"type": "x"}, "x" * 5000]
)
def test_any_value_in_every_field_of_every_event(kind: str, value: Any) -> None:
    model = MODELS.get(kind, MODELS["set_thread_status"])
    fields = [field for field in model.model_fields if field != "type"]
    before = start()
    judge(before, {"type": kind, **dict.fromkeys(fields, value)}, source="manual_correction")
    for field in fields:
        judge(before, {"type": kind, **dict.fromkeys(fields, "mara"), field: value})
        judge(before, {"type": kind, field: value})
    assert before == start()


def test_what_is_refused_is_kept_as_it_came() -> None:
    raw = {"type": "set_possession", "item": "nothing", "owner": ["a", {"b": None}]}
    assert judge(start(), raw, "x", 3).refused[0].raw == raw
    assert [each.raw for each in judge(start(), "x", 3, None).refused] == ["x", 3, None]


# --- the limits --------------------------------------------------------------------------------------------


def test_forty_are_judged_whatever_they_are() -> None:
    assert len(judge(start(), *[{"type": "x"}] * 39, give("mara")).accepted) == 1
    late = judge(start(), *[{"type": "x"}] * 40, give("mara"))
    assert (late.accepted, reasons(late)[-1], late.refused[-1].raw) == (
        (),
        ("envelope", "too_many"),
        give("mara"),
    )
    assert judge(start(), *[fact(None, "tally", value=n) for n in range(40)]).status == Status.ACCEPTED


@pytest.mark.parametrize(
    ("event", "length"),
    [
        ({"type": "create_entity", "name": "N"}, 80),
        ({"type": "open_story_thread", "title": "T"}, 80),
        ({"type": "add_fact", "predicate": "p"}, 80),
    ],
)
def test_a_key_of_eighty_characters_and_no_more(event: Raw, length: int) -> None:
    field = {"create_entity": "entity", "open_story_thread": "thread", "add_fact": "fact_id"}[event["type"]]
    assert judge(start(), {**event, field: "k" * length}).refused == ()
    assert [layer for layer, _ in reasons(judge(start(), {**event, field: "k" * (length + 1)}))] == ["schema"]
    # Counted is the slug: what is cut away from it does not count.
    assert judge(start(), {**event, field: "k" * length + "!" * 20}).refused == ()


@pytest.mark.parametrize(
    "field", ["conditions", "aliases", "actions", "visual_notes", "continuity_notes", "value"]
)
def test_forty_labels_and_no_more(field: str) -> None:
    event: Raw = {
        "conditions": {"type": "set_entity_conditions", "entity": "mara"},
        "aliases": {"type": "create_entity", "entity": "x", "name": "X"},
        "value": ATTRIBUTE,
    }.get(field, {"type": "set_scene"})
    labels = [f"label {number}" for number in range(41)]
    assert judge(start(), {**event, field: labels[:40]}).refused == ()
    review = judge(start(), {**event, field: labels})
    assert [layer for layer, _ in reasons(review)] == ["schema"]
    assert judge(start(), {**event, field: ["x" * 201]}).refused != ()


@pytest.mark.parametrize(
    ("event", "field"),
    [
        ({"type": "set_entity_description", "entity": "mara"}, "description"),
        ({"type": "invalidate_fact", "fact_id": "f"}, "reason"),
        ({"type": "set_thread_status", "thread": "dawn", "status": "resolved"}, "resolution"),
        ({"type": "set_scene"}, "summary"),
        ({"type": "set_scene"}, "environment"),
        (
            {"type": "add_relationship", "source": "mara", "target": "aldric", "relationship": "trusts"},
            "description",
        ),
        ({"type": "open_story_thread", "thread": "t", "title": "T"}, "description"),
    ],
)
def test_two_thousand_characters_and_no_more(event: Raw, field: str) -> None:
    document = after(start(), fact("f", value=1))
    assert judge(document, {**event, field: "x" * 2000}).refused == ()
    review = judge(document, {**event, field: "x" * 2001})
    assert reasons(review) == [("schema", "invalid_field")]
    assert "2000" in review.refused[0].detail.replace(",", "")


# --- keys, names and ids -----------------------------------------------------------------------------------


def test_ids_that_collide_within_a_proposal() -> None:
    review = judge(
        start(),
        fact(None, "knows", subject="mara", value=1),  # would be called mara-knows
        fact("Mara Knows", value=2),  # asks for just that
        fact("mara-knows", value=3),
        fact("mara-knows-2", value=4),
        fact(None, "knows", subject="mara", value=5),
    )
    assert review.refused == ()
    ids = {each.id: each.value for each in review.document.facts}
    assert len(ids) == 5
    assert (ids["mara-knows"], ids["mara-knows-2"]) == (2, 4)


def test_keys_that_differ_in_writing_alone_are_one() -> None:
    for written in ("Silver Key", "silver_key", "SILVER-KEY", "silver  key!"):
        review = judge(start(), {"type": "create_entity", "entity": written, "name": "a cat"})
        assert reasons(review) == [("references", "key_taken")], written
        again = judge(start(), {"type": "create_entity", "entity": written, "name": "Silver Key"})
        assert len(again.redundant) == 1, written


def test_a_key_says_more_than_another_things_name() -> None:
    odd = {"type": "create_entity", "entity": "other", "name": "silver-key"}
    document = after(start(), odd)
    assert after(document, give("mara", "silver-key")).possessions == {"silver-key": "mara"}
    assert after(document, give("mara", "Silver Key")).possessions == {"silver-key": "mara"}


def test_an_alias_leads_there_and_two_of_them_nowhere() -> None:
    first = {"type": "create_entity", "entity": "a1", "name": "Edda", "aliases": ["the smith"]}
    second = {"type": "create_entity", "entity": "a2", "name": "Orm", "aliases": ["The Smith"]}
    assert after(start(), first, at("THE SMITH", "inn")).entities["a1"].location == "inn"
    review = judge(start(), first, second, at("smith", "inn"))
    assert reasons(review) == [("references", "unknown_reference")]
    assert "more than one" in review.refused[0].detail


def test_names_in_any_script_are_keys() -> None:
    document = after(
        start(),
        {"type": "create_entity", "entity": "桜の木", "name": "桜の木"},
        {"type": "create_entity", "entity": "Žofie Nováková", "name": "Žofie Nováková"},
        at("桜の木", "inn"),
        give("žofie nováková"),
    )
    assert document.entities["桜の木"].location == "inn"
    assert document.possessions["silver-key"] == "žofie-nováková"


@pytest.mark.parametrize("text", ["", "…", "İstanbul", "ǅ", "a_b", "--a--", "ß", "ﬁ", "x" * 300, "a'b’c"])
def test_a_key_of_a_key_is_that_key(text: str) -> None:
    assert key_of(key_of(text)) == key_of(text)
    assert folded_key(folded_key(text)) == folded_key(text)


def test_a_fresh_key_is_free_and_short_enough() -> None:
    taken = {"k" * 80}
    for _ in range(120):
        key = fresh_key("k" * 80, taken)
        assert key not in taken
        assert len(key) <= 80
        taken.add(key)
    assert fresh_key("", set()) == "unnamed"


def test_an_article_is_no_name() -> None:
    assert [folded_name(name) for name in ("The Inn", "an  inn", "the", "Anna")] == [
        "inn",
        "inn",
        "the",
        "anna",
    ]


# --- redundant ---------------------------------------------------------------------------------------------

HELD: list[tuple[Raw, Raw]] = [
    (
        {"type": "create_entity", "entity": "mara", "name": "Mara"},
        {"type": "create_entity", "entity": "mara-2", "name": "Mara"},
    ),
    (status("mara", "ACTIVE"), status("mara", "inactive")),
    (
        {"type": "set_entity_description", "entity": "mara", "description": "tall"},
        {"type": "set_entity_description", "entity": "mara", "description": "small"},
    ),
    ({**ATTRIBUTE, "value": 5}, {**ATTRIBUTE, "value": 6}),
    ({**ATTRIBUTE, "value": 5.0}, {**ATTRIBUTE, "value": "5"}),
    ({**ATTRIBUTE, "attribute": "none", "value": None}, {**ATTRIBUTE, "value": None}),
    ({**ATTRIBUTE, "attribute": "is tall", "value": True}, {**ATTRIBUTE, "attribute": "is tall", "value": 1}),
    (
        {"type": "set_entity_conditions", "entity": "mara", "conditions": ["Tired", "wet", "wet"]},
        {"type": "set_entity_conditions", "entity": "mara", "conditions": ["wet"]},
    ),
    (at("aldric", "the Crooked Lantern"), at("aldric", "abbey")),
    (
        {"type": "set_current_location", "entity": "mara", "location": None},
        {"type": "set_current_location", "entity": "aldric", "location": None},
    ),
    (give("Aldric"), give("mara")),
    ({"type": "clear_possession", "item": "abbey"}, {"type": "clear_possession", "item": "silver-key"}),
    (fact("other-id", "TALLY", value=3), fact(None, "tally", value=4)),
    (fact(None, "tally", value=3.0), fact(None, "tally", value=True)),
    ({"type": "invalidate_fact", "fact_id": "gone"}, {"type": "invalidate_fact", "fact_id": "t"}),
    (
        {"type": "add_relationship", "source": "mara", "target": "aldric", "relationship": "Trusts"},
        {"type": "add_relationship", "source": "aldric", "target": "mara", "relationship": "trusts"},
    ),
    (
        {
            "type": "add_relationship",
            "source": "mara",
            "target": "aldric",
            "relationship": "trusts",
            "description": "since the fire",
        },
        {
            "type": "add_relationship",
            "source": "mara",
            "target": "aldric",
            "relationship": "trusts",
            "description": "no more than that",
        },
    ),
    (
        {"type": "open_story_thread", "thread": "DAWN", "title": "get to the old abbey"},
        {"type": "open_story_thread", "thread": "dawn-2", "title": "Get to the Old Abbey before dawn"},
    ),
    (
        {"type": "set_thread_status", "thread": "dawn", "status": "open"},
        {"type": "resolve_story_thread", "thread": "dawn"},
    ),
    (
        {"type": "set_scene", "mood": "Still", "present": ["mara", "aldric"]},
        {"type": "set_scene", "present": ["mara"]},
    ),
    ({"type": "set_scene"}, {"type": "set_scene", "mood": ""}),
    ({"type": "set_scene", "location": None, "summary": None}, {"type": "set_scene", "location": "abbey"}),
]


@pytest.mark.parametrize(("again", "new"), HELD)
def test_what_holds_already_is_redundant_and_what_does_not_is_not(again: Raw, new: Raw) -> None:
    document = after(
        start(),
        {"type": "set_entity_description", "entity": "mara", "description": "tall"},
        {**ATTRIBUTE, "value": 5},
        {**ATTRIBUTE, "attribute": "is tall", "value": True},
        {"type": "set_entity_conditions", "entity": "mara", "conditions": ["wet", "tired"]},
        fact("t", "tally", value=3),
        fact("gone", "old", value=3),
        {"type": "invalidate_fact", "fact_id": "gone"},
        {
            "type": "add_relationship",
            "source": "mara",
            "target": "aldric",
            "relationship": "trusts",
            "description": "since the fire",
        },
        {"type": "set_scene", "mood": "still", "present": ["aldric", "mara"]},
    )
    review = judge(document, again)
    assert (review.status, len(review.redundant), review.document) == (Status.ACCEPTED, 1, document)
    review = judge(document, new)
    assert (review.refused, review.redundant, len(review.accepted)) == ((), (), 1)
    assert repr(review.document) != repr(document)  # yes is not 1


@pytest.mark.parametrize(
    ("made", "again", "new"),
    [
        (
            [],
            {"type": "rename_entity", "entity": "mara", "name": "Mara Voss"},
            {"type": "rename_entity", "entity": "mara", "name": "mara voss"},
        ),
        ([], {"type": "remove_entity_alias", "entity": "mara", "alias": "M"}, None),
        (
            [fact("f", value=1)],
            {"type": "set_fact_status", "fact_id": "f", "status": "active"},
            {"type": "set_fact_status", "fact_id": "f", "status": "disputed"},
        ),
    ],
)
def test_the_players_events_too_can_be_redundant(made: list[Raw], again: Raw, new: Raw | None) -> None:
    document = after(start(), *made)
    assert len(judge(document, again, source="manual_correction").redundant) == 1
    if new:
        assert len(judge(document, new, source="manual_correction").accepted) == 1


def test_only_redundant_and_refused_is_partly_accepted() -> None:
    assert judge(start(), give("aldric"), {"type": "x"}).status == Status.PARTIALLY_ACCEPTED
    assert judge(start(), give("aldric"), give("aldric")).status == Status.ACCEPTED


def test_a_thread_that_is_over_is_not_opened_by_its_key() -> None:
    document = after(start(), {"type": "resolve_story_thread", "thread": "dawn"})
    again = {"type": "open_story_thread", "thread": "dawn", "title": "Get to the Old Abbey before dawn"}
    assert reasons(judge(document, again)) == [("references", "key_taken")]
    reopened = after(document, {"type": "set_thread_status", "thread": "dawn", "status": "open"}).threads[
        "dawn"
    ]
    assert (reopened.status, reopened.resolved_at, reopened.resolution) == ("open", None, None)


# --- nothing inside itself ---------------------------------------------------------------------------------


def test_no_ring_is_closed_by_holding_and_standing_in_turn() -> None:
    document = Document()
    for number in range(6):
        document = after(
            document, {"type": "create_entity", "entity": f"box-{number}", "name": f"Box {number}"}
        )
    for number in range(5):
        inner, outer = f"box-{number}", f"box-{number + 1}"
        document = after(document, give(outer, inner) if number % 2 else at(inner, outer))
    for number in range(5):
        for closing in (give(f"box-{number}", "box-5"), at("box-5", f"box-{number}")):
            assert reasons(judge(document, closing)) == [("canon", "contradiction")]
    # Once the chain is broken, it may.
    broken = after(document, {"type": "clear_possession", "item": "box-1"})
    assert after(broken, give("box-0", "box-5")).possessions["box-5"] == "box-0"


def test_two_of_which_one_is_in_the_other_are_not_merged() -> None:
    document = after(start(), at("mara", "inn"))
    for pair in (("mara", "inn"), ("inn", "mara"), ("silver-key", "inn"), ("mara", "mara")):
        event = {"type": "merge_entities", "entity": pair[0], "into": pair[1]}
        assert reasons(judge(document, event, source="manual_correction")) == [("canon", "contradiction")]


def test_events_are_recorded_with_keys_and_read_again_as_they_were() -> None:
    review = judge(start(), give("Mara Voss", "The Silver Key"), fact(None, "Knows", subject="MARA", value=1))
    assert [each.payload() for each in review.events] == [
        {"item": "silver-key", "owner": "mara"},
        {"predicate": "Knows", "subject": "mara", "value": 1, "fact_id": "mara-knows"},
    ]
    for event in review.events:
        assert parse_event({"type": event.type, **event.payload()}) == event
