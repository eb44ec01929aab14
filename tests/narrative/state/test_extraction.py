"""Prose and proposal parted, in whole replies and while they stream."""

import json
import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from narrative.state.events import EVENT_TYPES
from narrative.state.extraction import REMINDER, UNPARSEABLE, Separated, parse_lenient, separate, visible

PROSE = "The lantern swings. Mara looks up."
MORE = "Rain begins to fall."
EMPTY = '{"events": []}'
DEAD = '{"type": "set_entity_status", "entity": "mara", "status": "dead"}'
EVENT = {"type": "set_entity_status", "entity": "mara", "status": "dead"}
BROKEN = '{"events": [{"type": "set_entity_status" "entity"}]}'


def fenced(inside: str, label: str = "state", marks: str = "```") -> str:
    return f"{marks}{label}\n{inside}\n{marks}"


def shown_while_streaming(reply: str) -> list[str]:
    """What is shown after each character. It only ever grows, into what stays."""
    shown = [visible(reply[:end]) for end in range(len(reply) + 1)]
    for earlier, later in zip(shown, [*shown[1:], separate(reply).prose], strict=True):
        assert later.startswith(earlier)
    return shown


@pytest.mark.parametrize(
    ("label", "inside", "parsed"),
    [
        ("state", EMPTY, {"events": []}),
        ("STATE", EMPTY, {"events": []}),
        ("State", EMPTY, {"events": []}),
        (" state", EMPTY, {"events": []}),
        ("state:", EMPTY, {"events": []}),
        ("state", "{oh no", UNPARSEABLE),
        ("state", "", UNPARSEABLE),
        ("state", "Nothing has changed.", UNPARSEABLE),
        ("state", f"[{DEAD}]", [EVENT]),
        ("state", "[]", []),
        ("state", '{"player.hp": -80}', {"player.hp": -80}),
        ("state", '{"events": [{"v": "灯り é Ωμέγα"}]}', {"events": [{"v": "灯り é Ωμέγα"}]}),
        ("state", '{"events": [{"type": "x", "v": +5,},],}', {"events": [{"type": "x", "v": 5}]}),
        ("state", EMPTY + "}", {"events": []}),
        ("state", '{"events": ["see ```json and ``` there"]}', {"events": ["see ```json and ``` there"]}),
        ("state", '{"events": ["a ```state\\n{} b"]}', {"events": ["a ```state\n{} b"]}),
        ("state", '{"events": [{"v": {"a": [{"b": "}]"}]}}]}', {"events": [{"v": {"a": [{"b": "}]"}]}}]}),
        ("state", BROKEN, UNPARSEABLE),
        ("state", '{"events": [{"type": "add_fact, "v": 1}]}', UNPARSEABLE),
        ("json", EMPTY, {"events": []}),
        ("JSON", DEAD, EVENT),
        ("json", f"[{DEAD}]", [EVENT]),
        ("json", f'{{"events": [{DEAD}]}}', {"events": [EVENT]}),
        ("json", '{"entity": "m", "type": "add_fact"}', {"entity": "m", "type": "add_fact"}),
        ("json", BROKEN, UNPARSEABLE),
        ("json", '{"type": "add_fact", oops}', UNPARSEABLE),
        ("json", '{{"events": []}}', UNPARSEABLE),
        ("json", "{'events': [{'type': 'add_fact'}]}", UNPARSEABLE),
        ("json", "{events: [}", UNPARSEABLE),
        ("", EMPTY, {"events": []}),
        ("", f"\n  [{DEAD}]", [EVENT]),
        ("", BROKEN, UNPARSEABLE),
    ],
)
@pytest.mark.parametrize("marks", ["```", "~~~~"])
@pytest.mark.parametrize(
    ("before", "after", "prose"),
    [
        (f"{PROSE}\n\n", "", PROSE),
        (f"{PROSE}\n\n", "\n\n ", PROSE),
        (f"{PROSE} ", "", PROSE),
        (PROSE, "", PROSE),
        (f"{PROSE}\n\n", f"\n\n\n{MORE}", f"{PROSE}\n\n{MORE}"),
        (f"{PROSE}\n\n", f" {MORE}", f"{PROSE}\n\n{MORE}"),
        ("", f"\n\n{MORE}", MORE),
        ("", "", ""),
    ],
)
def test_a_block_leaves_the_prose(
    label: str, inside: str, parsed: object, marks: str, before: str, after: str, prose: str
) -> None:
    block = fenced(inside, label, marks)
    reply = before + block + after
    assert separate(reply) == Separated(prose, block, parsed)
    assert visible(reply) == prose
    for part in shown_while_streaming(reply):
        assert "events" not in part
        assert "state" not in part.lower()
        assert "`" not in part
        assert "~" not in part


@pytest.mark.parametrize(
    ("inside", "parsed"),
    [
        (EMPTY, {"events": []}),
        (f'{{"events": [{DEAD}]}}', {"events": [EVENT]}),
        (DEAD, EVENT),
        (f"[{DEAD}]", [EVENT]),
        (f"[\n  {DEAD},\n  {{}}\n]", [EVENT, {}]),
        ('{"events": [{"v": "} ``` {"}],}', {"events": [{"v": "} ``` {"}]}),
        (EMPTY + "}", {"events": []}),
        (EMPTY + "\n```", {"events": []}),
        (BROKEN, UNPARSEABLE),
        ('{"events": [{"type": "add_fact", "pre', UNPARSEABLE),
        ('{"events": ["a}', UNPARSEABLE),
        ('{"events": [{"type": "add_fact"]}', UNPARSEABLE),
        ('[{"type": "add_fact", "value', UNPARSEABLE),
    ],
)
@pytest.mark.parametrize("before", [f"{PROSE}\n\n", f"{PROSE} ", PROSE, ""])
@pytest.mark.parametrize("after", ["", "\n", f"\n\n{REMINDER}"])
def test_a_bare_proposal_at_the_end_leaves_the_prose(
    inside: str, parsed: object, before: str, after: str
) -> None:
    separated = separate(before + inside + after)
    assert separated.prose == before.rstrip()
    assert separated.raw is not None
    assert separated.raw.strip() in (inside, (inside + after).strip())
    assert separated.parsed == parsed
    assert shown_while_streaming(before + inside + after)[-1] == before.rstrip()


@pytest.mark.parametrize(
    ("reply", "prose"),
    [
        (PROSE + "\n\n```state\n" + '{"events": [{"type"', PROSE),
        (PROSE + " ```state {", PROSE),
        (PROSE + " ```state", PROSE),
        (PROSE + "\n~~~STATE\n" + EMPTY + "\n\n" + MORE, PROSE),
        (PROSE + "\n\n```json\n" + '{"events": [{"type', PROSE),
        (PROSE + "\n\n```json\n" + '{"events":', PROSE),
        (PROSE + "\n\n```\n" + '[{"type": "add_fact", "value": 1', PROSE),
        (PROSE + '\n\n```state {"events": ["unfinished```\n' + MORE, PROSE + "\n\n" + MORE),
    ],
)
def test_a_block_that_never_closes_is_cut(reply: str, prose: str) -> None:
    assert separate(reply).prose == prose
    assert separate(reply).raw
    shown_while_streaming(reply)


def test_line_breaks_of_another_kind() -> None:
    reply = f"{PROSE}\r\n\r\n```state\r\n{EMPTY}\r\n```\r\n\r\n{MORE}\r\nIt stops."
    assert separate(reply) == Separated(
        f"{PROSE}\n\n{MORE}\r\nIt stops.", f"```state\r\n{EMPTY}\r\n```", {"events": []}
    )
    shown_while_streaming(reply)


STORY_CODE = "```python\nif x:\n    y = {'events': [1]}\n```"


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        "  She waits.\n\n",
        "\n \n",
        f"She types:\n\n{STORY_CODE}\n\nand waits.",
        fenced('{"name": "Mara"}', "json"),
        PROSE + "\n\n" + fenced('{"name": "Mara", "hp": 3}', "json") + "\n\n" + MORE,
        fenced('{"type": "door", "locked": true}', "json") + "\n\n" + MORE,
        fenced('{"type": "execute_shell", "command": "ls"}', "json"),
        fenced('{"events": 3}', "json"),
        fenced('["a", "b"]', "json"),
        fenced("[]", "json"),
        fenced("{oh no", "json"),
        fenced('{"entity": oh no', "json"),
        fenced('{"name": "Mara"}', ""),
        fenced("x = 1", ""),
        fenced("of affairs", "statement"),
        fenced("A -> B", "state-machine"),
        fenced("A -> B", "state_machine"),
        fenced("A -> B", "states"),
        fenced("A -> B", "mystate"),
        "```json\n" + '{"name": "Mara',
        "```\ncode without an end",
        "~~~\n\nThe next morning.\n\n~~~\n\nIt rains.",
        "The rune reads {fire}.",
        'The screen blinks: {"name": "Mara"}',
        'The screen blinks: {"type": "door"}',
        'The screen blinks: {"events": "none"}',
        "He smiled {or so it seemed}",
        "He smiled (a state block, she thought) [a state block]",
        "[Now close with the state block, he thought, and left.]",
        "[Now close the door.]",
        "[Now close with the state]",
        "[Now close with the state",
        f"{REMINDER} said the voice.",
        EMPTY + " said the terminal.",
        f"The terminal printed {EMPTY} and went dark.",
        f"She typed `{EMPTY}`.",
        "A list: [1, 2, 3]",
        "`",
        "``",
        "```",
        "~",
        "[",
        "{",
        "[{",
        '{"',
        '{"eve',
        "```sta",
        "]",
        "}",
        "``` ```",
        "````x````",
    ],
)
def test_what_is_the_storys_own_stays(text: str) -> None:
    assert separate(text) == Separated(text if text.strip() else "", None, None)
    shown_while_streaming(text)


def test_what_is_the_storys_own_stays_beside_a_block() -> None:
    for story in (
        STORY_CODE,
        fenced('{"name": "Mara"}', "json"),
        fenced("x", ""),
        "~~~\nNext day",
        "{x} [y]",
    ):
        for prose in (story, f"{PROSE}\n\n{story}", f"{story}\n\n{MORE}"):
            for block in (fenced(EMPTY), fenced(EMPTY, "json"), EMPTY, fenced(BROKEN, "json")):
                separated = separate(f"{prose}\n\n{block}")
                assert (separated.prose, separated.raw) == (prose, block)
                shown_while_streaming(f"{prose}\n\n{block}")


def test_of_two_labelled_blocks_the_last_counts() -> None:
    first, last = fenced(EMPTY), fenced(f"[{DEAD}]", "State")
    for between in (f"\n\n{MORE}\n\n", f" {MORE} ", f"\n{MORE}\n"):
        reply = f"{PROSE}\n\n{first}{between}{last}"
        assert separate(reply) == Separated(f"{PROSE}\n\n{MORE}", last, [EVENT])
    assert separate(f"{PROSE}\n{first}\n{last}") == Separated(PROSE, last, [EVENT])
    # The first was never closed.
    assert separate(f"{PROSE}\n```state\n{EMPTY}\n{last}") == Separated(PROSE, last, [EVENT])
    assert separate(f'{PROSE}\n```state\n{{oh no "\n{last}') == Separated(PROSE, last, [EVENT])
    # It counts even where it does not parse.
    assert separate(f"{PROSE}\n{first}\n{fenced('{')}") == Separated(PROSE, fenced("{"), UNPARSEABLE)


@pytest.mark.parametrize("other", [fenced(EMPTY, "json"), fenced(EMPTY, ""), EMPTY, f"[{DEAD}]", REMINDER])
def test_a_labelled_block_counts_before_any_other_and_the_other_leaves_too(other: str) -> None:
    block = fenced(DEAD)
    assert separate(f"{PROSE}\n\n{other}\n\n{block}") == Separated(PROSE, block, EVENT)
    assert separate(f"{PROSE}\n\n{block}\n\n{other}") == Separated(PROSE, block, EVENT)
    shown_while_streaming(f"{PROSE}\n\n{other}\n\n{block}")
    shown_while_streaming(f"{PROSE}\n\n{block}\n\n{other}")


@pytest.mark.parametrize(
    "echo",
    [
        REMINDER,
        REMINDER.lower(),
        REMINDER.upper(),
        REMINDER[:-1],
        REMINDER[:-2],
        "[now close, with the State Block - what changed in this reply and nothing else]",
        "[**Now close with the state block:** what changed in this\nreply, and nothing else.]",
        "[Now close with the state block]",
        "[Now close with the state block: what chan",
        "[ Now close with the state block: what changed ]",
    ],
)
def test_an_echo_of_the_reminder_at_the_end_is_removed(echo: str) -> None:
    for before in (f"{PROSE}\n\n", f"{PROSE} "):
        for after in ("", "\n \n"):
            assert separate(before + echo + after) == Separated(PROSE, None, None)
            assert shown_while_streaming(before + echo + after)[-1] == PROSE
    block = fenced(EMPTY)
    assert separate(f"{PROSE}\n{block}\n{echo}") == Separated(PROSE, block, {"events": []})


@pytest.mark.parametrize(
    ("arriving", "shown"),
    [
        ("She opens the box.", "She opens the box."),
        ("```python\nprint(", "```python\nprint("),
        ('```json\n{"name', '```json\n{"name'),
        ('```json\n{"n', '```json\n{"n'),
        ('```json\n{"e', ""),
        ('```json\n[\n {"ty', ""),
        ('```json\n{"name": 1}\n```\n\nShe', '```json\n{"name": 1}\n```\n\nShe'),
        ("```\nx", "```\nx"),
        ('{"name', '{"name'),
        ('{"type', ""),
        ("{", ""),
        ("{x", "{x"),
        ("[a", "[a"),
        ("[No", ""),
        ("[Not", "[Not"),
        ("```sta", ""),
        ("```stable", "```stable"),
        ("`code", "`code"),
        ("`", ""),
        ("```state", ""),
        ("```state-", "```state-"),
        ("```state {", ""),
    ],
)
def test_only_what_may_still_be_ours_is_held_back(arriving: str, shown: str) -> None:
    assert visible(arriving) == shown
    assert visible(f"{PROSE} {arriving}") == f"{PROSE} {shown}".rstrip()


def test_prose_after_a_block_is_shown_as_it_arrives() -> None:
    assert visible(f"{PROSE}\n\n{fenced(EMPTY)}\n\nRain be") == f"{PROSE}\n\nRain be"
    assert visible(f"{PROSE}\n\n{fenced('{oh no')}\nRain be") == f"{PROSE}\n\nRain be"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (EMPTY, {"events": []}),
        (f" \n{EMPTY}\n", {"events": []}),
        (fenced(EMPTY), {"events": []}),
        (fenced(EMPTY, "json"), {"events": []}),
        (fenced(EMPTY, "JSON", "~~~~"), {"events": []}),
        (f"```json {EMPTY} ```\n", {"events": []}),
        (f"```json\n{EMPTY}", {"events": []}),
        ('{"a": [1, 2,], }', {"a": [1, 2]}),
        ('{"a": +5, "b": [+5,+.5]}', UNPARSEABLE),
        ('{"a": +5, "b": [+5,-5, 1e+5]}', {"a": 5, "b": [5, -5, 1e5]}),
        ('{"a": "+5, ], ,}", "b": "\\",]",}', {"a": "+5, ], ,}", "b": '",]'}),
        ('{"a": "one\ntwo"}', {"a": "one\ntwo"}),
        (EMPTY + "}", {"events": []}),
        (EMPTY + "\n```", {"events": []}),
        (EMPTY + ";", {"events": []}),
        (EMPTY + EMPTY, UNPARSEABLE),
        ("{'a': 1}", UNPARSEABLE),
        ('{"a": 1', UNPARSEABLE),
        ('{"a": [1,,]}', UNPARSEABLE),
        ('{"a" 1}', UNPARSEABLE),
        ('{"a": --5}', UNPARSEABLE),
        ('{"a": "x}', UNPARSEABLE),
        ('Here it is: {"a": 1}', UNPARSEABLE),
        ("5 apples", UNPARSEABLE),
        ("null", None),
        ("", UNPARSEABLE),
        ("```", UNPARSEABLE),
        ('{"a": ' + "9" * 5_000 + "}", UNPARSEABLE),
        ("[" * 100_000, UNPARSEABLE),
        ('{"a":' * 100_000, UNPARSEABLE),
        ("[" * 100_000 + "]" * 100_000, UNPARSEABLE),
        ('"\\ud800"', "\ud800"),
        ("\ud800", UNPARSEABLE),
    ],
)
def test_json_is_read_leniently_and_nothing_is_guessed(text: str, value: object) -> None:
    assert parse_lenient(text) == value


def test_what_is_no_number_is_left_for_the_review() -> None:
    value = parse_lenient('{"a": [NaN, Infinity, -Infinity, 1e999]}')
    assert isinstance(value, dict)
    assert math.isnan(value["a"][0])
    assert value["a"][1:] == [math.inf, -math.inf, math.inf]


HOSTILE = (
    "`",
    "~",
    "{",
    "[",
    "]",
    '"',
    "\\",
    "` ",
    "``` ",
    "```\n",
    "{ ",
    "[{",
    "{}",
    '{"',
    '\\"',
    "```state",
    "~~~state ",
    "```state\n",
    '```state "',
    '```state \\"',
    '"```state ',
    '```json{"type":',
    '```json\n{"type"\n',
    '{"type":',
    '{"type":"',
    '{"type": \\" ```state ',
    '{"events": [',
    '[{"type": 1}, ',
    '{"events":[]}',
    ", ",
    "+5",
    "[Now ",
    "[Now close with the state block",
    "[ , ",
    "{" + " " * 1_000,
    "```" + " " * 1_000,
    "```py\n``` x ",
    " \n",
    "```x\n",
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_flood_is_soon_read(piece: str) -> None:
    """Reading that took the square of the length would take minutes here."""
    flood = piece * (200_000 // len(piece))
    for text in (PROSE + flood, fenced(flood)):
        assert separate(text).prose.startswith(visible(text))
        parse_lenient(text)


PIECES = st.sampled_from(
    (
        "```",
        "~~~",
        "`",
        "~",
        "state",
        "STATE",
        "json",
        "python",
        "statement",
        "\n",
        "\n\n",
        " ",
        "\r\n",
        "\t",
        '"',
        "\\",
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        EMPTY,
        DEAD,
        BROKEN,
        '{"events": [',
        '{"type": "',
        "add_fact",
        '{"name": "Mara"}',
        "```state\n",
        "\n```\n",
        "```json\n",
        f"\n\n{fenced(EMPTY)}",
        fenced(DEAD, "json"),
        fenced('{"a": 1}', "json"),
        STORY_CODE,
        REMINDER,
        REMINDER[:40],
        "[Now close",
        "]",
        PROSE,
        "a",
        "é",
        "灯",
        "\u2028",
        "ſ",
        "\ud800",
    )
)
REPLIES = st.lists(PIECES | st.text(max_size=5), max_size=14).map("".join)
PLAIN = st.text().map(lambda text: text.translate(dict.fromkeys(map(ord, "`~{["), "x")))


@settings(max_examples=400, deadline=None)
@given(REPLIES)
@example("```\n" + '{"events": []}' + "\n```\n```json")
@example('{"events": []} ```\n{"events"')
def test_what_is_shown_of_a_reply_only_grows_into_its_prose(reply: str) -> None:
    shown = shown_while_streaming(reply)
    assert all(part in reply or "\n\n" in part for part in shown)


@settings(deadline=None)
@given(REPLIES)
def test_nothing_is_lost_but_what_is_cut(reply: str) -> None:
    """The prose is the reply with stretches left out, in order."""
    separated = separate(reply)
    letters = iter("".join(reply.split()))
    assert all(letter in letters for letter in "".join(separated.prose.split()))
    assert separated.raw is None or separated.raw in reply
    assert (separated.raw is None) == (separated.parsed is None) or separated.parsed is None


@given(PLAIN)
def test_plain_prose_comes_back_and_is_never_late(text: str) -> None:
    assert separate(text) == Separated(text if text.strip() else "", None, None)
    assert visible(text) == (text.rstrip() if text.strip() else "")


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=8) | st.sampled_from(["```", "```state\n{", "}", "[{"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
EVENTS = st.fixed_dictionaries({"type": st.sampled_from(sorted(EVENT_TYPES)), "value": JSON})
PROPOSALS = st.fixed_dictionaries({"events": st.lists(EVENTS, max_size=3)})
FORMS = ("```state\n{}\n```", "```json\n{}\n```", "~~~\n{}\n~~~", "```state {}```", "{}", "```state\n{}")


@settings(deadline=None)
@given(
    PLAIN.map(str.strip),
    PROPOSALS,
    st.sampled_from(FORMS),
    st.booleans(),
    st.sampled_from([None, 2]),
)
def test_prose_and_proposal_come_apart_as_they_were_put_together(
    prose: str, proposal: object, form: str, is_ascii: bool, indent: int | None
) -> None:
    block = form.replace("{}", json.dumps(proposal, ensure_ascii=is_ascii, indent=indent))
    reply = f"{prose}\n\n{block}"
    assert separate(reply) == Separated(prose, block, proposal)
    assert prose.startswith(visible(reply))
