"""The state in words: for the narrator within a budget, for the player in groups, and compared."""

from knowledge.tokens import count_tokens
from narrative.prompt.state_texts import canon_lines, refusals_text
from narrative.state.canon import read_canon
from narrative.state.diff import compare_states
from narrative.state.document import Document, Place
from narrative.state.groups import group_state
from narrative.state.render import HEADING, Focus, render_state
from tests.narrative.state.making import Raw, after, at, fact, give, start, status

ALDRIC = Focus(protagonist="aldric")
ROOMY = 10_000


def told(document: Document, *, budget: int = ROOMY, focus: Focus = ALDRIC) -> str:
    return render_state(document, focus, budget=budget, count=count_tokens).text


def test_nothing_is_not_said() -> None:
    rendered = render_state(Document(), ALDRIC, budget=ROOMY, count=count_tokens)
    assert (rendered.text, rendered.tokens, rendered.left_out) == ("", 0, 0)


def test_the_form() -> None:
    document = after(
        start(),
        {"type": "set_scene", "location": "inn", "time": "late", "present": ["aldric", "mara"]},
        {"type": "set_entity_conditions", "entity": "aldric", "conditions": ["limping", "wet"]},
        {"type": "set_entity_attribute", "entity": "aldric", "attribute": "visual.hair", "value": "grey"},
        status("abbey", "destroyed"),
        fact("tally-1", "tally", value=10),
        fact("old", "the gate", value="stands open"),
        {"type": "invalidate_fact", "fact_id": "old", "reason": "it fell"},
        {"type": "add_relationship", "source": "mara", "target": "aldric", "relationship": "trusts"},
    )
    document = after(document, fact("k", "knows", subject="mara", object="abbey"), source="manual_correction")
    assert told(document) == "\n".join(
        [
            HEADING,
            "Scene: place the Crooked Lantern (inn); time late; present Aldric (aldric), Mara Voss (mara)",
            "Who and what there is:",
            "- aldric: Aldric, character; at inn; limping, wet; visual.hair grey",
            "- mara: Mara Voss, character",
            "- inn: the Crooked Lantern, location",
            "- abbey: the Old Abbey, location; destroyed",
            "- silver-key: the silver key, item; held by aldric",
            "Established:",
            "- tally-1: tally: 10",
            "- k: Mara Voss knows the Old Abbey [the player's correction]",
            "No longer true:",
            "- old: the gate: stands open (it fell)",
            "Ties:",
            "- mara -> aldric: trusts",
            "Open threads:",
            "- dawn: Get to the Old Abbey before dawn",
        ]
    )


def test_what_was_withdrawn_stands_apart_from_what_holds() -> None:
    document = after(start(), fact("f", "knows the way", subject="mara"))
    document = after(
        document,
        {"type": "invalidate_fact", "fact_id": "f", "reason": "never learned it"},
        status("abbey", "withdrawn"),
        source="manual_correction",
    )
    text = told(document)
    holds, gone = text.split("No longer true:")
    assert "knows the way" not in holds
    assert "- abbey:" not in holds
    assert "Mara Voss knows the way (never learned it) [the player's correction]" in gone
    # However small the budget, what the player withdrew is said.
    assert "never learned it" in told(document, budget=1)


def crowd(count: int) -> Document:
    document = start()
    for number in range(count):
        document = after(
            document,
            {
                "type": "create_entity",
                "entity": f"guest-{number}",
                "name": f"Guest {number}",
                "description": "one of many",
            },
            fact(f"fact-{number}", f"has seen {number}", subject=f"guest-{number}"),
            at=Place(1, number + 1),
        )
    return document


def test_within_a_budget_the_scene_comes_first_and_then_the_newest() -> None:
    document = after(crowd(60), {"type": "set_scene", "location": "inn", "present": ["mara", "guest-3"]})
    focus = Focus(protagonist="aldric", text="Guest 7 looks up.")
    for budget in (200, 400, 800):
        rendered = render_state(document, focus, budget=budget, count=count_tokens)
        assert rendered.tokens <= budget
        assert rendered.left_out > 0
        lines = rendered.text.splitlines()
        keys = {line.split(":")[0][2:] for line in lines if line.startswith("- ")}
        assert keys >= {"aldric", "mara", "inn", "silver-key", "guest-3", "dawn"}
    assert {"guest-7", "fact-3"} <= keys
    assert "guest-59" in keys
    assert "guest-20" not in keys


def test_the_core_is_told_whatever_the_budget() -> None:
    rendered = render_state(crowd(5), ALDRIC, budget=0, count=count_tokens)
    assert rendered.tokens <= rendered.core
    assert "- aldric:" in rendered.text
    assert "- dawn:" in rendered.text
    assert "guest" not in rendered.text


def test_the_newest_facts_are_told_and_the_rest_counted() -> None:
    document = after(start(), *(fact(f"f-{n}", f"number {n}") for n in range(40)))
    text = told(document)
    assert "- f-39:" in text
    assert "- f-9:" not in text
    assert text.count("\n- f-") == 30


def test_canon_is_told_in_words_whole() -> None:
    canon = read_canon(
        {
            "rules": ["The dead stay dead."],
            "forbidden_status_changes": [
                {"from": "dead", "to": "active"},
                {"from": "a", "to": "b", "entity": "Mara"},
            ],
            "locked_facts": [{"subject": "Mara", "predicate": "origin"}],
            "locked_attributes": [{"entity": "Mara", "attribute": "eyes"}],
            "single_valued": ["rank"],
            "house_style": {"dashes": False},
        }
    )
    assert canon_lines(canon) == [
        "The dead stay dead.",
        "The status “dead” never becomes “active”.",
        "Mara: the status “a” never becomes “b”.",
        "Mara: “origin” is settled and stays as it is.",
        "Mara: “eyes” is settled and stays as it is.",
        "There is one “rank” at a time.",
        'house style: {"dashes": false}',
    ]


def test_refusals_are_six_lines_at_most() -> None:
    refused = [{"event": {"type": f"t{n}"}, "detail": f"why {n}."} for n in range(20)]
    text = refusals_text(refused)
    assert len(text.splitlines()) == 6
    assert "and 16 more" in text
    assert refusals_text([]) == ""
    assert refusals_text([{"event": "odd", "detail": "No."}]).endswith("- an event: No.]")


def test_groups_hold_what_there_is_in_their_order() -> None:
    assert group_state(Document()) == ()
    ship: Raw = {
        "type": "create_entity",
        "entity": "ship",
        "name": "Persephone",
        "entity_type": "airlock_door",
    }
    document = after(
        start(),
        ship,
        {"type": "set_scene", "location": "inn"},
        fact("f", "old", value=1),
        {"type": "invalidate_fact", "fact_id": "f"},
        fact("g", value=2),
    )
    groups = {group.title: group.rows for group in group_state(document)}
    assert list(groups) == [
        *("Scene", "Characters", "Locations", "Airlock door", "Items", "Possessions", "Facts"),
        *("Open threads", "No longer true"),
    ]
    aldric = groups["Characters"][0]
    assert (aldric.key, aldric.title, aldric.kind) == ("aldric", "Aldric", "entity")
    assert aldric.lines == ("at the Crooked Lantern", "carries the silver key")
    assert groups["Facts"][0].authority == "accepted_story"


def test_two_states_compared() -> None:
    before = start()
    now = after(before, give("mara"), at("aldric", "abbey"), fact("f", value=1))
    found = {
        (each.section, each.key, each.field): (each.before, each.after)
        for each in compare_states(before, now)
    }
    assert found["possessions", "silver-key", ""] == ("aldric", "mara")
    assert found["entities", "aldric", "location"] == ("inn", "abbey")
    assert found["facts", "f", ""][0] is None
    assert len(found) == 3
    assert compare_states(now, now) == ()
