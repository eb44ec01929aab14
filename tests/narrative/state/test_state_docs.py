"""docs/state.md is in step with the code that it describes."""

from dataclasses import fields
from pathlib import Path

from narrative.state.document import SECTIONS, Entity, Fact, Relationship, Scene, Thread
from narrative.state.render import HEADING
from narrative.state.vocabulary import event_table

TEXT = (Path(__file__).parents[3] / "docs" / "state.md").read_text()


def test_the_table_of_events_is_the_models() -> None:
    table = TEXT.split("<!-- events -->")[1].split("<!-- /events -->")[0]
    assert table.strip() == event_table()


def test_every_section_and_field_is_named() -> None:
    for section in SECTIONS:
        assert section in TEXT
    for kind in (Entity, Fact, Relationship, Scene, Thread):
        for field in fields(kind):
            assert field.name in TEXT, f"{kind.__name__}.{field.name}"


def test_the_form_of_the_prompt_begins_as_it_does() -> None:
    assert HEADING in TEXT
