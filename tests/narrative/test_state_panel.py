"""The State panel: what holds, corrected by forms that anybody can read, and how it came to be so."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import AsyncClient, Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaigns.models import Campaign, Take, Turn
from campaigns.services import head
from campaigns.services.save_points import create_save_point
from narrative.corrections import correct_state
from narrative.database import in_database
from narrative.models import Proposal, StateEvent
from narrative.state.document import Document
from narrative.state_history import read_state_at
from narrative.state_panel import CHANGES_SHOWN
from narrative.state_records import Proposed, settle_take
from tests import factories
from tests.campaigns.test_notices import undo
from tests.inference_servers.scripted import ScriptedServer

SETUP: tuple[dict[str, Any], ...] = (
    {"type": "create_entity", "entity": "aldric", "name": "Aldric", "entity_type": "character"},
    {
        "type": "create_entity",
        "entity": "mara",
        "name": "Mara",
        "entity_type": "character",
        "description": "keeps the Crooked Lantern",
        "aliases": ["the landlady"],
    },
    {"type": "create_entity", "entity": "inn", "name": "the Crooked Lantern", "entity_type": "location"},
    {"type": "create_entity", "entity": "abbey", "name": "the Old Abbey", "entity_type": "location"},
    {"type": "create_entity", "entity": "silver-key", "name": "the silver key", "entity_type": "item"},
    {"type": "set_current_location", "entity": "mara", "location": "inn"},
    {"type": "set_entity_attribute", "entity": "mara", "attribute": "age", "value": 40},
    {"type": "set_entity_attribute", "entity": "mara", "attribute": "goals", "value": ["sell", "leave"]},
    {"type": "set_possession", "item": "silver-key", "owner": "aldric"},
    {"type": "add_fact", "fact_id": "knows", "subject": "mara", "predicate": "knows where the key was found"},
    {"type": "add_fact", "fact_id": "tally", "predicate": "tally is", "value": 10},
    {"type": "add_relationship", "source": "mara", "target": "aldric", "relationship": "trusts"},
    {"type": "open_story_thread", "thread": "abbey-road", "title": "Get to the Old Abbey before dawn"},
    {"type": "set_scene", "location": "inn", "mood": "uneasy", "present": ["aldric", "mara"]},
)


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


@pytest.fixture
def story(owner: User) -> Campaign:
    """A story whose first turn establishes something."""
    return factories.make_campaign(owner=owner, initial_events=SETUP)


class _Form(HTMLParser):
    """What a browser would send for the correction on a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fields: dict[str, Any] = {}
        self._is_inside = False
        self._area: str | None = None
        self._select: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self._is_inside = "state-form" in (given.get("class") or "")
        if not self._is_inside:
            return
        name = given.get("name") or ""
        if tag == "input" and (given.get("type") != "checkbox" or "checked" in given):
            value = given.get("value") or "on"
            if given.get("type") == "checkbox":
                self.fields.setdefault(name, []).append(value)
            else:
                self.fields[name] = given.get("value") or ""
        elif tag == "textarea":
            self._area, self.fields[name] = name, ""
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select and ("selected" in given or self._select not in self.fields):
            self.fields[self._select] = given.get("value") or ""

    def handle_endtag(self, tag: str) -> None:
        self._area = None if tag == "textarea" else self._area
        self._select = None if tag == "select" else self._select

    def handle_data(self, data: str) -> None:
        if self._area:
            self.fields[self._area] = (self.fields[self._area] + data).removeprefix("\n")


def panel(page: Client, story: Campaign, query: str = "") -> str:
    response = page.get(f"{reverse('play', args=[story.pk])}?panel=state{query}")
    assert response.status_code == 200
    return str(response.content.decode()).split('class="panel"')[1]


def words(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text))


def opened(page: Client, story: Campaign, row: str) -> dict[str, Any]:
    """The form of a row as it is opened, with everything it is filled with."""
    fields = _Form(panel(page, story, f"&correct={row}")).fields
    assert fields.get("row") == row
    return {name: value for name, value in fields.items() if name != "csrfmiddlewaretoken"}


def save(page: Client, story: Campaign, row: str, **changed: Any) -> str:
    """Open the form of a row, change some fields, and save; the page that comes of it."""
    fields = opened(page, story, row) | changed
    address = reverse("correct-state", args=[story.pk])
    response = page.post(address, {k: v for k, v in fields.items() if v is not None}, follow=True)
    assert response.status_code == 200, words(response.content.decode())
    return str(response.content.decode())


def refuse(page: Client, story: Campaign, row: str, *, status: int = 422, **changed: Any) -> str:
    response = page.post(reverse("correct-state", args=[story.pk]), opened(page, story, row) | changed)
    assert response.status_code == status, words(response.content.decode())
    text = str(response.content.decode())
    assert "data-refused" in text
    return text


def state(story: Campaign) -> Document:
    story.refresh_from_db()
    return read_state_at(story).document


def last_events(story: Campaign) -> list[dict[str, Any]]:
    """What the newest proposal came to."""
    newest = Proposal.objects.filter(campaign=story).latest("pk")
    return [{"type": event.type, **event.payload} for event in newest.events.all()]


def tell(
    story: Campaign, events: list[Any], *, narration: str = "Mara takes the silver key.", **more: Any
) -> Turn:
    """A turn with what the story proposed for it."""
    turn = factories.play(story, "I hand it over.", narration)
    assert turn.live_take
    came = {"way": Take.ProposalWay.CALL, "source": Proposal.Source.ACCEPTED_STORY, "model": "lantern:8b"}
    proposed = Proposed(**{**came, "parsed": {"events": events}, "raw": ("{as it came}",), **more})
    settle_take(campaign=story, take=turn.live_take, proposed=proposed)
    return turn


# --- what holds --------------------------------------------------------------------------------------------


def test_what_holds_is_grouped_and_only_what_there_is(page: Client, story: Campaign) -> None:
    text = panel(page, story)
    titles = re.findall(r'<h3 id="group-\d+">([^<]+)</h3>', text)
    assert titles == [
        "Scene",
        "Characters",
        "Locations",
        "Items",
        "Possessions",
        "Facts",
        "Relationships",
        "Open threads",
    ]
    assert "Mara knows where the key was found" in text
    assert "carries the silver key" in words(text)
    assert "your correction" not in text


def test_nothing_is_established_yet(page: Client, campaign: Campaign) -> None:
    text = words(panel(page, campaign))
    assert "Nothing is established yet" in text
    assert "Somebody or something new" in text
    assert "What changed" not in text


def test_it_follows_the_head(page: Client, story: Campaign) -> None:
    tell(story, [{"type": "create_entity", "entity": "tam", "name": "Old Tam", "entity_type": "character"}])
    assert "Old Tam" in panel(page, story)
    head.undo(campaign_id=story.pk)
    assert "Old Tam" not in panel(page, story)
    assert "What holds at turn 0" in words(panel(page, story))
    head.redo(campaign_id=story.pk)
    assert "Old Tam" in panel(page, story)


def test_the_rail_leads_to_it_first(page: Client, story: Campaign) -> None:
    text = page.get(reverse("play", args=[story.pk])).content.decode()
    assert re.findall(r'<a href="\?panel=([\w-]+)" data-open', text)[:2] == ["state", "story"]


def test_what_is_written_is_text(page: Client, owner: User) -> None:
    name = "<b>Mara</b> & <script>alert(1)</script>"
    event = {"type": "create_entity", "entity": "mara", "name": name, "entity_type": "<i>x</i>"}
    story = factories.make_campaign(owner=owner, initial_events=(event,))
    turn = Turn.objects.get(branch__campaign=story)
    for query in ("", "&correct=entity:mara", "&history=entity:mara", "&changes=1", f"&why={turn.pk}"):
        text = panel(page, story, query)
        assert "&lt;b&gt;Mara&lt;/b&gt;" in text
        assert "<b>Mara" not in text
        assert "alert(1)</script>" not in text


@pytest.mark.parametrize(
    "query", ["", "&correct=entity:e-1", "&history=entity:e-1", "&changes=1", "&why=0", "&compare=0"]
)
def test_the_number_of_queries_does_not_grow(page: Client, owner: User, query: str) -> None:
    counts = []
    for size in (5, 100):
        made = [{"type": "create_entity", "entity": f"e-{n}", "name": f"Guest {n}"} for n in range(size)]
        facts = [{"type": "add_fact", "subject": f"e-{n}", "predicate": "waits"} for n in range(size // 2)]
        story = factories.make_campaign(owner=owner, initial_events=(*made, *facts))
        turn = Turn.objects.get(branch__campaign=story)
        panel(page, story, query.replace("why=0", f"why={turn.pk}"))
        with CaptureQueriesContext(
            connection,
        ) as captured:
            panel(page, story, query.replace("why=0", f"why={turn.pk}"))
        counts.append(len(captured))
    assert counts[0] == counts[1]
    assert counts[1] < 40


def test_a_row_that_is_gone_is_said_and_the_panel_still_opens(page: Client, story: Campaign) -> None:
    assert "not in the state any more" in panel(page, story, "&correct=entity:nobody")
    assert "not in the state where you are reading" in panel(page, story, "&history=fact:nothing")
    assert "There is no such turn" in panel(page, story, "&why=99999")
    for query in ("&correct=x", "&correct=:", "&correct=new:nothing", "&history=", "&why=x", "&compare=a.b"):
        panel(page, story, query)


# --- correcting --------------------------------------------------------------------------------------------


def test_only_what_was_changed_becomes_an_event(page: Client, story: Campaign) -> None:
    text = save(page, story, "entity:mara", status="dead", note="It was told so.")
    assert last_events(story) == [{"type": "set_entity_status", "entity": "mara", "status": "dead"}]
    assert "Mara: dead" in text
    proposal = Proposal.objects.latest("pk")
    assert (proposal.source, proposal.note) == ("manual_correction", "It was told so.")


@pytest.mark.parametrize(
    ("changed", "events"),
    [
        ({"name": "Mara Vey"}, [{"type": "rename_entity", "entity": "mara", "name": "Mara Vey"}]),
        (
            {"location": "abbey"},
            [{"type": "set_current_location", "entity": "mara", "location": "abbey"}],
        ),
        ({"location": ""}, [{"type": "set_current_location", "entity": "mara", "location": None}]),
        (
            {"conditions": "wet\r\n\r\n tired "},
            [{"type": "set_entity_conditions", "entity": "mara", "conditions": ["wet", "tired"]}],
        ),
        ({"description": ""}, [{"type": "set_entity_description", "entity": "mara", "description": ""}]),
        (
            {"dropped": ["the landlady"]},
            [{"type": "remove_entity_alias", "entity": "mara", "alias": "the landlady"}],
        ),
        ({"same_as": "aldric"}, [{"type": "merge_entities", "entity": "mara", "into": "aldric"}]),
        ({"never": "on"}, [{"type": "set_entity_status", "entity": "mara", "status": "withdrawn"}]),
        (
            {"besides": "age: 41\r\ngoals: sell, stay\r\nscar: left hand"},
            [
                {"type": "set_entity_attribute", "entity": "mara", "attribute": "age", "value": 41},
                {
                    "type": "set_entity_attribute",
                    "entity": "mara",
                    "attribute": "goals",
                    "value": ["sell", "stay"],
                },
                {"type": "set_entity_attribute", "entity": "mara", "attribute": "scar", "value": "left hand"},
            ],
        ),
        (
            {"besides": "age: 40"},
            [{"type": "set_entity_attribute", "entity": "mara", "attribute": "goals", "value": None}],
        ),
    ],
)
def test_each_field_of_an_entity(
    page: Client, story: Campaign, changed: dict[str, Any], events: list[dict[str, Any]]
) -> None:
    save(page, story, "entity:mara", **changed)
    assert last_events(story) == events


def test_who_holds_an_item_from_its_row_and_from_its_own(page: Client, story: Campaign) -> None:
    assert "holder" not in opened(page, story, "entity:mara")
    save(page, story, "entity:silver-key", holder="mara")
    assert state(story).possessions == {"silver-key": "mara"}
    save(page, story, "possession:silver-key", holder="aldric")
    assert state(story).possessions == {"silver-key": "aldric"}
    text = save(page, story, "possession:silver-key", holder="")
    assert state(story).possessions == {}
    assert "Possessions" not in words(text.split('class="panel"')[1])


def test_what_was_never_there_can_be_brought_back(page: Client, story: Campaign) -> None:
    text = save(page, story, "entity:mara", never="on")
    assert "Not in this story" in text
    save(page, story, "entity:mara", never=None)
    assert state(story).entities["mara"].status == "active"


def test_a_form_saved_as_it_was_opened_changes_nothing(page: Client, story: Campaign) -> None:
    made = StateEvent.objects.count()
    for row in (
        "entity:mara",
        "fact:knows",
        "fact:tally",
        "thread:abbey-road",
        "scene:scene",
        "possession:silver-key",
    ):
        assert "That holds already" in save(page, story, row)
    assert StateEvent.objects.count() == made


def test_a_fact_is_withdrawn_with_a_reason(page: Client, story: Campaign) -> None:
    text = save(page, story, "wrong:knows", note="She never learned it.")
    after = words(text.split('class="panel"')[1])
    assert re.search("No longer true.*Mara knows where the key was found.*She never learned it", after)
    fact = state(story).fact("knows")
    assert fact
    assert (fact.status, fact.invalidated_by) == ("invalidated", "manual_correction")


@pytest.mark.parametrize("reason", ["", " ", "x" * 501])
def test_a_withdrawal_has_a_reason_of_at_most_500_characters(
    page: Client, story: Campaign, reason: str
) -> None:
    text = refuse(page, story, "wrong:knows", note=reason)
    fact = state(story).fact("knows")
    assert fact
    assert fact.status == "active"
    assert reason.strip() in text


def test_a_fact_is_put_in_other_words(page: Client, story: Campaign) -> None:
    save(page, story, "fact:tally", value="12")
    assert last_events(story) == [
        {"type": "invalidate_fact", "fact_id": "tally", "reason": "put in other words"},
        {"type": "add_fact", "fact_id": "tally-2", "predicate": "tally is", "value": 12},
    ]
    save(page, story, "fact:knows", subject="aldric", status="disputed")
    last = last_events(story)
    assert [event["type"] for event in last] == ["invalidate_fact", "add_fact", "set_fact_status"]
    assert (last[1]["subject"], last[1]["predicate"]) == ("aldric", "knows where the key was found")


def test_a_fact_is_doubted_and_true_after_all(page: Client, story: Campaign) -> None:
    save(page, story, "fact:knows", status="disputed")
    assert last_events(story) == [{"type": "set_fact_status", "status": "disputed", "fact_id": "knows"}]
    save(page, story, "wrong:knows", note="No.")
    text = panel(page, story)
    assert "correct=wrong:knows" not in text  # it is withdrawn already
    save(page, story, "fact:knows", status="active")
    fact = state(story).fact("knows")
    assert fact
    assert fact.status == "active"
    assert "your correction" in panel(page, story)


def test_a_relationship_ends_and_is_so_after_all(page: Client, story: Campaign) -> None:
    row = "relationship:" + state(story).relationships[0].id
    assert "It is so no longer" in panel(page, story, f"&correct={row}")
    save(page, story, row)
    assert state(story).relationships[0].status == "ended"
    assert "It is so after all" in panel(page, story, f"&correct={row}")
    save(page, story, row)
    assert [tie.status for tie in state(story).relationships] == ["ended", "active"]


def test_a_thread_is_closed_with_its_ending(page: Client, story: Campaign) -> None:
    text = refuse(page, story, "thread:abbey-road", resolution="They turned back.")
    assert "has no ending" in text
    assert "They turned back." in text
    save(page, story, "thread:abbey-road", status="abandoned", resolution="They turned back.")
    thread = state(story).threads["abbey-road"]
    assert (thread.status, thread.resolution) == ("abandoned", "They turned back.")
    save(page, story, "thread:abbey-road", status="open")
    assert state(story).threads["abbey-road"].resolution is None


def test_the_scene(page: Client, story: Campaign) -> None:
    save(page, story, "scene:scene", time="noon", present=["mara"])
    assert last_events(story) == [{"type": "set_scene", "time": "noon", "present": ["mara"]}]
    assert state(story).scene.mood == "uneasy"


def test_a_scene_where_there_is_none(page: Client, campaign: Campaign) -> None:
    assert "correct=scene:scene" in panel(page, campaign)
    save(page, campaign, "scene:scene", mood="calm")
    assert state(campaign).scene.mood == "calm"
    assert panel(page, campaign).count("correct=scene%3Ascene") == 1


@pytest.mark.parametrize(
    ("row", "typed", "events"),
    [
        (
            "new:fact",
            {"subject": "mara", "predicate": "is left-handed"},
            [
                {
                    "type": "add_fact",
                    "predicate": "is left-handed",
                    "subject": "mara",
                    "fact_id": "mara-is-left-handed",
                }
            ],
        ),
        (
            "new:fact",
            {"predicate": "it is winter"},
            [{"type": "add_fact", "predicate": "it is winter", "fact_id": "it-is-winter"}],
        ),
        (
            "new:entity",
            {"name": "Old Tam", "entity_type": "character", "location": "inn"},
            [
                {"type": "create_entity", "entity": "old-tam", "name": "Old Tam", "entity_type": "character"},
                {"type": "set_current_location", "entity": "old-tam", "location": "inn"},
            ],
        ),
        (
            "new:thread",
            {"title": "Whose key is it?"},
            [{"type": "open_story_thread", "thread": "whose-key-is-it", "title": "Whose key is it?"}],
        ),
    ],
)
def test_something_is_noted_down(
    page: Client, story: Campaign, row: str, typed: dict[str, str], events: list[dict[str, Any]]
) -> None:
    text = save(page, story, row, **typed)
    assert last_events(story) == events
    assert "your correction" in text


def test_a_name_that_is_there_is_not_noted_down_twice(page: Client, story: Campaign) -> None:
    assert "There is Mara already" in refuse(page, story, "new:entity", name="mara")


@pytest.mark.parametrize("name", ["!!!", "x" * 200, "Ω", "…"])
def test_any_name_becomes_somebody(page: Client, story: Campaign, name: str) -> None:
    save(page, story, "new:entity", name=name)
    assert name in {each.name for each in state(story).entities.values()}


def test_events_are_written_as_json(page: Client, story: Campaign) -> None:
    text = panel(page, story, "&correct=new:events")
    for known in ("set_possession: item, owner", "merge_entities: entity, into", "silver-key"):
        assert known in text
    one = '{"type": "set_possession", "item": "the silver key", "owner": "Mara"}'
    for written in (one, f"[{one}]", f'{{"events": [{one}]}}'):
        save(page, story, "new:events", events_text=written)
        assert state(story).possessions == {"silver-key": "mara"}


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{", "This is no JSON (line 1)"),
        ("[1]", "A list of events is wanted"),
        ("3", "A list of events is wanted"),
        ("[" * 9000, "This is no JSON"),
        ("[]", "A correction has 1 to 20 events."),
        ('[{"type": "execute_shell", "path": "/"}]', "Nothing was changed."),
        ('[{"type": "set_possession", "item": "ghost", "owner": "mara"}]', "there is no entity “ghost”"),
    ],
)
def test_events_that_cannot_be_are_refused(page: Client, story: Campaign, written: str, said: str) -> None:
    text = refuse(page, story, "new:events", events_text=written, note="Because.")
    assert said in text
    fields = _Form(text).fields
    assert (fields["events_text"].strip(), fields["note"]) == (written, "Because.")
    assert StateEvent.objects.count() == len(SETUP)


def test_what_is_refused_comes_back_as_it_was_typed(page: Client, story: Campaign) -> None:
    save(page, story, "entity:inn", location="silver-key")
    typed: dict[str, Any] = {"location": "inn", "description": "small", "conditions": "bent\r\nold"}
    typed["note"] = "So it is."
    text = refuse(page, story, "entity:silver-key", **typed)
    assert "“the Crooked Lantern” is inside “the silver key”" in text
    assert "Nothing was changed." in text
    fields = _Form(text).fields
    assert {name: fields[name] for name in typed} == typed
    assert fields["base"] == opened(page, story, "entity:silver-key")["base"]
    assert state(story).entities["silver-key"].description == ""


def test_a_turn_that_is_being_told_is_waited_for(page: Client, story: Campaign) -> None:
    factories.open_turn(story)
    text = refuse(page, story, "entity:mara", status=409, name="Mara Vey")
    assert "Mara Vey" in text
    assert state(story).entities["mara"].name == "Mara"


def test_what_another_window_changed_is_not_written_over(page: Client, story: Campaign) -> None:
    fields = opened(page, story, "possession:silver-key")
    correct_state(
        campaign_id=story.pk, events=[{"type": "set_possession", "item": "silver-key", "owner": "inn"}]
    )
    address = reverse("correct-state", args=[story.pk])
    response = page.post(address, fields | {"holder": "mara"})
    text = response.content.decode()
    assert response.status_code == 409
    assert "changed somewhere else after you opened it" in text
    assert "the Crooked Lantern" in re.findall(r"<q>([^<]+)</q>", text)[0]
    assert state(story).possessions == {"silver-key": "inn"}
    again = _Form(text).fields
    assert again["holder"] == "mara"
    assert page.post(address, again).status_code == 302  # once it was seen
    assert state(story).possessions == {"silver-key": "mara"}


def test_a_field_that_was_not_touched_keeps_what_another_window_said(page: Client, story: Campaign) -> None:
    fields = opened(page, story, "entity:mara")
    correct_state(
        campaign_id=story.pk, events=[{"type": "set_entity_status", "entity": "mara", "status": "dead"}]
    )
    page.post(reverse("correct-state", args=[story.pk]), fields | {"location": "abbey"})
    mara = state(story).entities["mara"]
    assert (mara.status, mara.location) == ("dead", "abbey")


def test_a_row_that_went_in_the_meantime_changes_nothing(page: Client, story: Campaign) -> None:
    fields = opened(page, story, "entity:mara")
    correct_state(
        campaign_id=story.pk, events=[{"type": "merge_entities", "entity": "mara", "into": "aldric"}]
    )
    response = page.post(reverse("correct-state", args=[story.pk]), fields | {"name": "Mara Vey"})
    assert response.status_code == 409
    assert "not in the state any more" in response.content.decode()


@pytest.mark.parametrize("base", ["", "{", "[]", "null", "3", "[" * 9000])
def test_a_base_that_cannot_be_read_is_what_holds(page: Client, story: Campaign, base: str) -> None:
    save(page, story, "entity:mara", base=base, status="dead")
    assert last_events(story) == [{"type": "set_entity_status", "entity": "mara", "status": "dead"}]


def test_one_change_has_an_undo(page: Client, story: Campaign) -> None:
    text = save(page, story, "possession:silver-key", holder="mara")
    assert "the silver key: now with Mara" in text
    undo(page, text)
    assert state(story).possessions == {"silver-key": "aldric"}
    text = save(page, story, "entity:mara", same_as="aldric")
    assert "data-undo" not in text  # there is no way back from it


def test_a_correction_belongs_to_its_turn(page: Client, story: Campaign) -> None:
    factories.play(story)
    save(page, story, "possession:silver-key", holder="mara")
    head.undo(campaign_id=story.pk)
    assert "held by Aldric" in panel(page, story)
    head.redo(campaign_id=story.pk)
    assert "held by Mara" in panel(page, story)
    assert "your correction" in panel(page, story)


# --- how it came to be so ----------------------------------------------------------------------------------


def test_the_history_of_a_row(page: Client, story: Campaign) -> None:
    turn = tell(story, [{"type": "set_possession", "item": "silver-key", "owner": "mara"}])
    head.undo(campaign_id=story.pk)
    factories.play(story, "I keep it.")
    save(page, story, "possession:silver-key", holder="abbey")
    text = panel(page, story, "&history=possession:silver-key")
    lines = [words(part) for part in text.split("<li")[1:4]]
    assert re.search("now with the Old Abbey.*Aldric .*the Old Abbey.*turn 1 .*your correction", lines[0])
    assert re.search("now with Mara.*turn 1 .*the story .*on another line", lines[1])
    assert re.search("now with Aldric.*nobody.*turn 0 .*the beginning", lines[2])
    assert f"why={turn.pk}" in text


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ("entity:mara", "New: Mara (character)"),
        ("fact:knows", "Established: Mara knows where the key was found"),
        ("relationship:mara-trusts-aldric", "Mara trusts Aldric"),
        ("thread:abbey-road", "Open: Get to the Old Abbey before dawn"),
        ("scene:scene", "Scene: the Crooked Lantern; uneasy; with Aldric, Mara"),
    ],
)
def test_every_kind_of_row_has_a_history(page: Client, story: Campaign, row: str, line: str) -> None:
    assert line in panel(page, story, f"&history={row}")


def test_the_newest_forty_changes(page: Client, story: Campaign) -> None:
    for number in range(3):
        events = [
            {"type": "set_entity_attribute", "entity": "mara", "attribute": f"a-{number}-{n}", "value": n}
            for n in range(20)
        ]
        correct_state(campaign_id=story.pk, events=events)
    for query in ("&changes=1", "&history=entity:mara"):
        text = panel(page, story, query)
        assert text.count('class="facts"') == CHANGES_SHOWN
        assert "a-2-19 19" in text
        assert "New: Mara" not in text


def test_what_changed_is_of_the_line_that_is_read(page: Client, story: Campaign) -> None:
    tell(story, [{"type": "set_possession", "item": "silver-key", "owner": "mara"}])
    assert "now with Mara" in panel(page, story, "&changes=1")
    head.undo(campaign_id=story.pk)
    assert "now with Mara" not in panel(page, story, "&changes=1")


def test_why_a_turn_changed_what_it_changed(page: Client, story: Campaign) -> None:
    turn = tell(
        story,
        [
            {"type": "set_possession", "item": "silver-key", "owner": "mara"},
            {"type": "create_entity", "entity": "tam", "name": "Old Tam"},
            {"type": "set_possession", "item": "crown", "owner": "mara"},
            {"type": "execute_shell", "path": "/"},
            {"type": "set_current_location", "entity": "mara", "location": "inn"},
        ],
    )
    text = panel(page, story, f"&why={turn.pk}")
    said = words(text)
    assert "The story asked for after the narration lantern:8b" in said
    assert re.search("the silver key: now with Mara.*Aldric .*Mara", said)
    assert re.search("New: Old Tam not in the text Take it back", said)
    assert re.search("Refused crown: now with Mara names what is not there .*no entity “crown”", said)
    assert re.search("execute shell: path / no such kind of change", said)
    assert "1 said nothing new" in said
    assert "{as it came}" in text
    page_text = words(page.get(reverse("play", args=[story.pk])).content.decode())
    assert "some changes were refused" in page_text


def test_a_change_is_taken_back_with_one_click(page: Client, story: Campaign) -> None:
    turn = tell(story, [{"type": "create_entity", "entity": "tam", "name": "Old Tam"}])
    event = StateEvent.objects.get(entity="tam")
    address = reverse("take-back", args=[story.pk, event.pk])
    assert address in panel(page, story, f"&why={turn.pk}")
    response = page.post(address, {"panel": "state", "why": turn.pk}, follow=True)
    text = response.content.decode()
    assert "Taken back." in text
    assert address not in text.split('class="panel"')[1]
    assert "has changed again since" in text
    assert state(story).entities["tam"].status == "withdrawn"
    response = page.post(address, {"panel": "state"}, follow=True)
    assert "cannot be taken back" in response.content.decode()


def test_what_another_line_changed_is_not_taken_back_here(page: Client, story: Campaign) -> None:
    turn = tell(story, [{"type": "set_possession", "item": "silver-key", "owner": "mara"}])
    head.undo(campaign_id=story.pk)
    text = panel(page, story, f"&why={turn.pk}")
    assert "take-back" not in text
    assert "on another line" in text


def test_a_turn_without_changes_says_why_and_offers_to_try_again(page: Client, story: Campaign) -> None:
    turn = tell(story, [], parsed=None, raw=(), way=None, note="Nothing was heard in time.")
    text = panel(page, story, f"&why={turn.pk}")
    assert "Nothing was heard in time." in text
    assert "Try again" in text
    assert "what it changed is not known" in page.get(reverse("play", args=[story.pk])).content.decode()
    factories.play(story)
    assert "Try again" not in panel(page, story, f"&why={turn.pk}")


def test_what_could_not_be_read_is_said(page: Client, story: Campaign) -> None:
    turn = factories.play(story)
    Take.objects.filter(turn=turn).update(proposal_status="unparseable")
    assert "its changes could not be read" in page.get(reverse("play", args=[story.pk])).content.decode()
    Take.objects.filter(turn=turn).update(proposal_status="rejected")
    assert "its changes were refused" in page.get(reverse("play", args=[story.pk])).content.decode()
    Take.objects.filter(turn=turn).update(proposal_status="accepted")
    assert 'class="unsettled"' not in page.get(reverse("play", args=[story.pk])).content.decode()


@pytest.mark.django_db(transaction=True)
async def test_asking_again(async_client: AsyncClient, owner: User, narrator: ScriptedServer) -> None:
    await async_client.aforce_login(owner)
    make = in_database(lambda: factories.make_campaign(owner=owner, initial_events=SETUP))
    story = await make()
    turn = await in_database(lambda: tell(story, [], parsed=None, raw=(), way=None, note="Too late."))()
    address = reverse("ask-again", args=[story.pk, turn.pk])
    narrator.answer_changes(
        "no JSON", "no JSON", [{"type": "set_possession", "item": "silver-key", "owner": "mara"}]
    )
    response = await async_client.post(address, {"panel": "state", "why": turn.pk}, follow=True)
    assert 'class="message error"' in response.content.decode()
    response = await async_client.post(address, {"panel": "state", "why": turn.pk}, follow=True)
    text = response.content.decode()
    assert "asked again what this turn changed" in text
    assert "the silver key: now with Mara" in text
    assert (await in_database(state)(story)).possessions == {"silver-key": "mara"}


# --- compared ----------------------------------------------------------------------------------------------


def test_two_turns_are_compared_in_words(page: Client, story: Campaign) -> None:
    tell(
        story,
        [
            {"type": "set_possession", "item": "silver-key", "owner": "mara"},
            {"type": "set_current_location", "entity": "mara", "location": "abbey"},
            {"type": "set_scene", "present": ["mara"]},
            {"type": "set_thread_status", "thread": "abbey-road", "status": "resolved"},
        ],
        narration="Mara takes the silver key to the Old Abbey before dawn.",
    )
    save(page, story, "wrong:knows", note="No.")
    said = words(panel(page, story, "&compare=0"))
    assert re.search("Scene .*, there|present at turn 0 Aldric, Mara now Mara", said)
    assert "Mara , location at turn 0 the Crooked Lantern now the Old Abbey" in said
    assert "the silver key , held by at turn 0 Aldric now Mara" in said
    assert re.search("Facts .*status at turn 0 it held now no longer true", said)
    assert "status at turn 0 open now resolved" in said
    assert "the same holds as now" in words(panel(page, story, "&compare=1"))


def test_a_save_point_is_compared_with(page: Client, story: Campaign) -> None:
    create_save_point(campaign_id=story.pk, name="Before the key")
    tell(story, [{"type": "set_possession", "item": "silver-key", "owner": "mara"}])
    text = panel(page, story, "&compare=")
    (link,) = re.findall(r"compare=(\d+\.\d+)", text)
    assert "Before the key" in text
    assert "at turn 0 Aldric now Mara" in words(panel(page, story, f"&compare={link}"))


@pytest.mark.parametrize("asked", ["9", "-1", "x", "1.x", "99.0", "9" * 40])
def test_a_turn_that_is_not_there_is_said(page: Client, story: Campaign, asked: str) -> None:
    text = panel(page, story, f"&compare={asked}")
    assert "You are reading turn 0" in text
    assert 'role="alert"' in text


# --- editing a narration -----------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_an_edit_asks_what_becomes_of_the_state(page: Client, story: Campaign) -> None:
    turn = factories.play(story)
    text = page.get(reverse("edit-narration", args=[story.pk, turn.pk, turn.live_take_id])).content.decode()
    assert "The state:" in text
    choices = re.findall(r'name="derive" value="(\w+)"', text)
    assert choices == ["model", "keep", "own"]
    assert re.findall(r'value="(\w+)"[^>]* checked', text) == ["keep"]  # nobody else could be asked
