"""What a model is asked for is what the review takes; and its stand-ins become keys."""

import json
from typing import Any

import pytest

from narrative.prompt.state_texts import extraction_text, state_rule
from narrative.state.events import MODELS
from narrative.state.keys import key_of
from narrative.state.review import review_proposal
from narrative.state.vocabulary import (
    FEW_ASKED,
    MOST_ASKED,
    NEW,
    Choices,
    event_schema,
    name_new_ones,
    proposal_schema,
    short_vocabulary,
    story_models,
    vocabulary,
)
from tests.narrative.state.making import Raw, after, at, fact, give, reasons, rules, start

CHOICES = Choices(entities=("aldric", "mara", "inn", "abbey", "silver-key"), facts=("f",), threads=("dawn",))


def create(stand_in: str, name: Any) -> Raw:
    return {"type": "create_entity", "entity": stand_in, "name": name}


def named(*events: Any, taken: Any = ()) -> list[Any]:
    proposal = name_new_ones({"events": list(events)}, taken)
    assert isinstance(proposal, dict)
    return list(proposal["events"])


def test_both_ways_teach_every_event_of_the_story_and_none_of_the_players() -> None:
    for text in (state_rule(), extraction_text([])):
        for name, model in MODELS.items():
            assert (name in text) is not model.is_for_players, name
    assert vocabulary() in state_rule()
    assert short_vocabulary() in extraction_text([])
    for line, (name, model) in zip(short_vocabulary().splitlines(), story_models(), strict=True):
        assert line.split("(")[0] == name
        taught = [each.rstrip("?[]") for each in line.split("(")[1].rstrip(")").split(", ")]
        assert taught == [field for field in model.model_fields if field != "type"]


def test_the_schema_of_the_api_is_every_event() -> None:
    schemas = event_schema()["oneOf"]
    assert [each["properties"]["type"]["const"] for each in schemas] == list(MODELS)
    for each, model in zip(schemas, MODELS.values(), strict=True):
        assert set(each["properties"]) == set(model.model_fields)
        assert each["additionalProperties"] is False


def answers(schema: dict[str, Any]) -> Any:
    """The least and the most that a constrained model can answer for a schema."""
    if "anyOf" in schema:
        return [answer for each in schema["anyOf"] for answer in answers(each)]
    if "const" in schema:
        return [schema["const"]]
    if "enum" in schema:
        return [schema["enum"][0], schema["enum"][-1]]
    match schema["type"]:
        case "string":
            return ["a", "x" * schema["maxLength"]]
        case "integer":
            return [schema.get("minimum", -3), schema.get("maximum", 7)]
        case "boolean":
            return [True, False]
        case "array":
            return [[], [answers(schema["items"])[-1]] * schema["maxItems"]]
    made = []
    for at_end in (0, -1):
        whole = {name: answers(part)[at_end] for name, part in schema["properties"].items()}
        made += [whole, {name: whole[name] for name in schema["required"]}]
    return made


def test_whatever_a_constrained_model_can_answer_has_the_form() -> None:
    schema = proposal_schema(CHOICES)
    document = after(start(), fact("f", value=1))
    kinds = schema["properties"]["events"]["items"]["anyOf"]
    assert len(kinds) == len(list(story_models()))
    for kind in kinds:
        for event in answers(kind):
            review = review_proposal(document, name_new_ones({"events": [event]}, document.entities), rules())
            assert all(each.layer in ("references", "canon") for each in review.refused), (
                event,
                review.refused,
            )


def test_few_are_asked_for_and_no_choice_is_given_twice() -> None:
    assert (proposal_schema(CHOICES)["properties"]["events"]["maxItems"], MOST_ASKED) == (6, 6)
    assert proposal_schema(CHOICES, most=FEW_ASKED)["properties"]["events"]["maxItems"] == 3
    odd = Choices(entities=("new-1", "mara", "x"), facts=("mara", "new-2"), threads=("mara",))

    def enums(schema: Any) -> Any:
        if isinstance(schema, dict):
            yield from [schema["enum"]] if "enum" in schema else []
            for part in schema.values():
                yield from enums(part)
        elif isinstance(schema, list):
            for part in schema:
                yield from enums(part)

    for choices in (CHOICES, Choices(), odd):
        found = list(enums(proposal_schema(choices)))
        assert found
        for enum in found:
            assert len(enum) == len(set(enum)) > 0
    json.dumps(proposal_schema(odd))


def test_where_there_is_nothing_to_name_what_needs_it_is_not_asked() -> None:
    kinds = [
        each["properties"]["type"]["const"]
        for each in proposal_schema(Choices())["properties"]["events"]["items"]["anyOf"]
    ]
    assert {"create_entity", "add_fact", "open_story_thread", "set_scene"} <= set(kinds)
    assert not {"invalidate_fact", "set_thread_status"} & set(kinds)


# --- stand-ins ---------------------------------------------------------------------------------------------


def test_a_stand_in_becomes_the_slug_of_the_name_wherever_a_key_stands() -> None:
    events = named(
        give("new-1", "new-2"),
        create("new-1", "Captain Vale"),
        create("new-2", "the brass lamp"),
        {"type": "set_scene", "present": ["new-1", "mara"], "summary": "x"},
        fact(None, "is called", subject="new-1", value="new-1"),
        {"type": "set_entity_description", "entity": "new-1", "description": "new-2"},
    )
    assert events[0] == give("captain-vale", "the-brass-lamp")
    assert events[1]["entity"] == "captain-vale"
    assert events[3]["present"] == ["captain-vale", "mara"]
    # What is said stays as it was said.
    assert (events[4]["subject"], events[4]["value"]) == ("captain-vale", "new-1")
    assert events[5]["description"] == "new-2"


def test_what_was_never_made_is_unknown() -> None:
    [event] = named(at("new-3", "inn"))
    assert event == at("new-3", "inn")
    assert reasons(review_proposal(start(), [event], rules())) == [("references", "unknown_reference")]


def test_one_that_is_there_already_keeps_its_key() -> None:
    [made, moved] = named(create("new-1", "Aldric"), at("new-1", "abbey"), taken=start().entities)
    review = review_proposal(start(), [made, moved], rules())
    assert (len(review.redundant), review.document.entities["aldric"].location) == (1, "abbey")


def test_what_has_no_name_to_make_a_key_of_gets_one_of_its_own() -> None:
    events = named(
        create("new-1", "?!"),
        create("new-2", "…"),
        create("new-3", 3),
        create("new-4", None),
        taken={"unnamed"},
    )
    keys = [each["entity"] for each in events]
    assert len(set(keys)) == 4
    assert "unnamed" not in keys
    assert all(key_of(key) == key for key in keys)
    [long] = named(create("new-1", "n" * 200))
    assert len(long["entity"]) == 80


def nested(levels: int) -> Any:
    value: Any = "new-1"
    for _ in range(levels):
        value = {"entity": [value]}
    return value


@pytest.mark.parametrize(
    "odd",
    [
        None,
        3,
        "new-1",
        [],
        [create("new-1", "X")],
        {},
        {"events": None},
        {"events": "new-1"},
        {"events": [None, 3, "new-1", ["new-1"], {}]},
    ],
)
def test_anything_else_is_left_as_it_is(odd: Any) -> None:
    assert name_new_ones(odd, ()) == odd


def test_what_is_nested_without_end_is_no_exception() -> None:
    events = [
        create("new-1", "X"),
        nested(450),
        {"type": "create_entity", "entity": nested(450), "name": nested(450)},
    ]
    made = named(*events)
    assert made[0]["entity"] == "x"
    assert len(NEW) == 4
