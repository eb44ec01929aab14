"""Campaigns over HTTP."""

import pytest
from django.contrib.auth.models import User

from campaigns.models import Campaign, CampaignRevision, Turn
from campaigns.services import head
from tests import factories
from tests.api_client import Api, json_of, problem_of

KNOWN_CANON = ("rules", "forbidden_status_changes", "locked_facts", "locked_attributes", "single_valued")


def test_a_campaign_is_made_with_all_that_is_given(api: Api) -> None:
    body = {
        "title": "  The Crooked   Lantern ",
        "opening": "Rain drives you off the road.",
        "profile": {"genre": "gothic", "tense": "present"},
        "protagonist": {"name": "Ilse", "description": "A surveyor."},
        "narrator_rules": ["Never name the killer."],
        "canon": {
            "rules": ["Nobody flies."],
            "forbidden_status_changes": [{"from": "dead", "to": "alive"}],
            "locked_facts": [{"subject": "mara", "predicate": "is_sister_of"}],
            "weather": {"winter": "long"},
        },
        "authors_note": "Slow dread.",
        "settings": {"temperature": 1, "keep_alive": "1h30m", "seed": None, "shares": {"memories": 0.1}},
        "initial_events": [{"type": "create_entity", "entity": "mara", "name": "Mara"}],
    }
    made = json_of(api.post("/campaigns", body), 201)
    assert made["title"] == "The Crooked Lantern"
    assert made["profile"] == {
        "genre": "gothic",
        "subgenre": "",
        "tone": "",
        "style": "",
        "point_of_view": "",
        "tense": "present",
    }
    assert made["protagonist"] == {"name": "Ilse", "description": "A surveyor."}
    assert made["narrator_rules"] == ["Never name the killer."]
    assert made["canon"] == {
        **{name: [] for name in KNOWN_CANON},
        "rules": ["Nobody flies."],
        "forbidden_status_changes": [{"from": "dead", "to": "alive"}],
        "locked_facts": [{"subject": "mara", "predicate": "is_sister_of"}],
        "weather": {"winter": "long"},
    }
    assert made["settings"] == {"temperature": 1.0, "keep_alive": "1h30m", "shares": {"memories": 0.1}}
    assert (made["opening"], made["turn_count"], made["status"]) == (body["opening"], 1, "active")
    campaign = Campaign.objects.get(pk=made["id"])
    opening = Turn.objects.get()
    assert made["head"] == {"branch": campaign.active_branch_id, "depth": 0, "turn": opening.pk}
    assert made["created_at"].endswith("Z")
    assert campaign.initial_events == [{"type": "create_entity", "entity": "mara", "name": "Mara"}]
    assert json_of(api.get(f"/campaigns/{campaign.pk}")) == made


def test_a_title_and_an_opening_are_enough(api: Api) -> None:
    made = json_of(api.post("/campaigns", {"title": "A", "opening": "B"}), 201)
    assert made["canon"] == {name: [] for name in KNOWN_CANON}
    assert made["settings"] == {}


def test_a_change_merges_profile_protagonist_canon_and_settings(
    api: Api, base: str, campaign: Campaign
) -> None:
    first = {
        "profile": {"genre": "gothic"},
        "protagonist": {"name": "Ilse"},
        "canon": {"rules": ["Nobody flies."], "moons": 2},
        "settings": {"seed": 7, "top_p": 0.9},
    }
    second = {
        "profile": {"tone": "grim"},
        "protagonist": {"description": "A surveyor."},
        "canon": {"single_valued": ["lives_in"]},
        "settings": {"seed": None, "min_p": 0.1},
        "narrator_rules": ["Be brief."],
    }
    json_of(api.patch(base, first))
    changed = json_of(api.patch(base, second))
    assert (changed["profile"]["genre"], changed["profile"]["tone"]) == ("gothic", "grim")
    assert changed["protagonist"] == {"name": "Ilse", "description": "A surveyor."}
    assert changed["canon"]["rules"] == ["Nobody flies."]
    assert changed["canon"]["moons"] == 2
    assert changed["canon"]["single_valued"] == ["lives_in"]
    assert changed["settings"] == {"top_p": 0.9, "min_p": 0.1}
    assert CampaignRevision.objects.filter(campaign=campaign, field="genre", after="gothic").exists()


def test_what_is_not_given_stays(api: Api, base: str) -> None:
    json_of(api.patch(base, {"authors_note": "Slow dread.", "narrator_rules": ["Be brief."]}))
    changed = json_of(api.patch(base, {"title": "Another"}))
    assert (changed["title"], changed["authors_note"]) == ("Another", "Slow dread.")
    assert changed["narrator_rules"] == ["Be brief."]
    assert json_of(api.patch(base, {"authors_note": ""}))["authors_note"] == ""


def test_null_leaves_a_part_as_it_is(api: Api, base: str) -> None:
    parts = {
        "profile": {"genre": "gothic"},
        "protagonist": {"name": "Ilse"},
        "canon": {"rules": ["Nobody flies."]},
    }
    before = json_of(api.patch(base, parts))
    after = json_of(api.patch(base, dict.fromkeys(parts)))
    assert {name: after[name] for name in parts} == {name: before[name] for name in parts}
    assert json_of(api.patch(base, {"protagonist": {"name": None}}))["protagonist"]["name"] == "Ilse"


def test_the_canon_stays_bounded_however_it_grows(api: Api, base: str) -> None:
    for number in range(3):
        json_of(api.patch(base, {"canon": {f"notes{number}": "x" * 20_000}}))
    refused = problem_of(api.patch(base, {"canon": {"notes3": "x" * 20_000}}), 422, "invalid")
    assert [fault["field"] for fault in refused["errors"]] == ["canon"]
    assert "65,536" in refused["detail"]
    assert "notes3" not in json_of(api.get(base))["canon"]
    json_of(api.patch(base, {"canon": {"notes0": ""}}))
    json_of(api.patch(base, {"canon": {"notes3": "x" * 20_000}}))


def test_the_head_is_that_of_the_story(api: Api, base: str, campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    head.undo(campaign_id=campaign.pk)
    shown = json_of(api.get(base))["head"]
    assert shown == json_of(api.get(f"{base}/story"))["head"]
    assert shown["depth"] == 1
    assert json_of(api.get("/campaigns"))["items"][0]["head"] == shown


def test_what_was_left_out_of_the_canon_is_not_shown(api: Api, base: str) -> None:
    canon = {
        "forbidden_status_changes": [{"from": "dead", "to": "alive", "entity": "mara"}],
        "locked_facts": [{"predicate": "is_sister_of"}],
        "locked_attributes": [{"entity": "mara", "attribute": "eyes"}],
        "cls": {"from_": [1, None]},
        "_fields_set": 3,
    }
    shown = json_of(api.patch(base, {"canon": canon}))["canon"]
    assert {name: shown[name] for name in canon} == canon


def test_archive_and_unarchive(api: Api, base: str) -> None:
    assert json_of(api.post(f"{base}/archive"))["status"] == "archived"
    assert json_of(api.get("/campaigns", status="active"))["items"] == []
    assert len(json_of(api.get("/campaigns", status="archived"))["items"]) == 1
    assert json_of(api.post(f"{base}/unarchive"))["status"] == "active"
    assert len(json_of(api.get("/campaigns"))["items"]) == 1


def test_a_delete_needs_the_title(api: Api, base: str, campaign: Campaign) -> None:
    assert problem_of(api.delete(base), 422, "invalid")["errors"][0]["field"] == "confirm"
    problem_of(api.delete(f"{base}?confirm=the+crooked+lantern"), 422, "invalid")
    assert Turn.objects.count() == 1
    assert api.delete(f"{base}?confirm=The+Crooked+Lantern").status_code == 204
    assert Turn.objects.count() == 0
    problem_of(api.get(base), 404, "not_found")


def test_the_list_is_paged_by_id(api: Api, owner: User) -> None:
    made = [factories.make_campaign(owner=owner, title=f"Number {n}").pk for n in range(5)]
    first = json_of(api.get("/campaigns", limit=2, status="active"))
    assert first["next"] == f"http://testserver/api/v1/campaigns?limit=2&status=active&cursor={made[1]}"
    second = json_of(api.follow(first))
    third = json_of(api.follow(second))
    assert [item["id"] for page in (first, second, third) for item in page["items"]] == made
    assert third["next"] is None


@pytest.mark.django_db(transaction=True)  # an edit is served from the event loop
def test_the_opening_is_that_of_the_line_being_read(api: Api, base: str, campaign: Campaign) -> None:
    factories.play(campaign)
    opening = Turn.objects.get(depth=0)
    json_of(api.put(f"{base}/turns/{opening.pk}/narration", {"text": "Another beginning."}), 201)
    shown = json_of(api.get(base))
    assert (shown["opening"], shown["turn_count"]) == ("Another beginning.", 1)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "", {"title": "B"}),
        ("POST", "/archive", None),
        ("DELETE", "?confirm=The+Crooked+Lantern", None),
    ],
)
def test_nothing_changes_while_a_turn_is_told(
    api: Api, base: str, campaign: Campaign, method: str, path: str, body: object
) -> None:
    factories.open_turn(campaign)
    problem_of(api.send(method, f"{base}{path}", body), 409, "turn_in_flight")
