"""The State panel in a real browser: what holds, corrected in place, and why it came to be so."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Watched, photograph
from tests.browser.test_accessibility import check
from tests.browser.test_first_ten_minutes import act, last_turn, play, submit
from tests.browser.test_story_and_shelf import fits, toast, without_script
from tests.browser.test_takes_and_edits import forgive_refusals
from tests.inference_servers.scripted import Gate, Script, ScriptedServer, in_words
from tests.storyteller.game import Game

pytestmark = [pytest.mark.browser, pytest.mark.process]

OPENING = "Rain drives you off the north road to the door of the Crooked Lantern."
HANDS_IT_OVER = "You lay the silver key in Mara’s palm. She does not look at it. Behind her the fire settles."
SILENCE = "Nobody says anything for a while."
SETUP: list[dict[str, Any]] = [
    {
        "type": "create_entity",
        "entity": "aldric",
        "name": "Aldric",
        "entity_type": "character",
        "description": "a worn-out courier who limps",
    },
    {
        "type": "create_entity",
        "entity": "mara",
        "name": "Mara",
        "entity_type": "character",
        "description": "keeps the Crooked Lantern",
        "aliases": ["the landlady"],
    },
    {
        "type": "create_entity",
        "entity": "crooked-lantern",
        "name": "the Crooked Lantern",
        "entity_type": "location",
    },
    {"type": "create_entity", "entity": "old-abbey", "name": "the Old Abbey", "entity_type": "location"},
    {"type": "create_entity", "entity": "silver-key", "name": "the silver key", "entity_type": "item"},
    {"type": "set_current_location", "entity": "aldric", "location": "crooked-lantern"},
    {"type": "set_current_location", "entity": "mara", "location": "crooked-lantern"},
    {"type": "set_possession", "item": "silver-key", "owner": "aldric"},
    {
        "type": "add_fact",
        "fact_id": "mara-knows",
        "subject": "mara",
        "predicate": "knows where the key was found",
    },
    {"type": "add_relationship", "source": "mara", "target": "aldric", "relationship": "trusts"},
    {"type": "open_story_thread", "thread": "reach-the-abbey", "title": "Get to the Old Abbey before dawn"},
    {
        "type": "set_scene",
        "location": "crooked-lantern",
        "time": "late evening",
        "mood": "uneasy",
        "present": ["aldric", "mara"],
    },
]
CHANGES: list[Any] = [
    {"type": "set_possession", "item": "silver-key", "owner": "mara"},
    {"type": "set_entity_conditions", "entity": "aldric", "conditions": ["empty-handed"]},
    {"type": "create_entity", "entity": "ferryman", "name": "Old Tam", "entity_type": "character"},
    {"type": "set_possession", "item": "crown", "owner": "mara"},
    {"type": "set_current_location", "entity": "mara", "location": "crooked-lantern"},
]
SCREENS = [("wide", 1440, 900), ("phone", 390, 844)]


def start(page: Page, watched: Watched, *, events: list[dict[str, Any]] = SETUP) -> str:
    """A story with a state from its first turn; the address of its play page."""
    token = page.locator("[name=csrfmiddlewaretoken]").first.get_attribute("value") or ""
    told = {"title": "The Crooked Lantern", "opening": OPENING, "initial_events": events}
    headers = {"X-CSRFToken": token}
    campaign = page.request.post(f"{watched.home}/api/v1/campaigns", data=told, headers=headers).json()
    address = f"{watched.home}/campaigns/{campaign['id']}/"
    page.goto(address)
    return address


def open_state(page: Page) -> Locator:
    page.get_by_role("link", name="State", exact=True).click()
    panel = page.get_by_role("complementary")
    expect(panel.get_by_role("heading", name="State")).to_be_visible()
    return panel


def row(page: Page, group: str, name: str) -> Locator:
    rows = page.get_by_role("region", name=group, exact=True).get_by_role("listitem")
    return rows.filter(has=page.locator(".name", has_text=name)).first


def tool(page: Page, group: str, name: str, what: str) -> None:
    row(page, group, name).get_by_role("link", name=re.compile(f"^{what}")).click()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("device", "width", "height"), SCREENS)
def test_looks(
    page: Page,
    watched: Watched,
    scripted_server: ScriptedServer,
    scheme: str,
    device: str,
    width: int,
    height: int,
) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": height})
    scripted_server.play(HANDS_IT_OVER)
    scripted_server.answer_changes(CHANGES)
    address = start(page, watched)
    play(page, "I give Mara the key.", HANDS_IT_OVER)
    for name, query in (
        ("now", "?panel=state"),
        ("correct", "?panel=state&correct=entity:mara"),
        ("wrong", "?panel=state&correct=wrong:mara-knows"),
        ("history", "?panel=state&history=entity:silver-key"),
        ("changes", "?panel=state&changes=1"),
        ("compare", "?panel=state&compare=0"),
        ("events", "?panel=state&correct=new:events"),
        ("scene", "?panel=state&correct=scene:scene"),
    ):
        page.goto(address + query)
        if "correct=" in query:
            page.locator(".state-form").scroll_into_view_if_needed()
        photograph(page, f"state-{name}-{device}-{scheme}")
        assert fits(page), name
    page.goto(address)
    last_turn(page).get_by_role("link", name=re.compile("^why")).click()
    expect(page.get_by_role("heading", name="What turn 1 changed")).to_be_visible()
    photograph(page, f"state-why-{device}-{scheme}")
    assert fits(page)


def test_an_evening_with_the_state(page: Page, watched: Watched, scripted_server: ScriptedServer) -> None:
    scripted_server.play(HANDS_IT_OVER, SILENCE)
    scripted_server.answer_changes(CHANGES, [])
    start(page, watched)
    panel = open_state(page)
    # Who holds the key, put right in its row.
    tool(page, "Possessions", "the silver key", "correct")
    expect(page.get_by_label("Held by")).to_be_focused()
    page.get_by_label("Held by").select_option("Mara")
    act(page, "Save")
    expect(toast(page)).to_contain_text("the silver key: now with Mara")
    expect(row(page, "Possessions", "the silver key")).to_contain_text("held by Mara")
    expect(row(page, "Possessions", "the silver key")).to_contain_text("your correction")
    expect(page.locator(".state-form")).to_have_count(0)
    focused = "document.activeElement.getAttribute('data-key')"
    assert page.evaluate(focused) == "row-possession:silver-key"
    photograph(page, "state-corrected")
    toast(page).get_by_role("button", name=re.compile("^Undo")).click()
    expect(row(page, "Possessions", "the silver key")).to_contain_text("held by Aldric")
    # A fact that is wrong.
    tool(page, "Facts", "Mara knows", "that’s wrong")
    expect(page.get_by_label("Why is it wrong?")).to_be_focused()
    page.get_by_label("Why is it wrong?").fill("She never learned it.")
    act(page, "It is not true")
    expect(row(page, "No longer true", "Mara knows")).to_contain_text("She never learned it.")
    # A turn changes the panel that is open, and so do Undo and Redo.
    play(page, "I give Mara the key.", HANDS_IT_OVER)
    expect(row(page, "Possessions", "the silver key")).to_contain_text("held by Mara")
    expect(panel).to_contain_text("Old Tam")
    act(page, "Undo")
    expect(row(page, "Possessions", "the silver key")).to_contain_text("held by Aldric")
    expect(panel).not_to_contain_text("Old Tam")
    expect(row(page, "No longer true", "Mara knows")).to_be_visible()
    act(page, "Redo")
    expect(panel).to_contain_text("Old Tam")
    # Why, and what was not in the text is taken back.
    last_turn(page).get_by_role("link", name=re.compile("^some changes were refused")).click()
    expect(page.get_by_role("heading", name="What turn 1 changed")).to_be_focused()
    expect(panel).to_contain_text("names what is not there")
    panel.get_by_text("As it came").click()
    expect(panel.locator("pre")).to_contain_text("crown")
    panel.get_by_role("button", name=re.compile("^Take it back.*Old Tam")).click()
    expect(toast(page)).to_contain_text("Taken back.")
    expect(panel).to_contain_text("has changed again since")
    expect(panel.locator("pre")).to_be_visible()  # what was unfolded stays so
    panel.get_by_role("link", name="What holds now").click()
    expect(row(page, "Not in this story", "Old Tam")).to_be_visible()
    # How one thing came to be as it is, and the whole compared.
    tool(page, "Possessions", "the silver key", "history")
    expect(page.get_by_role("heading", name="the silver key")).to_be_focused()
    expect(panel).to_contain_text("your correction")
    panel.get_by_role("link", name="What holds now").click()
    expect(row(page, "Possessions", "the silver key").get_by_role("link", name="correct")).to_be_focused()
    panel.get_by_role("link", name="Compare with…").click()
    panel.get_by_label("Turn").fill("0")
    panel.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("region", name="Who holds what")).to_contain_text("at turn 0")
    assert page.url.endswith("?panel=state&compare=0")
    page.go_back()
    expect(page.get_by_role("region", name="Who holds what")).to_have_count(0)


def test_what_is_typed_is_not_lost(page: Page, watched: Watched, scripted_server: ScriptedServer) -> None:
    scripted_server.play(SILENCE)
    start(page, watched)
    open_state(page)
    tool(page, "Characters", "Mara", "correct")
    page.get_by_label("Where").select_option("the Old Abbey")
    page.get_by_label("the landlady").check()
    second = watched.context.new_page()  # a turn in another tab brings a new panel, if this one is not in use
    second.goto(page.url.split("?")[0])
    page.get_by_role("heading", name="State", exact=True).click()
    play(second, "I wait.", SILENCE)
    expect(last_turn(page).locator(".narration")).to_have_text(SILENCE)
    expect(page.get_by_label("Where")).to_have_value("old-abbey")
    expect(page.get_by_label("the landlady")).to_be_checked()
    # What another tab changed is not written over, and what was typed stays.
    second.goto(page.url)
    second.get_by_label("Where").select_option("nobody knows where")
    act(second, "Save")
    expect(toast(second)).to_be_visible()
    act(page, "Save")
    expect(page.locator(".state-form .wrong")).to_contain_text("changed somewhere else")
    expect(page.locator(".state-form q")).to_have_text("nobody knows where")
    expect(page.get_by_label("Where")).to_have_value("old-abbey")
    expect(page.get_by_label("the landlady")).to_be_checked()
    photograph(page, "state-overtaken")
    act(page, "Save")
    expect(row(page, "Characters", "Mara")).to_contain_text("at the Old Abbey")
    expect(row(page, "Characters", "Mara")).not_to_contain_text("the landlady")
    # What the state cannot hold is refused beside what was typed.
    tool(page, "Locations", "the Crooked Lantern", "correct")
    page.get_by_label("Where").select_option("Aldric")
    page.get_by_label("Description").fill("In his pocket.")
    act(page, "Save")
    expect(page.locator(".state-form .wrong")).to_contain_text("Nothing was changed.")
    expect(page.get_by_label("Description")).to_have_value("In his pocket.")
    expect(page.get_by_label("Where")).to_have_value("aldric")
    photograph(page, "state-refused")
    page.locator(".state-form").get_by_role("link", name="Cancel").click()
    expect(page.locator(".state-form")).to_have_count(0)
    forgive_refusals(watched)


def test_nothing_yet_and_the_first_things(page: Page, watched: Watched) -> None:
    start(page, watched, events=[])
    panel = open_state(page)
    expect(panel).to_contain_text("Nothing is established yet")
    photograph(page, "state-empty")
    panel.get_by_role("link", name="Somebody or something new").click()
    expect(page.get_by_label("Name")).to_be_focused()
    page.get_by_label("Name").fill("Mara")
    page.get_by_label("Kind").fill("character")
    page.get_by_label("Name").press("Enter")
    expect(row(page, "Characters", "Mara")).to_contain_text("your correction")
    panel.get_by_role("link", name="Something else is true").click()
    page.get_by_label("About whom or what").select_option("Mara")
    page.get_by_label("What is true").fill("keeps the inn")
    act(page, "It is so")
    expect(row(page, "Facts", "Mara keeps the inn")).to_be_visible()
    panel.get_by_role("link", name="Write events").click()
    page.get_by_label("Events as JSON").fill('[{"type": "set_entity_status", "entity": "Mara"}]')
    act(page, "Apply all of them")
    expect(page.locator(".state-form .wrong")).to_contain_text("Nothing was changed.")
    page.get_by_label("Events as JSON").fill(
        '[{"type": "set_entity_status", "entity": "Mara", "status": "dead"}]'
    )
    act(page, "Apply all of them")
    expect(row(page, "Characters", "Mara")).to_contain_text("dead")
    forgive_refusals(watched)


def test_while_a_turn_is_told_nothing_is_saved(
    page: Page, watched: Watched, scripted_server: ScriptedServer
) -> None:
    gate = Gate(after=3)
    scripted_server.play(Script(in_words(SILENCE), gate=gate))
    start(page, watched)
    open_state(page)
    tool(page, "Facts", "Mara knows", "correct")
    submit(page, "I wait.")
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_disabled()
    gate.opened.set()
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_enabled()


def test_asking_again_what_a_turn_changed(
    page: Page, watched: Watched, scripted_server: ScriptedServer
) -> None:
    scripted_server.play(HANDS_IT_OVER)
    scripted_server.answer_changes("what?", "what?", CHANGES)
    start(page, watched)
    play(page, "I give Mara the key.", HANDS_IT_OVER)
    last_turn(page).get_by_role("link", name=re.compile("^its changes could not be read")).click()
    act(page, "Try again")
    panel = page.get_by_role("complementary")
    expect(panel).to_contain_text("the silver key: now with Mara")
    expect(last_turn(page)).to_contain_text("the silver key: now with Mara")
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)


def test_an_edit_says_what_becomes_of_the_state(
    page: Page, watched: Watched, scripted_server: ScriptedServer
) -> None:
    scripted_server.play(HANDS_IT_OVER)
    scripted_server.answer_changes(CHANGES[:1], [])
    start(page, watched)
    play(page, "I give Mara the key.", HANDS_IT_OVER)
    last_turn(page).get_by_role("link", name=re.compile("^edit narration")).click()
    form = page.locator("form[data-edit]")
    expect(form.get_by_label("ask the model what the new words change")).to_be_checked()
    photograph(page, "state-edit")
    form.get_by_label("change nothing with this turn").check()
    form.get_by_role("textbox").fill("You keep the silver key.")
    form.get_by_role("button", name="Save").click()
    expect(last_turn(page).locator(".narration")).to_have_text("You keep the silver key.")
    expect(last_turn(page).locator(".changes")).to_have_count(0)
    open_state(page)
    expect(row(page, "Possessions", "the silver key")).to_contain_text("held by Aldric")


def test_without_a_script(watched: Watched, game: Game) -> None:
    plain = without_script(watched, game)
    start(plain, watched)
    plain.get_by_role("link", name="State", exact=True).click()
    tool(plain, "Possessions", "the silver key", "correct")
    plain.get_by_label("Held by").select_option("Mara")
    plain.get_by_role("button", name="Save", exact=True).click()
    expect(row(plain, "Possessions", "the silver key")).to_contain_text("held by Mara")
    tool(plain, "Characters", "Mara", "correct")
    plain.get_by_label("Where").select_option("the silver key")  # which she holds
    plain.get_by_label("Description").fill("Smaller than she looks.")
    plain.get_by_role("button", name="Save", exact=True).click()
    expect(plain.locator(".state-form .wrong")).to_contain_text("Nothing was changed.")
    expect(plain.get_by_label("Description")).to_have_value("Smaller than she looks.")
    plain.get_by_label("Where").select_option("the Old Abbey")
    plain.get_by_role("button", name="Save", exact=True).click()
    expect(row(plain, "Characters", "Mara")).to_contain_text("at the Old Abbey")
    tool(plain, "Characters", "Mara", "history")
    expect(plain.get_by_role("complementary")).to_contain_text("now at the Old Abbey")
    plain.get_by_role("link", name="turn 0").first.click()
    plain.get_by_role("button", name=re.compile("^take back.*Mara: now at the Old Abbey")).click()
    expect(plain.get_by_role("complementary")).to_contain_text("has changed again since")
    plain.close()


def test_axe_has_nothing_to_complain_about(
    page: Page, watched: Watched, scripted_server: ScriptedServer
) -> None:
    scripted_server.play(HANDS_IT_OVER)
    scripted_server.answer_changes(CHANGES)
    address = start(page, watched)
    play(page, "I give Mara the key.", HANDS_IT_OVER)
    why = last_turn(page).get_by_role("link", name=re.compile("^why")).get_attribute("href") or ""
    for query in (
        "?panel=state",
        "?panel=state&correct=entity:mara",
        "?panel=state&correct=scene:scene",
        "?panel=state&correct=new:events",
        "?panel=state&history=entity:silver-key",
        "?panel=state&compare=0",
        f"?{why.split('?')[1]}",
    ):
        page.goto(address + query)
        check(page, query)
