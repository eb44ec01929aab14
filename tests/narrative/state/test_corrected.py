"""The player's word: the story neither withdraws it, nor says otherwise, nor brings back what it took away."""

from typing import Any

import pytest

from narrative.state.document import Document
from narrative.state.review import Status
from tests.narrative.state.making import Raw, after, at, fact, give, judge, reasons, start, status

REFUSED = [("canon", "player_correction")]
TRUSTS: Raw = {"source": "mara", "target": "aldric", "relationship": "trusts"}


def player(document: Document, *events: Raw, **values: Any) -> Document:
    return after(document, *events, source="manual_correction", **values)


def withdraw(fact_id: str, **values: Any) -> Raw:
    return {"type": "invalidate_fact", "fact_id": fact_id, **values}


def mark(fact_id: str, value: str) -> Raw:
    return {"type": "set_fact_status", "fact_id": fact_id, "status": value}


def test_knowing_one_thing_is_not_knowing_no_other() -> None:
    document = after(start(), fact("f1", "found", value="at the chapel"))
    document = player(document, fact("k", "knows", subject="mara", object="f1"))
    more = fact(None, "knows", subject="mara", object="abbey")
    assert judge(document, more).refused == ()
    assert reasons(judge(document, more, canon={"single_valued": ["KNOWS"]})) == REFUSED
    denied = fact(None, "knows", subject="mara", object="f1", value=False)
    assert reasons(judge(document, denied)) == REFUSED
    assert judge(document, fact(None, "knows", subject="aldric", object="f1")).refused == ()


def test_a_value_of_the_players_is_not_another_value() -> None:
    document = player(start(), fact("t", "tally", value=10))
    assert reasons(judge(document, fact(None, "Tally", value=7))) == REFUSED
    assert judge(document, fact(None, "tally", value=10)).status == Status.ACCEPTED
    # What the story established the story may say otherwise.
    assert judge(after(start(), fact("t", "tally", value=10)), fact(None, "tally", value=7)).refused == ()


@pytest.mark.parametrize("verdict", ["disputed", "superseded"])
def test_a_fact_that_the_player_marked_is_neither_said_again_nor_ended_by_the_story(verdict: str) -> None:
    document = player(after(start(), fact("t", "tally", value=10)), mark("t", verdict))
    assert reasons(judge(document, fact(None, "tally", value=10))) == REFUSED
    # Nor in two steps: ended as the story's own, and then said again.
    review = judge(document, withdraw("t"), fact(None, "tally", value=10))
    assert reasons(review) == REFUSED * 2
    assert review.document == document
    assert player(document, withdraw("t")).facts[0].status == "invalidated"


def test_what_the_player_withdrew_is_not_withdrawn_again_by_the_story() -> None:
    document = player(after(start(), fact("t", "tally", value=10)), withdraw("t", reason="never"))
    review = judge(document, withdraw("t", reason="it ended"))
    assert (len(review.redundant), review.document) == (1, document)


def test_what_another_took_the_place_of_may_come_back_once_that_is_gone() -> None:
    canon = {"single_valued": ["rank"]}
    document = after(start(), fact("r1", "rank", subject="mara", value="keeper"), canon=canon)
    document = player(document, fact("r2", "rank", subject="mara", value="reeve"), canon=canon)
    again = fact(None, "rank", subject="mara", value="keeper")
    assert reasons(judge(document, again, canon=canon)) == REFUSED
    document = player(document, withdraw("r2"), canon=canon)
    assert judge(document, again, canon=canon).refused == ()


def test_the_last_word_on_a_relationship_counts() -> None:
    add, end = {"type": "add_relationship", **TRUSTS}, {"type": "end_relationship", **TRUSTS}
    document = player(after(start(), add), end)
    assert reasons(judge(document, add)) == REFUSED
    # The player brought it back, the story ended it: the story may bring it back.
    document = after(player(document, add), end)
    assert judge(document, add).refused == ()


def test_what_was_never_there_is_not_made_by_another_of_its_names() -> None:
    vale = {"type": "create_entity", "entity": "vale", "name": "Captain Vale", "aliases": ["Old Vale"]}
    document = player(after(start(), vale), status("vale", "Withdrawn"))
    for again in (
        {"type": "create_entity", "entity": "v2", "name": "captain  vale"},
        {"type": "create_entity", "entity": "v2", "name": "Old Vale"},
        {"type": "create_entity", "entity": "v2", "name": "A stranger", "aliases": ["Captain Vale"]},
        {"type": "create_entity", "entity": "Vale", "name": "Somebody else"},
        {"type": "set_scene", "present": ["mara", "vale"]},
        give("vale"),
        at("mara", "Captain Vale"),
        fact(None, "knows", subject="vale", value=1),
        fact(None, "fears", subject="mara", object="vale"),
    ):
        assert reasons(judge(document, again)) == REFUSED, again
    assert (
        judge(document, {"type": "create_entity", "entity": "valentina", "name": "Valentina"}).refused == ()
    )
    # The player may.
    assert player(document, status("vale", "active")).entities["vale"].status == "active"


def test_a_double_that_was_never_there_leaves_the_name_to_the_one_that_is() -> None:
    double = {"type": "create_entity", "entity": "mara-2", "name": "Mara Voss"}
    document = after(start(), double)
    by_name = at("Mara Voss", "inn")
    assert reasons(judge(document, by_name)) == [("references", "unknown_reference")]
    document = player(document, status("mara-2", "withdrawn"))
    assert after(document, by_name).entities["mara"].location == "inn"
    # And to say that the one that is there is there is nothing new.
    again = judge(document, {"type": "create_entity", "entity": "mara", "name": "Mara Voss"})
    assert (again.refused, len(again.redundant)) == ((), 1)


def test_a_correction_is_refused_as_the_story_would_be() -> None:
    for event in (at("mara", "nowhere"), give("silver-key"), {"type": "execute_shell"}, status("mara", "")):
        review = judge(start(), event, source="manual_correction")
        assert (review.status, review.document) == (Status.REJECTED, start())


def test_a_mark_of_the_players_is_on_what_is_established_after_all() -> None:
    document = after(start(), fact("t", "tally", value=10), withdraw("t"))
    document = player(document, mark("t", "active"))
    [known] = document.facts
    assert (known.status, known.authority, known.invalidated_by, known.invalidated_reason) == (
        *("active", "manual_correction", None, None),
    )
    assert reasons(judge(document, withdraw("t"))) == REFUSED
