"""Documents of any kind are read: what is damaged is empty, and what is good stays exactly as it is."""

import json
from typing import Any

import pytest

from narrative.state.document import (
    SECTIONS,
    Document,
    damaged_sections,
    read_document,
    same_value,
    store_document,
    write_document,
)
from tests.narrative.state.making import Raw, after, fact, start

AT = {"branch": 1, "depth": 1}


def whole() -> Document:
    return after(
        start(),
        fact("yes", value=True),
        fact("one", value=1),
        fact("half", value=0.5),
        fact("none"),
        fact("labels", value=["a", "b"]),
        fact("about", "knows", subject="mara", object="one"),
        {"type": "invalidate_fact", "fact_id": "half", "reason": "“…”\u2028 no"},
        {"type": "add_relationship", "source": "mara", "target": "aldric", "relationship": "trusts"},
        {"type": "set_scene", "location": "inn", "present": ["mara"], "actions": ["waiting"]},
        {"type": "set_entity_attribute", "entity": "mara", "attribute": "visual.hair", "value": "grey"},
        {"type": "set_entity_attribute", "entity": "mara", "attribute": "tall", "value": False},
    )


def test_a_good_document_stays_exactly_as_it_is() -> None:
    document = whole()
    for write in (store_document, write_document):
        stored = json.loads(json.dumps(write(document)))
        assert damaged_sections(stored) == ()
        read = read_document(stored)
        assert repr(read) == repr(document)
        assert json.dumps(write(read)) == json.dumps(write(document))


def test_reading_makes_a_copy() -> None:
    stored = write_document(whole())
    before = json.dumps(stored)
    read = read_document(stored)
    stored["entities"]["mara"]["conditions"].append("changed")
    stored["entities"]["mara"]["attributes"]["tall"] = True
    assert read == read_document(json.loads(before))
    written = write_document(read)
    written["scene"]["present"].append("x")
    assert read.scene.present == ["mara"]


@pytest.mark.parametrize("stored", [None, True, 0, "", [], "x", [[]], float("nan"), object()])
def test_what_is_no_document_is_an_empty_one(stored: object) -> None:
    assert read_document(stored) == Document()
    assert damaged_sections(stored) == SECTIONS


@pytest.mark.parametrize(
    "stored", [{}, {"version": 1}, {"version": None}, {"version": 99}, {"what": 1}, {1: 2}]
)
def test_what_says_nothing_is_an_empty_one_and_sound(stored: Any) -> None:
    assert read_document(stored).is_empty
    assert damaged_sections(stored) == ()


def deep(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("section", "damage"),
    [
        ("entities", {"a": {"type": "x", "name": "A", "attributes": {"v": float("nan")}, "at": AT}}),
        ("entities", {"a": {"type": "x", "name": "A", "attributes": {"v": float("inf")}, "at": AT}}),
        ("entities", {"a": {"type": "x", "name": "A", "attributes": {"v": {}}, "at": AT}}),
        ("entities", {"a": {"type": "x", "name": "\ud800", "at": AT}}),
        ("entities", {"a": {"type": "x", "name": "A", "authority": "nobody", "at": AT}}),
        ("entities", {"a": {"type": "x", "name": "A", "at": {"branch": 1}}}),
        ("entities", {"a": {"type": "x", "name": "A", "at": AT, "conditions": "wet"}}),
        ("entities", {"a": {"type": 3, "name": "A", "at": AT}}),
        ("entities", deep(5000)),
        ("possessions", {"silver-key": None}),
        ("possessions", {"silver-key": ["mara"]}),
        ("possession_provenance", {"silver-key": {"authority": "accepted_story"}}),
        ("facts", {}),
        ("facts", [{"id": "a"}]),
        (
            "facts",
            [{"id": "a", "predicate": "p", "authority": "accepted_story", "source": "s", "at": AT}] * 2,
        ),
        (
            "facts",
            [
                {
                    "id": "a",
                    "predicate": "p",
                    "authority": "accepted_story",
                    "source": "s",
                    "at": AT,
                    "status": "won",
                }
            ],
        ),
        (
            "facts",
            [
                {
                    "id": "a",
                    "predicate": "p",
                    "authority": "accepted_story",
                    "source": "s",
                    "at": {"branch": "1", "depth": 1},
                }
            ],
        ),
        ("relationships", [{"id": "a", "source": "b", "target": "c", "type": "d", "at": AT}] * 2),
        ("threads", {"dawn": {"title": "T", "opened_at": AT, "status": "won"}}),
        ("threads", {"dawn": {"title": "T", "opened_at": AT, "importance": True}}),
        ("scene", {"present": "mara"}),
        ("scene", {"since": 3}),
        ("scene", []),
        ("scene", object()),
    ],
)
def test_a_damaged_section_is_empty_and_all_else_is_kept(section: str, damage: Any) -> None:
    stored = write_document(whole()) | {section: damage}
    assert damaged_sections(stored) == (section,)
    read, sound = read_document(stored), whole()
    for name in SECTIONS:
        assert getattr(read, name) == getattr(Document() if name == section else sound, name)
    assert damaged_sections(store_document(read)) == ()


def test_what_a_later_version_adds_is_no_damage_or_is_named() -> None:
    stored: Raw = write_document(whole()) | {"weather": {"now": "rain"}}
    assert read_document(stored) == whole()


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (0, None, False),
        ("", None, False),
        ("Ja", "jA", True),
        ("1", 1, False),
        (["a"], "a", False),
        (["a"], ["a"], True),
        (["a", "b"], ["b", "a"], False),
    ],
)
def test_whether_two_values_say_the_same(one: Any, other: Any, *, is_same: bool) -> None:
    assert same_value(one, other) is is_same
    assert same_value(other, one) is is_same
