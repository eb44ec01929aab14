"""Whatever comes in: no exception, a well-formed document, nothing mutated, and the same again when replayed."""

from copy import deepcopy
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.tokens import count_tokens
from narrative.state.apply import apply_events
from narrative.state.changes import change_lines
from narrative.state.diff import compare_states
from narrative.state.document import (
    SECTIONS,
    damaged_sections,
    read_document,
    store_document,
    write_document,
)
from narrative.state.events import EVENT_TYPES, MODELS
from narrative.state.evidence import Evidence
from narrative.state.extraction import separate
from narrative.state.groups import group_state
from narrative.state.render import Focus, render_state
from narrative.state.review import Status, review_proposal
from narrative.state.undoing import undo_events
from narrative.state.vocabulary import name_new_ones
from tests.narrative.state.making import rules, start

KEYS = st.sampled_from(
    ["aldric", "mara", "inn", "abbey", "silver-key", "dawn", "f1", "tally", "nobody", "Mara Voss"]
)
TEXTS = st.one_of(KEYS, st.text(max_size=12))
SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    TEXTS,
    st.sampled_from(["active", "dead", "withdrawn"]),
)
JSON: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)
FIELDS = sorted({field for model in MODELS.values() for field in model.model_fields} - {"type"})


def _event(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    model = MODELS.get(kind, MODELS["set_thread_status"])
    known = [field for field in model.model_fields if field != "type"]
    values = st.one_of(TEXTS, SCALARS, st.lists(TEXTS, max_size=3))
    return st.fixed_dictionaries({"type": st.just(kind)}, optional=dict.fromkeys(known, values))


EVENTS = st.sampled_from(sorted(EVENT_TYPES)).flatmap(_event)
PROPOSALS = st.one_of(
    JSON,
    st.lists(EVENTS, max_size=10),
    st.fixed_dictionaries({"events": st.lists(st.one_of(EVENTS, EVENTS, EVENTS, JSON), max_size=12)}),
)
SOURCES = st.sampled_from(["accepted_story", "manual_correction", "campaign_setup", "narrator_edit"])
CANONS = st.sampled_from(
    [
        {},
        {"forbidden_status_changes": [{"from": "dead", "to": "active"}], "single_valued": ["tally"]},
        {
            "locked_attributes": [{"entity": "mara", "attribute": "location"}],
            "locked_facts": [{"predicate": "x"}],
        },
    ]
)
EVIDENCE = st.sampled_from(
    [None, Evidence(("Mara takes the key.",), passages=("The abbey.",), protagonist="aldric")]
)
MANY = settings(max_examples=150, deadline=None, derandomize=True, database=None)
FEW = settings(max_examples=60, deadline=None, derandomize=True, database=None)
# The events that set one value of one thing.
SETTING = (
    "set_entity_status",
    "set_entity_description",
    "set_entity_attribute",
    "set_entity_conditions",
    "set_current_location",
    "set_possession",
    "clear_possession",
)


@MANY
@given(PROPOSALS, PROPOSALS, SOURCES, CANONS, EVIDENCE)
def test_any_proposal_leaves_a_well_formed_document(
    first: Any, second: Any, source: str, canon: dict[str, Any], evidence: Evidence | None
) -> None:
    document = start()
    for proposal in (first, second):
        raw, before = deepcopy(proposal), write_document(document)
        judged = rules(source, canon=canon, evidence=evidence)
        review = review_proposal(document, proposal, judged)
        assert repr(proposal) == repr(raw)
        assert write_document(document) == before
        assert apply_events(document, review.events, judged.writing) == review.document
        assert len(change_lines(document, review.events, judged.writing)) == len(review.accepted)
        assert damaged_sections(store_document(review.document)) == ()
        assert read_document(store_document(review.document)) == review.document
        assert read_document(write_document(review.document)) == review.document
        assert (review.status == Status.ACCEPTED) is not bool(review.refused)
        assert (review.status == Status.REJECTED) is bool(
            review.refused and not review.accepted and not review.redundant
        )
        group_state(review.document)
        document = review.document


@MANY
@given(st.lists(EVENTS, max_size=12), st.integers(0, 300))
def test_what_is_told_keeps_to_its_budget(events: list[dict[str, Any]], budget: int) -> None:
    document = review_proposal(start(), events, rules("manual_correction")).document
    rendered = render_state(document, Focus(protagonist="aldric"), budget=budget, count=count_tokens)
    assert rendered.tokens <= max(budget, rendered.core)
    assert "\n\n" not in rendered.text
    shown = [line[2:].split(":")[0] for line in rendered.text.splitlines() if line.startswith("- ")]
    known = {*document.entities, *document.threads, *(each.id for each in document.facts)}
    known |= {each.id for each in document.relationships}
    assert {key for key in shown if " -> " not in key} <= known


@MANY
@given(JSON)
def test_any_json_is_read_as_a_document(stored: Any) -> None:
    read = read_document(stored)
    assert read_document(store_document(read)) == read


@MANY
@given(st.text(max_size=300))
def test_any_text_is_separated_and_reviewed(text: str) -> None:
    separated = separate(text)
    if separated.raw is not None:
        review_proposal(start(), separated.parsed, rules())


def _good(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    """Events of a kind that are seldom refused."""
    keys = st.sampled_from(["aldric", "mara", "inn", "abbey", "silver-key", "Mara Voss", "box"])
    words = st.sampled_from(["active", "dead", "wet", "rank", "tally", "f1", "Ａ", "x y"])
    by_field: dict[str, st.SearchStrategy[Any]] = {
        **dict.fromkeys(("present", "significant"), st.lists(keys, max_size=3)),
        **dict.fromkeys(("conditions", "aliases", "actions", "visual_notes"), st.lists(words, max_size=3)),
        **dict.fromkeys(
            ("status", "name", "title", "attribute", "predicate", "relationship", "alias"), words
        ),
        **dict.fromkeys(("description", "reason", "resolution", "summary", "mood", "time"), words),
        "value": st.one_of(words, st.integers(0, 3), st.booleans(), st.lists(words, max_size=2)),
        "fact_id": st.sampled_from(["f1", "f2", "tally", "mara-rank", "F 1"]),
        "thread": st.sampled_from(["dawn", "dusk"]),
        "importance": st.integers(1, 5),
        "continuity_notes": st.just([]),
    }
    if kind == "set_fact_status":
        by_field["status"] = st.sampled_from(["active", "disputed", "superseded"])
    if kind in ("set_thread_status", "resolve_story_thread"):
        by_field["status"] = st.sampled_from(["open", "dormant", "resolved", "abandoned"])
    fields = MODELS.get(kind, MODELS["set_thread_status"]).model_fields
    given_fields = {name: by_field.get(name, keys) for name in fields if name != "type"}
    needed = {name: part for name, part in given_fields.items() if fields[name].is_required()}
    others = {name: part for name, part in given_fields.items() if name not in needed}
    return st.fixed_dictionaries({"type": st.just(kind), **needed}, optional=others)


GOOD = st.lists(st.sampled_from(sorted(EVENT_TYPES)).flatmap(_good), max_size=20)


@FEW
@given(GOOD, SOURCES, CANONS)
def test_what_is_accepted_changes_something_and_what_is_redundant_nothing(
    events: list[dict[str, Any]], source: str, canon: dict[str, Any]
) -> None:
    document, judged = start(), rules(source, canon=canon)
    for raw in events:
        review = review_proposal(document, [raw], judged)
        if review.accepted:
            assert repr(review.document) != repr(document), raw
            again = review_proposal(
                review.document, [{"type": raw["type"], **review.events[0].payload()}], judged
            )
            lasting = raw["type"] not in (
                "create_entity",
                "open_story_thread",
                "merge_entities",
                "end_relationship",
            )
            assert not lasting or again.redundant, raw
        else:
            assert review.document is document
        document = review.document


@FEW
@given(GOOD, st.lists(st.sampled_from(SETTING).flatmap(_good), max_size=20))
def test_absolute_events_applied_again_change_nothing(
    before: list[dict[str, Any]], events: list[dict[str, Any]]
) -> None:
    judged = rules()
    review = review_proposal(review_proposal(start(), before, rules()).document, events, judged)
    last = apply_events(review.document, review.events, judged.writing)
    aside = {key: replace(entity, earlier_statuses=[]) for key, entity in last.entities.items()}
    held = {key: replace(entity, earlier_statuses=[]) for key, entity in review.document.entities.items()}
    assert aside == held
    assert (last.possessions, last.possession_provenance) == (
        review.document.possessions,
        review.document.possession_provenance,
    )


@FEW
@given(GOOD, GOOD)
def test_whatever_happens_the_document_is_one_of_a_story(
    first: list[dict[str, Any]], second: list[dict[str, Any]]
) -> None:
    document = start()
    canon = {"single_valued": ["rank", "tally"]}
    for source, events in (
        ("accepted_story", first),
        ("manual_correction", second),
        ("accepted_story", first),
    ):
        document = review_proposal(document, events, rules(source, canon=canon)).document
        entities = document.entities
        # Everything that is named is there.
        assert {*document.possessions, *document.possessions.values()} <= set(entities)
        assert set(document.possessions) == set(document.possession_provenance)
        assert {tie.source for tie in document.relationships} | {
            tie.target for tie in document.relationships
        } <= set(entities)
        ids = {each.id for each in document.facts}
        for each in document.facts:
            assert each.subject is None or each.subject in entities
            assert each.object is None or each.object in entities or each.object in ids
        # Nothing is inside itself.
        for key in entities:
            seen, waiting = set(), [key]
            while waiting:
                here = waiting.pop()
                around = {document.possessions.get(here), entities[here].location} - {None}
                assert key not in around
                waiting += [each for each in around if each and each not in seen]
                seen |= around
        # One relationship of a kind, and one value where there is room for one.
        ties = [
            (t.source, t.target, t.type.casefold()) for t in document.relationships if t.status == "active"
        ]
        assert len(ties) == len(set(ties))
        singles = [
            (each.subject, each.predicate)
            for each in document.facts
            if each.status == "active" and each.predicate in ("rank", "tally")
        ]
        assert len(singles) == len(set(singles))


@FEW
@given(GOOD)
def test_what_was_done_can_be_taken_back_at_once(events: list[dict[str, Any]]) -> None:
    document = start()
    for raw in events:
        review = review_proposal(document, [raw], rules())
        for accepted in review.accepted:
            done = {"type": accepted.event.type, **accepted.event.payload()}
            undone = undo_events(review.document, done, accepted.before, reason="taken back")
            if undone is None:
                continue
            back = review_proposal(review.document, undone, rules("manual_correction", takes_back=True))
            assert back.refused == (), (raw, undone)
            if raw["type"] in SETTING:
                assert compare_states(document, back.document) == (), (raw, undone)
        document = review.document


@MANY
@given(JSON, st.sampled_from(SECTIONS))
def test_any_json_as_a_section_leaves_the_others(damage: Any, section: str) -> None:
    sound = store_document(start())
    read = read_document({**sound, section: damage})
    assert read_document(store_document(read)) == read
    assert damaged_sections(store_document(read)) == ()
    for name in SECTIONS:
        if name != section:
            assert getattr(read, name) == getattr(start(), name)
    render_state(read, Focus(protagonist="aldric"), budget=50, count=count_tokens)
    group_state(read)
    compare_states(read, start())
    review_proposal(read, [{"type": "set_scene", "present": ["mara"]}], rules())


@MANY
@given(JSON)
def test_any_json_as_an_answer_with_stand_ins(answer: Any) -> None:
    raw = repr(answer)
    for proposal in (answer, {"events": answer}, {"events": [answer]}):
        review_proposal(start(), name_new_ones(proposal, start().entities), rules())
    assert repr(answer) == raw
