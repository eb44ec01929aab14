"""What is refused before it reaches the story, and what is cleaned on its way in."""

from typing import Any

import pytest

from campaigns.models import Campaign
from campaigns.texts import INPUT_LENGTH
from tests.api_client import Api, json_of, problem_of

NEW = {"title": "A", "opening": "B"}
DEEP: Any = []
for _ in range(30):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"titel": "A"}, "titel"),
        ({"title": 3}, "title"),
        ({"title": None}, "title"),
        ({"title": "x" * 201}, "title"),
        ({"title": " \t"}, "title"),
        ({"title": "\ud800"}, "title"),
        ({"title": "\x00\x07"}, "title"),
        ({"opening": ""}, "opening"),
        ({"opening": " \n "}, "opening"),
        ({"opening": "x" * (INPUT_LENGTH + 1)}, "opening"),
        ({"profile": {"mood": "grim"}}, "profile.mood"),
        ({"profile": {"tone": ["grim"]}}, "profile.tone"),
        ({"profile": {"tone": "x" * 501}}, "profile.tone"),
        ({"protagonist": {"age": 3}}, "protagonist.age"),
        ({"protagonist": "Ilse"}, "protagonist"),
        ({"protagonist": {"name": "x" * 20_001}}, "protagonist.name"),
        ({"protagonist": {"description": "x" * 20_001}}, "protagonist.description"),
        ({"authors_note": "x" * 20_001}, "authors_note"),
        ({"narrator_rules": "Be brief."}, "narrator_rules"),
        ({"narrator_rules": [1]}, "narrator_rules.0"),
        ({"narrator_rules": ["x"] * 101}, "narrator_rules"),
        ({"canon": []}, "canon"),
        ({"canon": {"rules": "none"}}, "canon.rules"),
        ({"canon": {"locked_facts": [{"subject": "mara"}]}}, "canon.locked_facts.0.predicate"),
        (
            {"canon": {"forbidden_status_changes": [{"from": "a", "to": "b", "why": "c"}]}},
            "canon.forbidden_status_changes.0.why",
        ),
        ({"canon": {"notes": "x" * 70_000}}, "canon"),
        ({"canon": {"notes": DEEP}}, "canon"),
        ({"canon": {"notes": float("nan")}}, "canon"),
        ({"canon": {"notes": float("inf")}}, "canon"),
        ({"settings": {"inference_url": "http://example.org"}}, "settings.inference_url"),
        ({"settings": {"temperature": "1"}}, "settings.temperature"),
        ({"settings": {"temperature": float("nan")}}, "settings.temperature"),
        ({"settings": {"temperature": -1}}, "settings.temperature"),
        ({"settings": {"context_window": 511}}, "settings.context_window"),
        ({"settings": {"context_window": True}}, "settings.context_window"),
        ({"settings": {"events": "maybe"}}, "settings.events"),
        ({"settings": {"reasoning": "much"}}, "settings.reasoning"),
        ({"settings": {"reasoning": 0}}, "settings.reasoning"),
        ({"settings": {"reasoning": 1}}, "settings.reasoning"),
        ({"settings": {"reasoning": 1.0}}, "settings.reasoning"),
        ({"settings": {"reasoning": ["low"]}}, "settings.reasoning"),
        ({"settings": {"shares": {"memories": 2}}}, "settings.shares.memories"),
        ({"settings": {"model": "\x00"}}, "settings.model"),
        ({"initial_events": [{"notes": "x" * 70_000}]}, "initial_events.0"),
        ({"initial_events": [3]}, "initial_events.0"),
    ],
)
def test_a_campaign_that_cannot_be(api: Api, changes: dict[str, Any], field: str) -> None:
    refused = problem_of(api.post("/campaigns", NEW | changes), 422, "invalid")
    assert refused["errors"][0]["field"] == field
    assert not Campaign.objects.exists()


@pytest.mark.parametrize("keep_alive", ["5", "soon", "5 m", "m", "", True, -2, [], "1" * 30 + "s"])
def test_a_keep_alive_that_is_none(api: Api, keep_alive: object) -> None:
    refused = problem_of(
        api.post("/campaigns", NEW | {"settings": {"keep_alive": keep_alive}}), 422, "invalid"
    )
    assert refused["errors"][0]["field"] == "settings.keep_alive"


@pytest.mark.parametrize("keep_alive", [0, -1, 300, 1.5, "5m", "90s", "1h30m"])
def test_a_keep_alive(api: Api, keep_alive: object) -> None:
    made = json_of(api.post("/campaigns", NEW | {"settings": {"keep_alive": keep_alive}}), 201)
    assert made["settings"] == {"keep_alive": keep_alive}


@pytest.mark.parametrize("reasoning", [True, False, "low", "medium", "high"])
def test_a_way_of_thinking(api: Api, reasoning: object) -> None:
    made = json_of(api.post("/campaigns", NEW | {"settings": {"reasoning": reasoning}}), 201)
    assert made["settings"] == {"reasoning": reasoning}


@pytest.mark.parametrize("levels", [200, 900])
def test_a_canon_that_is_nested_beyond_any_walk(api: Api, levels: int) -> None:
    notes = b"[" * levels + b"]" * levels
    body = b'{"title": "A", "opening": "B", "canon": {"notes": ' + notes + b"}}"
    refused = problem_of(api.send_raw("POST", "/campaigns", body), 422, "invalid")
    assert refused["errors"][0]["field"] == "canon"
    assert "20 levels" in refused["detail"]


def test_characters_that_cannot_be_stored_are_dropped(api: Api) -> None:
    body = {
        "title": "A\x00B\ud800C",
        "opening": "One\x07\r\n\tTwo\ud83d",
        "profile": {"tone": "gr\x1bim"},
        "canon": {"no\x00tes": ["a\x00b\ud800"], "rules": ["Nobody\x00 flies."]},
        "settings": {"model": "qwen\x00"},
        "initial_events": [{"type\ud800": "create_entity", "entity": "ma\x00ra", "name": "Ma\udfffra"}],
    }
    made = json_of(api.post("/campaigns", body), 201)
    assert (made["title"], made["opening"]) == ("ABC", "One\n\tTwo")
    assert (made["profile"]["tone"], made["settings"]["model"]) == ("grim", "qwen")
    assert (made["canon"]["notes"], made["canon"]["rules"]) == (["ab"], ["Nobody flies."])
    assert Campaign.objects.get().initial_events == [
        {"type": "create_entity", "entity": "mara", "name": "Mara"}
    ]


@pytest.mark.parametrize("words", ["日本語の題", "Élodie’s “inn” — №1", "e\u0301", "👩‍👩‍👧", "<b>&amp;"])
def test_other_characters_are_kept(api: Api, words: str) -> None:
    assert json_of(api.post("/campaigns", {"title": words, "opening": words}), 201)["title"] == words


def test_an_opening_may_have_the_whole_length(api: Api) -> None:
    body = {"title": "A", "opening": f" {'x' * INPUT_LENGTH}\n"}
    assert len(json_of(api.post("/campaigns", body), 201)["opening"]) == INPUT_LENGTH


@pytest.mark.parametrize(
    "name", ["9" * 20, "9" * 5000, str(2**63 - 1), "0", "abc", "-1", "1.0", "1_0", "%20", "٣"]
)
def test_what_is_no_id_is_not_found(api: Api, base: str, name: str) -> None:
    problem_of(api.get(f"/campaigns/{name}"), 404, "not_found")
    problem_of(api.get(f"/campaigns/{name}/story"), 404, "not_found")
    problem_of(api.get(f"{base}/turns/{name}"), 404, "not_found")
    problem_of(api.delete(f"{base}/branches/{name}"), 404, "not_found")
    problem_of(api.delete(f"{base}/save-points/{name}"), 404, "not_found")
    problem_of(api.post(f"/requests/{name}/discard"), 404, "not_found")


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/story", "before=-1"),
        ("/story", "before=abc"),
        ("/story", "limit=0"),
        ("/story", "limit=501"),
        ("/branches", "limit=501"),
        ("/save-points", "cursor=99999999999999999999"),
        ("/save-points", "limit=-1"),
        ("/requests", "status=lost"),
        ("/requests", "status=failed,lost"),
        ("/requests", "status=failed,"),
        ("/requests", "status="),
        ("/requests", "limit=501"),
    ],
)
def test_queries_that_are_none(api: Api, base: str, path: str, query: str) -> None:
    refused = problem_of(api.get(f"{base}{path}?{query}"), 422, "invalid")
    assert [fault["field"] for fault in refused["errors"]] == [query.partition("=")[0]]


def test_a_status_that_is_none(api: Api) -> None:
    problem_of(api.get("/campaigns?status=lost"), 422, "invalid")


def test_a_depth_beyond_any_is_the_newest_window(api: Api, base: str) -> None:
    assert len(json_of(api.get(f"{base}/story?before=99999999999999999999"))["turns"]) == 1


@pytest.mark.parametrize("body", [b"{", b"\xff", b"[" * 100_000, b"nothing"])
def test_a_body_that_cannot_be_read(api: Api, body: bytes) -> None:
    answer = api.send_raw("POST", "/campaigns", body)
    problem_of(answer, 400, "malformed")


@pytest.mark.parametrize("body", [b"", b"[]", b'"text"', b"3", b"null", b'[{"title": "A"}]'])
def test_a_body_that_is_no_object(api: Api, body: bytes) -> None:
    answer = api.send_raw("POST", "/campaigns", body)
    assert problem_of(answer, 422, "invalid")["errors"][0]["field"] == "body"


def test_a_body_that_is_too_large(api: Api) -> None:
    body = NEW | {"opening": "x" * 3_000_000}
    problem_of(api.post("/campaigns", body), 413, "too_large")
