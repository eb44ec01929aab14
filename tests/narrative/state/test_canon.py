"""The canon is data: what it forbids or locks stays so, whichever way somebody tries, and nothing else is."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import narrative.state
from narrative.state.canon import read_canon, unresolved_names
from narrative.state.document import Document
from narrative.state.review import Status
from tests.narrative.state.making import Raw, after, at, fact, give, judge, reasons, start, status

BREACH = [("canon", "canon_conflict")]
NO_RETURN = {"forbidden_status_changes": [{"from": "dead", "to": "active"}]}
MARA_LIVES = {"forbidden_status_changes": [{"from": "active", "to": "dead", "entity": "Mara Voss"}]}
FIXTURES = Path(__file__).parents[2] / "fixtures"


def create(key: str, name: str, **values: Any) -> Raw:
    return {"type": "create_entity", "entity": key, "name": name, **values}


def merge(entity: str, into: str) -> Raw:
    return {"type": "merge_entities", "entity": entity, "into": into}


# --- a status that may not become another ------------------------------------------------------------------


@pytest.mark.parametrize(
    "namesake",
    [
        create("mara-2", "Mara Voss"),
        create("mara-voss", "Somebody"),
        create("stranger", "A stranger", aliases=["mara voss"]),
        create("x", "THE MARA VOSS"),
    ],
)
def test_a_namesake_takes_a_rule_from_nobody(namesake: Raw) -> None:
    review = judge(start(), namesake, status("mara", "dead"), canon=MARA_LIVES)
    assert reasons(review) == BREACH
    assert review.document.entities["mara"].status == "active"


def test_another_name_takes_a_rule_from_nobody() -> None:
    rename = {"type": "rename_entity", "entity": "mara", "name": "The Widow"}
    document = after(start(), rename, source="manual_correction", canon=MARA_LIVES)
    assert reasons(judge(document, status("mara", "dead"), canon=MARA_LIVES)) == BREACH
    forget = {"type": "remove_entity_alias", "entity": "mara", "alias": "Mara Voss"}
    assert reasons(judge(document, forget, source="manual_correction", canon=MARA_LIVES)) == BREACH
    assert judge(document, forget, source="manual_correction").refused == ()


@pytest.mark.parametrize("written", ["mara", "Mara_", "MARA"])
def test_a_rule_for_a_key_does_not_go_with_the_key(written: str) -> None:
    canon = {"forbidden_status_changes": [{"from": "dead", "to": "active", "entity": written}]}
    document = after(start(), create("other", "Edda"), status("mara", "dead"), status("other", "dead"))
    refused = judge(document, merge("mara", "other"), source="manual_correction", canon=canon)
    assert reasons(refused) == BREACH
    merged = after(document, merge("other", "mara"), source="manual_correction", canon=canon)
    assert reasons(judge(merged, status("edda", "active"), canon=canon)) == BREACH


def test_a_merge_does_not_forget_what_somebody_was() -> None:
    document = after(start(), create("other", "Edda"), status("mara", "dead"), status("other", "unknown"))
    merged = after(document, merge("mara", "other"), source="manual_correction", canon=NO_RETURN)
    assert reasons(judge(merged, status("other", "active"), canon=NO_RETURN)) == BREACH
    assert judge(merged, status("other", "inactive"), canon=NO_RETURN).refused == ()


def test_the_way_there_may_lead_over_many_turns_and_spellings() -> None:
    document = after(start(), status("mara", "DEAD"), canon=NO_RETURN)
    for between in ("undead", "Missing", "in_active", "unknown", "missing"):
        document = after(document, status("mara", between), canon=NO_RETURN)
    for written in ("active", "Active", "ACTIVE", " active ", "Alive", "living", "ａｃｔｉｖｅ"):
        assert reasons(judge(document, status("mara", written), canon=NO_RETURN)) == BREACH, written
    assert document.entities["mara"].status == "missing"


@pytest.mark.parametrize("attribute", ["status", "Status", "STATUS_", " status ", "ｓtatus"])
def test_a_status_is_not_reached_by_another_name(attribute: str) -> None:
    event = {"type": "set_entity_attribute", "entity": "mara", "attribute": attribute, "value": "active"}
    assert [layer for layer, _ in reasons(judge(start(), event, canon=NO_RETURN))] == ["schema"]
    claim = fact(None, attribute, subject="mara", value="active")
    assert [layer for layer, _ in reasons(judge(start(), claim, canon=NO_RETURN))] == ["schema"]


def test_what_no_rule_says_is_allowed() -> None:
    document = after(start(), status("mara", "dead"), canon=NO_RETURN)
    assert judge(document, status("mara", "unknown"), canon=NO_RETURN).status == Status.ACCEPTED
    assert judge(start(), status("aldric", "dead"), canon=MARA_LIVES).status == Status.ACCEPTED
    # One that was never dead may be whatever it likes.
    assert (
        judge(document, status("aldric", "missing"), status("aldric", "active"), canon=NO_RETURN).refused
        == ()
    )


def test_a_forbidden_change_is_forbidden_to_the_player_too_but_not_to_taking_back() -> None:
    document = after(start(), status("mara", "dead"), canon=NO_RETURN)
    active = status("mara", "active")
    assert reasons(judge(document, active, source="manual_correction", canon=NO_RETURN)) == BREACH
    taken = after(document, active, source="manual_correction", canon=NO_RETURN, takes_back=True)
    assert taken.entities["mara"].earlier_statuses == []
    # What was taken back never was: the way on is free.
    again = after(taken, status("mara", "missing"), active, canon=NO_RETURN)
    assert again.entities["mara"].status == "active"


def test_what_a_campaign_begins_with_passes_the_same_rule() -> None:
    begin = [create("mara", "Mara"), status("mara", "dead")]
    review = judge(Document(), *begin, source="campaign_setup", canon=NO_RETURN)
    assert review.refused == ()
    review = judge(Document(), *begin, status("mara", "active"), source="campaign_setup", canon=NO_RETURN)
    assert reasons(review) == BREACH
    # What something is at first is no change from anything.
    first = {"forbidden_status_changes": [{"from": "active", "to": "dead"}]}
    assert judge(Document(), *begin, source="campaign_setup", canon=first).refused == ()


# --- what is locked ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entity", "attribute", "event"),
    [
        ("silver-key", "owner", give("mara")),
        ("the silver key", "Holder", {"type": "clear_possession", "item": "silver-key"}),
        ("mara", "status", status("mara", "missing")),
        ("Mara Voss", "Location", at("mara", "abbey")),
        ("mara", "condition", {"type": "set_entity_conditions", "entity": "mara", "conditions": ["wet"]}),
        ("mara", "description", {"type": "set_entity_description", "entity": "mara", "description": "x"}),
        (
            "mara",
            "visual hair",
            {"type": "set_entity_attribute", "entity": "mara", "attribute": "Visual_Hair", "value": 1},
        ),
        ("mara", "name", {"type": "rename_entity", "entity": "mara", "name": "M"}),
        ("mara", "name", merge("aldric", "mara")),
        ("mara", "eyes", merge("mara", "aldric")),
    ],
)
def test_what_is_locked_is_locked_to_every_event_that_sets_it(
    entity: str, attribute: str, event: Raw
) -> None:
    eyes = {"type": "set_entity_attribute", "entity": "mara", "attribute": "eyes", "value": "grey"}
    document = after(start(), eyes)
    canon = {"locked_attributes": [{"entity": entity, "attribute": attribute}]}
    source = "manual_correction"
    assert reasons(judge(document, event, canon=canon, source=source)) == BREACH
    assert judge(document, event, source=source).refused == ()
    other = {"locked_attributes": [{"entity": "inn", "attribute": attribute}]}
    assert judge(document, event, canon=other, source=source).refused == ()


def test_a_namesake_takes_a_lock_from_nobody() -> None:
    canon = {
        "locked_attributes": [{"entity": "Mara Voss", "attribute": "eyes"}],
        "locked_facts": [{"subject": "Mara Voss", "predicate": "born in"}],
    }
    eyes = {"type": "set_entity_attribute", "entity": "mara", "attribute": "eyes", "value": "green"}
    born = fact(None, "born_in", subject="mara", value="Ceres")
    review = judge(start(), create("mara-2", "Mara Voss"), eyes, born, canon=canon)
    assert reasons(review) == BREACH * 2


def test_what_is_locked_and_said_again_is_redundant() -> None:
    document = after(start(), fact("w", "the war", value="goes on"))
    review = judge(
        document, fact(None, "The War", value="goes on"), canon={"locked_facts": [{"predicate": "the war"}]}
    )
    assert (review.status, len(review.redundant)) == (Status.ACCEPTED, 1)


# --- reading it --------------------------------------------------------------------------------------------


def test_a_rule_for_nobody_known_waits() -> None:
    canon = read_canon(
        {
            "forbidden_status_changes": [
                {"from": "a", "to": "b", "entity": "Vale"},
                {"from": "a", "to": "b"},
            ],
            "locked_attributes": [{"entity": "mara", "attribute": "eyes"}],
            "locked_facts": [{"subject": "Vale", "predicate": "x"}, {"subject": "Edda", "predicate": "x"}],
        }
    )
    assert unresolved_names(start(), canon) == ["Vale", "Edda"]
    assert unresolved_names(after(start(), create("v", "Vale")), canon) == ["Edda"]


@pytest.mark.parametrize(
    "odd", [0, "", "x", {}, {"a": None}, [[]], [{}], [{"from": 1, "to": 2}], [None, True]]
)
@pytest.mark.parametrize(
    "key", ["rules", "forbidden_status_changes", "locked_facts", "locked_attributes", "single_valued"]
)
def test_any_canon_is_read_and_nothing_of_it_is_lost(key: str, odd: Any) -> None:
    canon = read_canon({key: odd, "Ünknown": {"深": 1}})
    assert ("Ünknown", '{"深": 1}') in canon.unread
    read = (canon.rules, canon.forbidden, canon.locked_facts, canon.locked_attributes, canon.single_valued)
    assert sum(map(len, read)) + len(canon.unread) >= 2
    judge(start(), status("mara", "dead"), canon={key: odd})


# --- no genre ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["crooked-lantern", "persephone"])
def test_the_same_code_serves_both_campaigns(name: str) -> None:
    campaign = json.loads((FIXTURES / f"{name}.json").read_text())
    canon, events = campaign["canon"], campaign["initial_events"]
    document = after(Document(), *events, source="campaign_setup", canon=canon)
    rule = canon["forbidden_status_changes"][0]
    who = next(iter(document.entities))
    document = after(document, status(who, rule["from"]), status(who, "unknown"), canon=canon)
    assert reasons(judge(document, status(who, rule["to"].upper()), canon=canon)) == BREACH
    item = next(iter(document.possessions))
    assert after(document, {"type": "clear_possession", "item": item}).possessions == {}


def test_the_code_names_no_genre() -> None:
    words = re.compile(
        r"\b(resurrect|magic|spell|mana|hit points|hp|gold|dragon|sword|starship|warp)\w*", re.I
    )
    for path in Path(next(iter(narrative.state.__path__))).glob("*.py"):
        assert words.findall(path.read_text()) == [], path.name
