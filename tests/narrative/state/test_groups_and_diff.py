"""The state as the player reads it, two of them compared, and the lines of what changed."""

from typing import Any

import pytest

from narrative.state.apply import Writing
from narrative.state.changes import change_lines
from narrative.state.diff import compare_states
from narrative.state.document import Document, Place, read_document, write_document
from narrative.state.events import MODELS, parse_event
from narrative.state.groups import Group, group_state
from tests.narrative.state.making import HERE, Raw, after, at, fact, give, start, status


def grouped(document: Document) -> dict[str, Group]:
    return {group.title: group for group in group_state(document)}


def lines_of(document: Document, title: str, key: str) -> tuple[str, ...]:
    return next(row.lines for row in grouped(document)[title].rows if row.key == key)


def create(key: str, name: str, **values: Any) -> Raw:
    return {"type": "create_entity", "entity": key, "name": name, **values}


# --- groups ------------------------------------------------------------------------------------------------


def test_kinds_come_in_their_order_and_none_is_lost() -> None:
    document = Document()
    for number, kind in enumerate(
        ["zeppelin", "Item", "location", "Air_Lock", "creature", "character", None]
    ):
        extra = {"entity_type": kind} if kind else {}
        document = after(document, create(f"e-{number}", f"E{number}", **extra))
    assert list(grouped(document)) == [
        "Characters",
        "Locations",
        "Air lock",
        "Creatures",
        "Items",
        "Other things",
        "Zeppelin",
    ]
    assert sum(len(group.rows) for group in group_state(document)) == 7


def test_every_row_carries_its_key_and_who_said_so() -> None:
    document = after(
        start(),
        fact("f", value=1),
        {"type": "add_relationship", "source": "mara", "target": "aldric", "relationship": "trusts"},
        {"type": "set_scene", "mood": "still"},
    )
    document = after(document, fact("g", value=2), give("mara"), source="manual_correction")
    rows = {(row.kind, row.key): row for group in group_state(document) for row in group.rows}
    assert rows["fact", "f"].authority == "accepted_story"
    assert rows["fact", "g"].authority == "manual_correction"
    assert rows["possession", "silver-key"].authority == "manual_correction"
    assert rows["relationship", "mara-trusts-aldric"].title == "Mara Voss trusts Aldric"
    assert rows["thread", "dawn"].title == "Get to the Old Abbey before dawn"
    assert rows["scene", "scene"].lines == ("still",)
    assert len({key for key in rows if key[0] == "entity"}) == 5


def test_a_row_says_all_there_is() -> None:
    document = after(
        start(),
        create("cat", "the cat", entity_type="creature", description="black", aliases=["Tom"]),
        status("cat", "missing"),
        {"type": "set_entity_conditions", "entity": "cat", "conditions": ["wet", "cross"]},
        {"type": "set_entity_attribute", "entity": "cat", "attribute": "nine_lives", "value": True},
        at("cat", "inn"),
        give("mara", "cat"),
        give("cat"),
    )
    assert lines_of(document, "Creatures", "cat") == (
        "black",
        "also called Tom",
        "missing",
        "wet, cross",
        "at the Crooked Lantern",
        "held by Mara Voss",
        "carries the silver key",
        "nine lives: yes",
    )
    assert lines_of(document, "Possessions", "silver-key") == ("held by the cat",)


def test_what_is_over_stands_apart() -> None:
    document = after(
        start(),
        fact("f", value=1),
        {"type": "invalidate_fact", "fact_id": "f", "reason": "it was two"},
        {"type": "resolve_story_thread", "thread": "dawn", "resolution": "They came."},
    )
    document = after(document, status("abbey", "Withdrawn"), source="manual_correction")
    groups = grouped(document)
    assert groups["No longer true"].rows[0].lines == ("it was two",)
    assert "Facts" not in groups
    assert groups["Closed threads"].rows[0].lines == ("resolved", "They came.")
    assert "Open threads" not in groups
    assert [row.key for row in groups["Not in this story"].rows] == ["abbey"]
    assert [row.key for row in groups["Locations"].rows] == ["inn"]


def test_what_names_nothing_any_more_is_shown_all_the_same() -> None:
    document = after(start(), {"type": "set_scene", "location": "inn", "present": ["mara"]})
    lost = read_document(write_document(document) | {"entities": None})
    assert set(grouped(lost)) == {"Scene", "Possessions", "Open threads"}
    assert grouped(lost)["Scene"].rows[0].title == "inn"


# --- compared ----------------------------------------------------------------------------------------------


def found(before: Document, now: Document) -> dict[tuple[str, str, str], tuple[Any, Any]]:
    return {
        (each.section, each.key, each.field): (each.before, each.after)
        for each in compare_states(before, now)
    }


def test_keys_that_are_called_like_fields_are_keys() -> None:
    odd = after(start(), create("present", "Present"), create("summary", "Summary"))
    differences = compare_states(start(), odd)
    assert [(each.section, each.key, each.name) for each in differences] == [
        ("entities", "present", "Present"),
        ("entities", "summary", "Summary"),
    ]


def test_yes_is_not_one() -> None:
    gold: Raw = {"type": "set_entity_attribute", "entity": "mara", "attribute": "gold", "value": 1}
    one = after(start(), gold, fact("f", value=1))
    yes = after(start(), {**gold, "value": True}, fact("f", value=True))
    assert set(found(one, yes)) == {("entities", "mara", "attributes"), ("facts", "f", "value")}


def test_both_ways_say_the_same() -> None:
    before = start()
    now = after(
        before,
        give("mara"),
        {"type": "clear_possession", "item": "silver-key"},
        create("cat", "the cat"),
        fact("f", value=1),
        {"type": "set_scene", "location": "abbey", "present": ["mara"]},
        {"type": "resolve_story_thread", "thread": "dawn", "resolution": "They came."},
    )
    there, back = found(before, now), found(now, before)
    assert there == {key: (after_, before_) for key, (before_, after_) in back.items()}
    assert there["possessions", "silver-key", ""] == ("aldric", None)
    assert there["threads", "dawn", "status"] == ("open", "resolved")
    assert there["scene", "scene", "present"] == ([], ["mara"])
    assert there["entities", "cat", ""][0] is None


def test_when_it_was_said_is_no_difference() -> None:
    events = [fact("f", value=1), {"type": "set_scene", "mood": "still"}, give("mara")]
    assert compare_states(after(start(), *events), after(start(), *events, at=Place(9, 9))) == ()
    roundabout = after(start(), status("mara", "missing"), status("mara", "active"))
    assert compare_states(start(), roundabout) == ()


# --- lines -------------------------------------------------------------------------------------------------

NAMED: dict[str, Raw] = {
    "create_entity": create("key-x", "Edrin"),
    "set_entity_status": status("mara", "missing"),
    "set_entity_description": {"entity": "mara", "description": "tall"},
    "set_entity_attribute": {"entity": "mara", "attribute": "eye_colour", "value": ["grey", "green"]},
    "set_entity_conditions": {"entity": "mara", "conditions": ["wet"]},
    "set_current_location": at("mara", "inn"),
    "set_possession": give("mara"),
    "clear_possession": {"item": "silver-key"},
    "add_fact": fact("id-x", "knows", subject="mara", object="id-f"),
    "invalidate_fact": {"fact_id": "id-f"},
    "add_relationship": {"source": "mara", "target": "aldric", "relationship": "is_wary_of"},
    "end_relationship": {"source": "mara", "target": "aldric", "relationship": "trusts"},
    "open_story_thread": {"thread": "key-x", "title": "Find the way"},
    "set_thread_status": {"thread": "dawn", "status": "abandoned"},
    "set_scene": {"location": "abbey", "present": [], "significant": ["mara"], "actions": ["waiting"]},
    "rename_entity": {"entity": "mara", "name": "Edda"},
    "merge_entities": {"entity": "mara", "into": "aldric"},
    "remove_entity_alias": {"entity": "mara", "alias": "M"},
    "set_fact_status": {"fact_id": "id-f", "status": "superseded"},
}
SAID = {
    "create_entity": "New: Edrin",
    "set_entity_status": "Mara Voss: missing",
    "set_entity_description": "Mara Voss: tall",
    "set_entity_attribute": "Mara Voss: eye colour grey, green",
    "set_entity_conditions": "Mara Voss: wet",
    "set_current_location": "Mara Voss: now at the Crooked Lantern",
    "set_possession": "the silver key: now with Mara Voss",
    "clear_possession": "the silver key: no longer with Aldric",
    "add_fact": "Established: Mara Voss knows that found: at the abbey",
    "invalidate_fact": "No longer true: found: at the abbey",
    "add_relationship": "Mara Voss is wary of Aldric",
    "end_relationship": "No longer: Mara Voss trusts Aldric",
    "open_story_thread": "Open: Find the way",
    "set_thread_status": "Abandoned: Get to the Old Abbey before dawn",
    "set_scene": "Scene: the Old Abbey; nobody there; of note Mara Voss; going on: waiting",
    "rename_entity": "Mara Voss: is called Edda",
    "merge_entities": "Mara Voss is Aldric",
    "remove_entity_alias": "Mara Voss: not called M",
    "set_fact_status": "Overtaken: found: at the abbey",
}


@pytest.mark.parametrize("kind", sorted(MODELS))
def test_each_event_is_one_short_line_in_names(kind: str) -> None:
    tie: Raw = {"type": "add_relationship", "source": "mara", "target": "aldric", "relationship": "trusts"}
    document = after(start(), fact("id-f", "found", value="at the abbey"), tie)
    event = parse_event({**NAMED[kind], "type": kind})
    assert change_lines(document, [event], Writing("accepted_story", HERE)) == [SAID[kind]]


def test_a_line_is_cut_before_it_is_long() -> None:
    event = parse_event({"type": "set_entity_description", "entity": "mara", "description": "word " * 400})
    [line] = change_lines(start(), [event], Writing("accepted_story", HERE))
    assert len(line) <= 160
    assert line.endswith("…")


def test_names_in_a_line_are_those_of_its_moment() -> None:
    events = [
        parse_event({**create("x", "Edrin")}),
        parse_event(at("x", "inn")),
        parse_event({"type": "rename_entity", "entity": "x", "name": "Orm"}),
        parse_event(give("x")),
    ]
    lines = change_lines(start(), events, Writing("manual_correction", HERE))
    assert lines[1:] == [
        "Edrin: now at the Crooked Lantern",
        "Edrin: is called Orm",
        "the silver key: now with Orm",
    ]
