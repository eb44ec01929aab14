"""Taking back: the events that make what an event set as it was before, and nothing where that is not known."""

from typing import Any

import pytest

from narrative.state.document import Document, Place, write_document
from narrative.state.review import Accepted
from narrative.state.undoing import undo_events
from tests.narrative.state.making import Raw, after, at, fact, give, judge, start, status

GOLD: Raw = {"type": "set_entity_attribute", "entity": "mara", "attribute": "gold"}
TIE: Raw = {"type": "add_relationship", "source": "mara", "target": "aldric", "relationship": "trusts"}


def begun() -> Document:
    return after(
        start(),
        {**GOLD, "value": 5},
        {"type": "set_entity_conditions", "entity": "mara", "conditions": ["wet"]},
        fact("f", value=1),
        fact("r", "rank", subject="mara", value="keeper"),
        TIE,
        {"type": "set_scene", "mood": "still", "location": "inn", "present": ["aldric"]},
    )


def accept(document: Document, event: Raw, **values: Any) -> tuple[Document, Accepted]:
    review = judge(document, event, **values)
    [accepted] = review.accepted
    return review.document, accepted


def undo(document: Document, accepted: Accepted) -> list[Raw] | None:
    raw = {"type": accepted.event.type, **accepted.event.payload()}
    return undo_events(document, raw, accepted.before, reason="taken back")


def held(document: Document) -> Any:
    """What holds, without where and by whom it was said."""
    aside = {
        "at",
        "since",
        "authority",
        "opened_at",
        "ended_at",
        "ended_by",
        "possession_provenance",
        "invalidated_at",
    }

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: plain(part) for name, part in value.items() if name not in aside}
        return [plain(part) for part in value] if isinstance(value, list) else value

    return plain(write_document(document))


@pytest.mark.parametrize(
    "event",
    [
        status("mara", "dead"),
        {"type": "set_entity_description", "entity": "mara", "description": "tall"},
        {**GOLD, "value": 6},
        {**GOLD, "value": None},
        {**GOLD, "attribute": "silver", "value": 6},
        {**GOLD, "attribute": "goals", "value": ["rest", "rest"]},
        {"type": "set_entity_conditions", "entity": "mara", "conditions": ["dry", "dry"]},
        {"type": "set_entity_conditions", "entity": "mara", "conditions": []},
        at("mara", "abbey"),
        at("aldric", "abbey"),
        {"type": "set_current_location", "entity": "aldric", "location": None},
        give("mara"),
        give("aldric", "abbey"),
        {"type": "clear_possession", "item": "silver-key"},
        {"type": "invalidate_fact", "fact_id": "f"},
        {**TIE, "description": "since the fire"},
        {"type": "set_thread_status", "thread": "dawn", "status": "dormant"},
        {"type": "resolve_story_thread", "thread": "dawn", "resolution": "They came."},
        {"type": "set_scene", "mood": "loud", "present": ["mara", "aldric"], "summary": "Rain."},
        {"type": "set_scene", "location": "abbey"},
    ],
)
def test_what_was_taken_back_is_as_it_was(event: Raw) -> None:
    document, accepted = accept(begun(), event)
    assert held(document) != held(begun())
    undone = undo(document, accepted)
    assert undone
    back = after(document, *undone, source="manual_correction", takes_back=True)
    assert held(back) == held(begun())
    # And once it is taken back there is nothing more to take back.
    assert undo(back, accepted) is None


@pytest.mark.parametrize(
    ("event", "since"),
    [
        (status("mara", "dead"), status("mara", "missing")),
        ({**GOLD, "value": 6}, {**GOLD, "value": 7}),
        (give("mara"), {"type": "clear_possession", "item": "silver-key"}),
        (at("mara", "abbey"), at("mara", "inn")),
        ({**TIE, "description": "a"}, {**TIE, "description": "b"}),
        (fact("g", value=2), {"type": "invalidate_fact", "fact_id": "g"}),
        ({"type": "set_scene", "mood": "loud"}, {"type": "set_scene", "mood": "tense"}),
        (
            {"type": "open_story_thread", "thread": "t", "title": "T"},
            {"type": "resolve_story_thread", "thread": "t"},
        ),
        ({"type": "create_entity", "entity": "x", "name": "X"}, status("x", "withdrawn")),
    ],
)
def test_what_has_changed_since_is_not_taken_back(event: Raw, since: Raw) -> None:
    document, accepted = accept(begun(), event)
    later = after(document, since, source="manual_correction", at=Place(1, 4))
    assert undo(later, accepted) is None


def test_what_was_made_is_withdrawn_and_stays_on_record() -> None:
    document, accepted = accept(begun(), {"type": "create_entity", "entity": "vale", "name": "Vale"})
    back = after(document, *(undo(document, accepted) or []), source="manual_correction", takes_back=True)
    assert back.entities["vale"].status == "withdrawn"
    document, accepted = accept(begun(), fact("g", value=2))
    back = after(document, *(undo(document, accepted) or []), source="manual_correction", takes_back=True)
    assert [each.status for each in back.facts] == ["active", "active", "invalidated"]
    assert back.facts[2].invalidated_reason == "taken back"


def test_what_a_new_value_took_the_place_of_holds_again() -> None:
    canon = {"single_valued": ["rank"]}
    document, accepted = accept(begun(), fact("r2", "rank", subject="mara", value="reeve"), canon=canon)
    undone = undo(document, accepted) or []
    back = after(document, *undone, source="manual_correction", takes_back=True, canon=canon)
    ranks = {each.id: each.status for each in back.facts if each.predicate == "rank"}
    assert ranks == {"r": "active", "r2": "invalidated"}
    # It is still the story's own: nobody corrected it.
    assert next(each for each in back.facts if each.id == "r").authority == "accepted_story"


def test_what_leads_nowhere_back_is_not_offered() -> None:
    document = after(begun(), {"type": "create_entity", "entity": "x", "name": "X"})
    merge = {"type": "merge_entities", "entity": "x", "into": "mara"}
    assert undo(*accept(document, merge, source="manual_correction")) is None


def test_a_forbidden_change_that_should_not_have_been_is_taken_back() -> None:
    canon = {"forbidden_status_changes": [{"from": "dead", "to": "active"}]}
    document, accepted = accept(begun(), status("mara", "dead"), canon=canon)
    undone = undo(document, accepted) or []
    assert judge(document, *undone, source="manual_correction", canon=canon).refused != ()
    back = after(document, *undone, source="manual_correction", canon=canon, takes_back=True)
    assert back.entities["mara"].status == "active"
