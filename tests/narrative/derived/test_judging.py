"""What the application says of a memory, whatever its writer claims."""

import pytest

from narrative.derived.judging import Type, authority_of, hedges, importance_of, type_of


@pytest.mark.parametrize(
    "text",
    [
        "Mara seemed afraid of the abbot.",
        "The courier appeared to know the way.",
        "Perhaps the bridge still stands.",
        "He probably lied.",
        "It is likely that the ford is flooded.",
        "Her silence implied that she knew.",
        "Mara suspected the guard.",
        "He wondered whether she would come.",
        "She looked at the door as if she heard somebody.",
        "The guard may have seen them.",
        "Mara believed that the key was lost. This is certain.",
        "Mara looked uneasy about Captain Vale.",
    ],
)
def test_a_text_that_hedges_is_not_established(text: str) -> None:  # MEM-11
    assert hedges(text)
    assert authority_of(text) == "heuristic"
    assert type_of(text) == Type.HEURISTIC


@pytest.mark.parametrize(
    "text",
    [
        "Aldric promised Mara to return before dawn.",
        "It was an unlikely place for a shrine.",
        "The basin filled with rain.",
        "Mayor Haven opened the gate in May.",
        "The disappearance ended the feast.",
        "They played cards until the simple lamp went out.",
    ],
)
def test_words_are_matched_and_not_parts_of_them(text: str) -> None:
    assert not hedges(text)
    assert authority_of(text) == "accepted_story"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Aldric promised Mara to return before dawn.", Type.PROMISE),
        ("Under the flagstone Aldric found an iron ring.", Type.DISCOVERY),
        ("The guards attacked the mill.", Type.CONFLICT),
        ("Mara forgave her brother.", Type.RELATIONSHIP),
        ("They reached the ford at dusk.", Type.LOCATION),
        ("A tinker named Osk joined the fire.", Type.CHARACTER),
        ("It rained for three days.", Type.EVENT),
    ],
)
def test_the_kind_of_a_memory(text: str, kind: Type) -> None:
    assert type_of(text) == kind


def test_what_changed_the_state_weighs_more_and_never_more_than_five() -> None:
    assert importance_of(Type.LOCATION) < importance_of(Type.PROMISE)
    assert importance_of(Type.EVENT, {"set_scene"}) == importance_of(Type.EVENT)
    assert importance_of(Type.EVENT, {"open_story_thread"}) == importance_of(Type.EVENT) + 1
    assert all(1 <= importance_of(kind, {"set_entity_status"}) <= 5 for kind in Type)
