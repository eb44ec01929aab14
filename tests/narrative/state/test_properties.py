"""Whatever comes in: no exception, a well-formed document, nothing mutated, and the same again when replayed."""

from copy import deepcopy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.tokens import count_tokens
from narrative.state.apply import apply_events
from narrative.state.changes import change_lines
from narrative.state.document import damaged_sections, read_document, store_document, write_document
from narrative.state.events import EVENT_TYPES, MODELS
from narrative.state.evidence import Evidence
from narrative.state.extraction import separate
from narrative.state.groups import group_state
from narrative.state.render import Focus, render_state
from narrative.state.review import Status, review_proposal
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
MANY = settings(max_examples=150, deadline=None)


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
