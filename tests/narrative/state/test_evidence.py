"""What counts as told: whole names and parts of them, in every script; and what does not."""

from typing import Any

import pytest

from narrative.state.document import Document
from narrative.state.evidence import Evidence
from tests.narrative.state.making import Raw, after, at, fact, give, judge, reasons, start, told


def create(name: str, key: str = "x", **values: Any) -> Raw:
    return {"type": "create_entity", "entity": key, "name": name, **values}


@pytest.mark.parametrize(
    ("name", "text", "is_told"),
    [
        ("미라", "미라가 웃는다.", True),  # particles hang on a name
        ("มาลี", "แล้วมาลีก็ยิ้ม", True),  # no space between words
        ("アリス", "私はアリスです。", True),
        ("桜", "梅が咲く。", False),
        ("Ødegård", "ØDEGÅRD nods.", True),
        ("Ødegård", "Nobody nods.", False),
        ("O’Neill", "Then O'Neill speaks.", True),
        ("X-9", "The X-9 hums.", True),
        ("Al", "Also, all is well.", False),
        ("Al", "Al is well.", True),
        ("ＭＡＲＡ", "Mara nods.", True),
        ("a red door", "You paint the door.", True),
        ("rope", "The ropes are cut.", True),
        ("key", "The keystone falls.", False),
        ("key", "The turkey falls.", False),
        ("key", "Keys!", True),
        ("~", "Nothing.", False),
        ("~", "", False),
        ("\\b(", "It says \\b( on the wall.", True),
        ("???", "Why???", True),
        ("x", "", False),
    ],
)
def test_a_name_in_a_text(name: str, text: str, *, is_told: bool) -> None:
    [accepted] = judge(Document(), create(name, key="thing-1"), **told(text)).accepted
    assert accepted.is_unsupported is not is_told


@pytest.mark.parametrize("event", [create("Vale"), give("mara"), fact(None, "tally", value=7)])
def test_any_of_the_texts_will_do(event: Raw) -> None:
    for number in range(3):
        texts = ["", "", ""]
        texts[number] = "Vale and Mara count 7 keys."
        review = judge(start(), event, evidence=Evidence(tuple(texts)), demand="refuse")
        assert review.refused == ()
    assert judge(start(), event, evidence=Evidence(("", "")), demand="refuse").accepted == ()


def test_a_name_told_in_part() -> None:
    hall = {"type": "create_entity", "entity": "hall", "name": "Westhaven Hall", "entity_type": "location"}
    document = after(start(), hall, create("Captain Ilse Vale", "ilse", entity_type="character"))
    for text, is_told in (
        ("Vale comes in.", True),
        ("The captain comes in.", True),
        ("ILSE", True),
        ("A valet comes in.", False),
    ):
        event = at("ilse", "inn")
        review = judge(document, event, **told(f"{text} The Crooked Lantern."))
        assert review.accepted[0].is_unsupported is not is_told, text
    # Of a place its first word alone is too little.
    away = judge(document, at("aldric", "hall"), **told("Westhaven is far.", protagonist="aldric"))
    assert away.accepted[0].is_unsupported


def test_the_protagonist_and_who_is_present_need_no_name() -> None:
    document = after(start(), {"type": "set_scene", "present": ["mara"], "location": "inn"})
    for event in (
        at("aldric", "inn"),
        at("mara", "inn"),
        {"type": "set_entity_conditions", "entity": "mara", "conditions": ["wet"]},
    ):
        review = judge(document, event, **told("You nod.", protagonist="aldric"))
        assert not any(each.is_unsupported for each in review.accepted), event
    away = judge(document, at("mara", "abbey"), **told("You nod.", protagonist="aldric"))
    assert away.accepted[0].is_unsupported


@pytest.mark.parametrize("demand", ["mark", "refuse", "off"])
def test_a_file_never_becomes_state_by_itself(demand: Any) -> None:
    passages = ("Captain Vale holds the silver key in the Old Abbey.", "The bridge collapsed.")
    only = judge(
        start(),
        create("Captain Vale", "vale"),
        at("mara", "abbey"),
        fact(None, "the bridge", value="collapsed"),
        **told("Mara sighs.", passages=passages, demand=demand),
    )
    assert reasons(only) == [("evidence", "passage_only")] * 3
    assert only.document == start()
    both = judge(
        start(),
        create("Captain Vale", "vale"),
        at("mara", "abbey"),
        **told("Mara goes to the abbey with Vale.", passages=passages, demand=demand),
    )
    assert both.refused == ()
    assert not any(each.is_unsupported for each in both.accepted)


def test_what_neither_a_text_nor_a_passage_has_is_as_the_setting_says() -> None:
    invented = create("Captain Vale", "vale")
    for demand, expected in (("mark", [True]), ("off", [False]), ("refuse", [])):
        review = judge(start(), invented, **told("Mara sighs.", passages=("Rain.",), demand=demand))
        assert [each.is_unsupported for each in review.accepted] == expected
    refused = judge(start(), invented, **told("Mara sighs.", demand="refuse"))
    assert refused.refused[0].detail == "Not in the text: “captain vale”."


def test_what_was_made_in_the_proposal_needs_its_name_told_too() -> None:
    events = [create("Vale", "vale"), at("vale", "inn"), give("vale")]
    review = judge(start(), *events, **told("The key is gone from the Lantern.", demand="refuse"))
    assert [layer for layer, _ in reasons(review)] == ["evidence", "references", "references"]


def test_the_player_and_a_setup_need_no_evidence() -> None:
    assert judge(start(), create("Vale"), source="manual_correction", demand="refuse").refused == ()
