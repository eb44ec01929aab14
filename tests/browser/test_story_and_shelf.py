"""The Story panel, the shelf, New campaign, and notices with their Undo, in a real browser."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Watched, photograph
from tests.browser.test_first_ten_minutes import BELL, RAIN, act, begin, last_turn, play, words
from tests.browser.test_takes_and_edits import forgive_refusals
from tests.inference_servers.scripted import Gate, Script, ScriptedServer, in_words, refusal
from tests.storyteller.game import Game

pytestmark = [pytest.mark.browser, pytest.mark.process]

FOG = "Fog stands in the street like a crowd that has forgotten why it came."
SCREENS = [("wide", 1440, 900), ("phone", 390, 844)]


def open_story(page: Page) -> Locator:
    page.get_by_role("link", name="Story", exact=True).click()
    panel = page.get_by_role("complementary")
    expect(panel).to_be_visible()
    return panel


def section(page: Page, heading: str) -> Locator:
    return page.get_by_role("region", name=heading)


def toast(page: Page) -> Locator:
    return page.get_by_role("region", name="Notices (F8)")


def fits(page: Page) -> bool:
    width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    return bool(page.evaluate(width) <= 0)


def without_script(watched: Watched, game: Game) -> Page:
    assert watched.context.browser
    page = watched.context.browser.new_context(java_script_enabled=False).new_page()
    page.goto(watched.home + game.link)
    page.get_by_role("button", name="Sign in").click()
    return page


# --- the Story panel ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("device", "width", "height"), SCREENS)
def test_a_section_is_written_over_in_place(
    page: Page, scheme: str, device: str, width: int, height: int
) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": height})
    begin(page)
    open_story(page)
    photograph(page, f"story-{device}-{scheme}")
    told = section(page, "Told as")
    expect(told.get_by_role("button", name="Save")).to_be_hidden()
    told.get_by_label("Tone").fill("Wry and quick")
    expect(told.get_by_role("button", name="Save")).to_be_visible()
    photograph(page, f"story-edited-{device}-{scheme}")
    told.get_by_role("button", name="Save").click()
    expect(toast(page)).to_contain_text("The narrator is told so from the next turn on.")
    expect(told.get_by_role("button", name="Save")).to_be_hidden()
    assert page.evaluate("document.activeElement.id") == "told-profile"
    told.get_by_role("link", name="1 earlier version").click()
    expect(told.locator("ins")).to_contain_text("Wry and quick")
    photograph(page, f"story-versions-{device}-{scheme}")
    assert fits(page)
    told.get_by_role("button", name="Bring back").click()
    expect(told.get_by_label("Tone")).not_to_have_value("Wry and quick")
    expect(told.locator(".versions li")).to_have_count(2)


def test_half_written_words_outlive_the_panel(
    page: Page, watched: Watched, scripted_server: ScriptedServer
) -> None:
    scripted_server.play(RAIN)
    begin(page)
    open_story(page)
    note = page.get_by_role("textbox", name="Author’s note")
    note.fill("It is winter, and")
    second = watched.context.new_page()  # another tab changes the story: this one follows
    second.goto(page.url)
    play(second, "I listen.", RAIN)
    expect(last_turn(page).locator(".narration")).to_have_text(RAIN)
    expect(note).to_have_value("It is winter, and")
    page.get_by_role("link", name="Close").click()
    expect(page.get_by_role("complementary")).to_be_hidden()
    open_story(page)
    expect(note).to_have_value("It is winter, and")
    page.reload()
    expect(note).to_have_value("It is winter, and")
    expect(section(page, "Author’s note").get_by_role("button", name="Save")).to_be_visible()
    section(page, "You are").get_by_label("Name").fill("Wren")
    section(page, "You are").get_by_role("button", name="Save").click()  # another section brings a new panel
    expect(toast(page)).to_be_visible()
    expect(note).to_have_value("It is winter, and")
    section(page, "Author’s note").get_by_role("link", name="Cancel").click()
    expect(note).to_have_value("")
    page.reload()
    expect(note).to_have_value("")


def test_two_tabs_do_not_write_over_one_another(page: Page, watched: Watched) -> None:
    begin(page)
    open_story(page)
    note = page.get_by_role("textbox", name="Author’s note")
    note.fill("Mine.")
    second = watched.context.new_page()
    second.goto(page.url)
    second.get_by_role("textbox", name="Author’s note").fill("Of the other tab.")
    section(second, "Author’s note").get_by_role("button", name="Save").click()
    expect(toast(second)).to_be_visible()
    section(page, "Author’s note").get_by_role("button", name="Save").click()
    expect(section(page, "Author’s note")).to_contain_text("changed somewhere else")
    expect(section(page, "Author’s note").get_by_role("blockquote")).to_have_text("Of the other tab.")
    expect(note).to_have_value("Mine.")
    photograph(page, "story-overtaken")
    section(page, "Author’s note").get_by_role("button", name="Save").click()
    expect(toast(page)).to_be_visible()
    page.reload()
    expect(note).to_have_value("Mine.")
    forgive_refusals(watched)


def test_a_refused_section_keeps_its_words(page: Page, watched: Watched) -> None:
    begin(page)
    open_story(page)
    forbidden = page.get_by_label("Forbidden changes")
    forbidden.fill("dead, alive")
    section(page, "What is true").get_by_role("button", name="Save").click()
    expect(section(page, "What is true")).to_contain_text("has no arrow")
    expect(forbidden).to_have_value("dead, alive")
    page.reload()
    expect(forbidden).to_have_value("dead, alive")
    forbidden.fill("dead → alive for Mara")
    section(page, "What is true").get_by_role("button", name="Save").click()
    expect(forbidden).to_have_value("dead -> alive for Mara")
    expect(section(page, "What is true").get_by_role("button", name="Save")).to_be_hidden()
    forgive_refusals(watched)


# --- notices and their Undo --------------------------------------------------------------------------------


@pytest.mark.parametrize(("device", "width", "height"), SCREENS)
def test_a_move_can_be_undone_from_its_notice(
    page: Page, scripted_server: ScriptedServer, device: str, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    scripted_server.play(RAIN, BELL, FOG)
    begin(page)
    play(page, "I listen.", RAIN)
    play(page, "I count.", BELL)
    act(page, "Undo")
    play(page, "I look.", FOG)
    page.get_by_role("link", name="Branches").click()
    page.get_by_role("complementary").get_by_role("button", name=re.compile("Open Main")).click()
    expect(last_turn(page).locator(".narration")).to_have_text(BELL)
    expect(toast(page)).to_contain_text("You were in “I look.”, at turn 2.")
    photograph(page, f"toast-{device}")
    box, dock = toast(page).bounding_box(), page.locator(".composer").bounding_box()
    assert box
    assert dock
    assert box["y"] + box["height"] <= dock["y"] or box["x"] + box["width"] <= dock["x"]
    toast(page).get_by_role("button", name="Undo").click()
    expect(last_turn(page).locator(".narration")).to_have_text(FOG)
    expect(toast(page)).to_be_hidden()
    expect(page.get_by_role("complementary")).to_be_visible()


def test_a_notice_waits_for_its_reader(page: Page) -> None:
    page.clock.install()
    begin(page)
    page.get_by_role("link", name="Branches").click()
    panel = page.get_by_role("complementary")

    def rename(name: str) -> None:
        panel.get_by_role("link", name=re.compile("Rename")).click()
        panel.get_by_label("Name").fill(name)
        panel.get_by_role("button", name="Save").click()
        expect(toast(page)).to_contain_text(f"is now “{name}”")

    rename("The cellar road")
    page.clock.fast_forward(5_000)
    expect(toast(page)).to_be_visible()
    page.clock.fast_forward(4_000)
    expect(toast(page)).to_be_hidden()
    rename("The north road")
    page.keyboard.press("F8")
    expect(toast(page).get_by_role("button", name="Undo")).to_be_focused()
    page.clock.fast_forward(60_000)  # it is being read
    expect(toast(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(toast(page)).to_be_hidden()
    expect(panel).to_be_visible()  # the key closed the notice alone
    rename("The south road")
    page.keyboard.press("F8")
    page.keyboard.press("Enter")
    expect(panel).to_contain_text("The north road")
    expect(toast(page)).to_contain_text("is now “The north road”")


def test_choosing_a_take_can_be_undone_until_the_story_goes_on(
    page: Page, scripted_server: ScriptedServer
) -> None:
    scripted_server.play(RAIN, FOG, BELL)
    begin(page)
    play(page, "I listen.", RAIN)
    last_turn(page).get_by_role("button", name="retry").click()
    expect(last_turn(page).locator(".narration")).to_have_text(FOG)
    for _ in range(2):
        last_turn(page).get_by_role("link", name="Earlier take").click()
        act(page, "Tell it this way")
        expect(toast(page)).to_contain_text("Turn 1 is told this way now.")
        if _ == 0:
            toast(page).get_by_role("button", name="Undo").click()
            expect(last_turn(page).locator(".narration")).to_have_text(FOG)
            expect(toast(page)).to_contain_text("Turn 1 is told this way now.")
    play(page, "I count.", BELL)
    expect(toast(page)).to_be_hidden()


def test_archiving_from_the_shelf_can_be_undone(page: Page) -> None:
    page.get_by_role("button", name="Archive").click()
    expect(toast(page)).to_contain_text("Archived. It is under Archived.")
    photograph(page, "toast-shelf")
    toast(page).get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name="Begin")).to_be_visible()
    toast(page).get_by_role("button", name="Close").click()
    expect(toast(page)).to_be_hidden()


def test_without_a_script_notices_and_sections_are_plain_forms(watched: Watched, game: Game) -> None:
    page = without_script(watched, game)
    page.get_by_role("button", name="Archive").click()
    expect(page.locator(".messages")).to_contain_text("Archived.")
    page.locator(".messages").get_by_role("button", name="Undo").click()
    page.get_by_role("link", name="Begin").click()
    page.get_by_role("link", name="Story", exact=True).click()
    page.get_by_label("Tone").fill("Wry")
    section(page, "Told as").get_by_role("button", name="Save").click()
    expect(page.get_by_label("Tone")).to_have_value("Wry")
    section(page, "Told as").get_by_role("link", name="1 earlier version").click()
    section(page, "Told as").get_by_role("button", name="Bring back").click()
    expect(page.get_by_label("Tone")).not_to_have_value("Wry")
    page.get_by_label("Forbidden changes").fill("dead")
    section(page, "What is true").get_by_role("button", name="Save").click()
    expect(page.get_by_text("has no arrow")).to_be_visible()
    expect(page.get_by_label("Forbidden changes")).to_have_value("dead")
    photograph(page, "story-section-alone")
    page.context.close()


# --- the shelf ---------------------------------------------------------------------------------------------

BOOKS = [
    (
        "Salt Road",
        "Western",
        "Bleak",
        "The wells are dry from here to the coast, and somebody has counted them.",
    ),
    (
        "The Glass Orchard",
        "Fantasy",
        "Wistful",
        "Every tree rings when the wind turns. Tonight one of them is silent.",
    ),
    (
        "Nine Quiet Decks",
        "Science fiction",
        "Uncanny",
        "The ship wakes you a hundred years late, and apologises.",
    ),
    (
        "A House of Small Debts",
        "Mystery",
        "Wry",
        "Your aunt has left you the house, and everybody whom she owed.",
    ),
    ("Under Ember Street", "Horror", "Tense", "The cellar is longer than the street above it."),
]


def fill_the_shelf(page: Page) -> None:
    token = page.locator("input[name=csrfmiddlewaretoken]").first.input_value()
    for title, genre, tone, opening in BOOKS:
        form: dict[str, str | float | bool] = {
            "title": title,
            "genre": genre,
            "tone": tone,
            "opening": opening,
            "csrfmiddlewaretoken": token,
        }
        answer = page.request.post("/".join([*page.url.split("/")[:3], "campaigns/new/"]), form=form)
        assert answer.ok
    page.reload()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("device", "width", "height"), SCREENS)
def test_the_shelf_is_filtered_as_one_types(
    page: Page, scheme: str, device: str, width: int, height: int
) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": height})
    fill_the_shelf(page)
    photograph(page, f"shelf-{device}-{scheme}")
    assert fits(page)
    filter_box = page.get_by_role("searchbox")
    place = filter_box.bounding_box()
    filter_box.press_sequentially("bleak")
    expect(page.locator(".book h3")).to_have_text(["Salt Road"])
    assert filter_box.bounding_box() == place  # it holds still under the hand
    expect(page.locator(".lead-card")).to_have_count(0)
    expect(page.get_by_text("1 of 6 campaigns")).to_be_visible()
    expect(page.get_by_role("searchbox")).to_be_focused()
    photograph(page, f"shelf-filtered-{device}-{scheme}")
    page.reload()
    expect(page.locator(".book h3")).to_have_text(["Salt Road"])
    page.get_by_role("searchbox").fill("lighthouse")
    expect(page.get_by_text("No campaign has “lighthouse”")).to_be_visible()
    page.get_by_role("searchbox").fill("")
    expect(page.locator(".lead-card")).to_have_count(1)
    page.get_by_label("Sort by").select_option("title")
    expect(page.locator(".book h3").first).to_have_text("A House of Small Debts")


def test_without_a_script_the_shelf_has_a_button(watched: Watched, game: Game) -> None:
    page = without_script(watched, game)
    fill_the_shelf(page)
    page.get_by_role("searchbox").fill("quiet decks")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".book h3")).to_have_text(["Nine Quiet Decks"])
    page.context.close()


def test_the_first_page_offers_every_sample(page: Page) -> None:
    page.get_by_role("link", name="Delete…").click()
    page.get_by_label("Type the title").fill("The Forty-Second Lamp")
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_role("button", name="Begin the story")).to_be_visible()
    expect(toast(page)).to_contain_text("has been deleted")
    expect(toast(page).get_by_role("button", name="Undo")).to_have_count(0)
    page.evaluate("document.fonts.ready")
    photograph(page, "first-page")
    expect(page.get_by_role("button", name=re.compile("Play this"))).to_have_count(3)
    page.get_by_role("button", name="Play this The Truthful Bridge").click()
    expect(words(page)).to_be_focused()


# --- New campaign ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("device", "width", "height"), SCREENS)
def test_a_draft_of_a_campaign_survives_a_reload(
    page: Page, scheme: str, device: str, width: int, height: int
) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": height})
    page.get_by_role("link", name="New campaign").click()
    page.evaluate("document.fonts.ready")
    photograph(page, f"new-{device}-{scheme}")
    assert fits(page)
    page.get_by_label("Title").fill("Salt Road")
    page.get_by_label("Canon").fill("Nobody flies.")
    page.reload()
    expect(page.get_by_label("Title")).to_have_value("Salt Road")
    expect(page.get_by_label("Canon")).to_have_value("Nobody flies.")
    expect(page.get_by_text("What you had begun is still here.")).to_be_visible()
    page.get_by_label("Opening").fill("You wake.")
    page.get_by_label("Opening").scroll_into_view_if_needed()
    photograph(page, f"new-opening-{device}-{scheme}")
    page.get_by_role("button", name="Begin", exact=True).click()
    expect(last_turn(page).locator(".narration")).to_have_text("You wake.")
    page.goto(page.url.split("/campaigns/")[0] + "/campaigns/new/")
    expect(page.get_by_label("Title")).to_have_value("")
    expect(page.get_by_text("What you had begun is still here.")).to_be_hidden()


def test_a_refused_campaign_is_still_there_after_a_reload(page: Page, watched: Watched) -> None:
    page.get_by_role("link", name="New campaign").click()
    page.get_by_label("Title").fill("Salt Road")
    page.get_by_label("Opening").fill("You wake.")
    page.get_by_label("Forbidden changes").fill("dead")
    page.get_by_role("button", name="Begin", exact=True).click()
    expect(page.get_by_text("has no arrow")).to_be_visible()
    page.goto(page.url)
    expect(page.get_by_label("Forbidden changes")).to_have_value("dead")
    page.get_by_role("button", name="Begin afresh").click()
    expect(page.get_by_label("Title")).to_have_value("")
    page.reload()
    expect(page.get_by_label("Title")).to_have_value("")
    forgive_refusals(watched)


def test_an_opening_is_narrated_in_place_and_can_be_cancelled(
    page: Page, watched: Watched, scripted_server: ScriptedServer
) -> None:
    gate = Gate(after=3)
    scripted_server.play(Script(in_words(FOG), gate=gate), RAIN)
    page.get_by_role("link", name="New campaign").click()
    page.get_by_label("Genre", exact=True).fill("Western")
    opening = page.get_by_role("textbox", name="Opening")
    opening.fill("My own words.")
    act(page, "Narrate an opening")
    expect(page.get_by_text("The narrator is writing the first page")).to_be_visible()
    expect(page.get_by_role("button", name="Begin", exact=True)).to_be_disabled()
    photograph(page, "narrating")
    act(page, "Stop")
    expect(page.get_by_text("Stopped. Nothing was changed.")).to_be_visible()
    expect(opening).to_have_value("My own words.")
    gate.opened.set()
    act(page, "Narrate an opening")
    expect(opening).to_have_value(RAIN)
    photograph(page, "narrated")
    expect(page.get_by_label("Genre", exact=True)).to_have_value("Western")
    page.get_by_role("button", name="Put back what stood here before").click()
    expect(opening).to_have_value("My own words.")
    watched.faults.clear()  # the browser may report the request that was cancelled


def test_a_narrator_that_is_away_takes_nothing_with_it(
    page: Page, watched: Watched, scripted_server: ScriptedServer
) -> None:
    scripted_server.play(refusal(503, "server busy"))
    page.get_by_role("link", name="New campaign").click()
    page.get_by_label("Title").fill("Salt Road")
    opening = page.get_by_role("textbox", name="Opening")
    opening.fill("My own words.")
    act(page, "Narrate an opening")
    expect(page.locator("[data-opening] .wrong")).to_contain_text("No opening was narrated.")
    expect(opening).to_have_value("My own words.")
    expect(page.get_by_label("Title")).to_have_value("Salt Road")
    photograph(page, "narrator-away")
    watched.faults[:] = [fault for fault in watched.faults if "status of 502" not in fault]
