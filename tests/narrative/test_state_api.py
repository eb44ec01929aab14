"""The state over HTTP: at any position, corrected, and with its history."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaigns.models import Campaign
from campaigns.services import head
from narrative.models import StateEvent
from narrative.state.document import read_document, write_document
from tests import factories
from tests.api_client import Api, json_of, problem_of
from tests.narrative.stories import begin_story
from tests.narrative.telling import breaches, fact, give, state_of, tell


@pytest.fixture
def story(owner: User) -> Campaign:
    return begin_story(owner)


@pytest.fixture
def api(owner: User) -> Api:
    return Api(owner)


@pytest.fixture
def base(story: Campaign) -> str:
    return f"/campaigns/{story.pk}/state"


def test_the_beginning_of_a_campaign_makes_its_state(api: Api, base: str, story: Campaign) -> None:
    shown = json_of(api.get(base))
    document = shown["document"]
    assert set(document) == {
        *("version", "entities", "possessions", "possession_provenance", "facts", "relationships"),
        *("threads", "scene"),
    }
    assert document["possessions"] == {"silver-key": "aldric"}
    assert read_document(document) == state_of(story)
    assert [group["title"] for group in shown["groups"]] == [
        *("Characters", "Locations", "Items", "Possessions", "Open threads")
    ]
    assert shown["at"] == {"branch": story.head.branch_id, "depth": 0, "turn": shown["at"]["turn"]}
    [made] = json_of(api.get(f"{base}/proposals"))["items"]
    assert (made["way"], made["source"], made["status"]) == ("setup", "campaign_setup", "accepted")
    assert len(made["accepted"]) == 9
    assert breaches(story) == []


def test_refused_initial_events_create_nothing(api: Api) -> None:
    body = {
        "title": "T",
        "opening": "O",
        "initial_events": [{"type": "execute_shell", "command": "ls"}, give("nobody")],
    }
    refused = problem_of(api.post("/campaigns", body), 422, "event_refused")
    assert [each["layer"] for each in refused["rejected"]] == ["allowlist", "references"]
    assert "Nothing was created" in refused["detail"]
    assert not Campaign.objects.exists()


def test_two_hundred_initial_events(api: Api) -> None:
    events = [{"type": "create_entity", "entity": f"e-{n}", "name": f"E {n}"} for n in range(200)]
    body = {"title": "T", "opening": "O", "initial_events": events}
    made = json_of(api.post("/campaigns", body), 201)
    assert len(json_of(api.get(f"/campaigns/{made['id']}/state"))["document"]["entities"]) == 200


def test_it_is_the_heads_and_that_of_any_turn(api: Api, base: str, story: Campaign) -> None:
    turn = tell(story, give("mara"))
    head.undo(campaign_id=story.pk)
    assert json_of(api.get(base))["document"]["possessions"] == {"silver-key": "aldric"}
    there = json_of(api.get(base, turn=turn.pk))
    assert there["document"]["possessions"] == {"silver-key": "mara"}
    assert there["at"] == {"branch": turn.branch_id, "depth": 1, "turn": turn.pk}
    problem_of(api.get(base, turn=10**6), 404, "not_found")
    problem_of(api.get(base, turn="x"), 422, "invalid")


def test_a_correction(api: Api, base: str, story: Campaign) -> None:
    body = {"events": [give("mara"), give("mara")], "note": "handed over"}
    corrected = json_of(api.post(f"{base}/corrections", body), 201)
    assert corrected["document"] == write_document(state_of(story))
    assert corrected["document"]["possession_provenance"]["silver-key"]["authority"] == "manual_correction"
    assert (corrected["accepted"], corrected["rejected"]) == ([give("mara")], [])
    assert {group["title"] for group in corrected["groups"]} >= {"Possessions"}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"events": []}, "invalid"),
        ({"events": [give("mara")] * 21}, "invalid"),
        ({"events": "x"}, "invalid"),
        ({"events": [give("mara")], "force": True}, "invalid"),
        ({"events": [{"type": "execute_shell", "command": "id"}]}, "event_refused"),
        ({"events": [{"type": ["create_entity"]}]}, "event_refused"),
        ({"events": [{"type": "set_possession", "item": "silver-key"}]}, "event_refused"),
        ({"events": [give("nobody")]}, "event_refused"),
    ],
)
def test_corrections_that_cannot_be(api: Api, base: str, story: Campaign, body: Any, code: str) -> None:
    problem_of(api.post(f"{base}/corrections", body), 422, code)
    assert state_of(story).possessions == {"silver-key": "aldric"}


def test_a_correction_while_a_turn_is_told(api: Api, base: str, story: Campaign) -> None:
    factories.open_turn(story)
    problem_of(api.post(f"{base}/corrections", {"events": [give("mara")]}), 409, "turn_in_flight")


def test_the_history_of_one_thing(api: Api, base: str, story: Campaign) -> None:
    tell(story, give("mara"), fact("f-1", 1, subject="mara"))
    turn = tell(story, {"type": "set_thread_status", "thread": "reach-the-abbey", "status": "dormant"})
    events = json_of(api.get(f"{base}/events", entity="silver-key"))["items"]
    assert [each["type"] for each in events] == ["set_possession", "set_possession", "create_entity"]
    assert (events[0]["before"], events[0]["payload"]) == ("aldric", {"item": "silver-key", "owner": "mara"})
    assert (events[0]["source"], events[0]["on_path"], events[0]["depth"]) == ("accepted_story", True, 1)
    assert len(json_of(api.get(f"{base}/events", fact="f-1"))["items"]) == 1
    [thread] = json_of(api.get(f"{base}/events", thread="reach-the-abbey", turn=turn.pk))["items"]
    assert thread["before"] == {"status": "open", "resolution": None}
    head.undo(campaign_id=story.pk, steps=2)
    assert json_of(api.get(f"{base}/events", entity="silver-key"))["items"][0]["on_path"] is False
    here = json_of(api.get(f"{base}/events", entity="silver-key", on_path="true"))["items"]
    assert [each["payload"].get("owner") for each in here] == ["aldric", None]


def test_lists_go_on_and_are_bounded(api: Api, base: str, story: Campaign) -> None:
    for number in range(4):
        tell(story, fact(f"f-{number}", number))
    page = json_of(api.get(f"{base}/events", limit=3))
    rest = json_of(api.follow(page))
    ids = [each["id"] for each in (*page["items"], *rest["items"])]
    assert ids == sorted(ids, reverse=True)
    for limit in (0, 501):
        problem_of(api.get(f"{base}/events", limit=limit), 422, "invalid")
    page = json_of(api.get(f"{base}/proposals", limit=2))
    assert len(page["items"]) == 2
    assert json_of(api.follow(page))["items"][0]["id"] < page["items"][1]["id"]


def test_the_number_of_queries_does_not_grow(api: Api, base: str, story: Campaign) -> None:
    def count(path: str, **query: Any) -> int:
        with CaptureQueriesContext(connection) as queries:
            json_of(api.get(path, **query))
        return len(queries)

    reads = [
        (base, {}),
        (f"{base}/events", {}),
        (f"{base}/proposals", {}),
        (f"{base}/events", {"on_path": "true"}),
    ]
    tell(story, fact("first", 1))
    json_of(api.get(base))  # the first call of a token notes that it is used
    few = [count(path, **query) for path, query in reads]
    for number in range(30):
        tell(story, fact(f"f-{number}", number), {"type": "set_scene", "mood": f"m {number}"})
    assert [count(path, **query) for path, query in reads] == few


def test_a_long_audit_is_read_by_its_index(api: Api, base: str, story: Campaign) -> None:
    row = StateEvent.objects.filter(campaign=story, entity="mara").latest("pk")
    rows = [
        StateEvent(
            proposal=row.proposal,
            campaign=story,
            sequence=100 + n,
            type=row.type,
            payload=row.payload,
            line=row.line,
            entity="aldric",
        )
        for n in range(10_000)
    ]
    StateEvent.objects.bulk_create(rows, batch_size=500)
    with CaptureQueriesContext(connection) as queries:
        assert len(json_of(api.get(f"{base}/events"))["items"]) == 100
        assert json_of(api.get(f"{base}/events", entity="mara"))["items"]
    for query in queries.captured_queries:
        if "narrative_stateevent" in query["sql"]:
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
                plan = " ".join(str(step[3]) for step in cursor.fetchall())
            assert "SCAN narrative_stateevent" not in plan
            assert "LIMIT" in query["sql"]


def test_two_positions_compared(api: Api, base: str, story: Campaign) -> None:
    turn = tell(story, give("mara"), fact("f", 1))
    opening = json_of(api.get(f"/campaigns/{story.pk}/story"))["turns"][0]
    shown = json_of(api.get(f"{base}/diff", **{"from": opening["id"], "to": turn.pk}))
    assert (shown["from"]["depth"], shown["to"]["turn"]) == (0, turn.pk)
    found = {(each["section"], each["key"]): (each["before"], each["after"]) for each in shown["differences"]}
    assert found["possessions", "silver-key"] == ("aldric", "mara")
    assert found["facts", "f"][0] is None
    back = json_of(api.get(f"{base}/diff", **{"from": turn.pk, "to": opening["id"]}))["differences"]
    assert {(each["section"], each["after"]) for each in back} >= {("possessions", "aldric"), ("facts", None)}
    assert json_of(api.get(f"{base}/diff", **{"from": turn.pk, "to": turn.pk}))["differences"] == []
    problem_of(api.get(f"{base}/diff", to=turn.pk), 422, "invalid")


def test_a_stranger_finds_nothing(story: Campaign, base: str) -> None:
    stranger = Api(factories.make_owner("stranger"))
    for path in (base, f"{base}/events", f"{base}/proposals"):
        problem_of(stranger.get(path), 404, "not_found")
    problem_of(stranger.post(f"{base}/corrections", {"events": [give("mara")]}), 404, "not_found")


def test_turns_say_what_came_of_their_proposal(api: Api, base: str, story: Campaign) -> None:
    tell(story, give("mara"), {"type": "nonsense"})
    turns = json_of(api.get(f"/campaigns/{story.pk}/story"))["turns"]
    assert [(each["proposal_status"], each["proposal_way"]) for each in turns] == [
        ("accepted", "setup"),
        ("partially_accepted", "block"),
    ]
    assert turns[1]["changes"] == ["the silver key: now with Mara"]
