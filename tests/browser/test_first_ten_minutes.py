"""A person's first ten minutes, in a real browser."""

import re
import signal

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Watched, photograph
from tests.inference_servers.scripted import Fault, Gate, Script, ScriptedServer, in_words
from tests.storyteller.game import Game

pytestmark = [pytest.mark.browser, pytest.mark.process]

RAIN = "The rain stops. Somewhere below a door opens, and shuts again."
BELL = "A bell counts to nine, and thinks better of it."


def begin(page: Page) -> None:
    page.get_by_role("link", name="Begin").click()
    expect(words(page)).to_be_focused()


def words(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Your words")


def submit(page: Page, text: str, mode: str | None = None) -> None:
    if mode:
        page.get_by_role("radio", name=mode).check(force=True)
    words(page).fill(text)
    words(page).press("Enter")


def play(page: Page, text: str, answer: str, mode: str | None = None) -> None:
    submit(page, text, mode)
    expect(last_turn(page).locator(".narration")).to_have_text(answer)
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def last_turn(page: Page) -> Locator:
    return page.locator("article.turn").last


def act(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_two_turns_with_text_that_grows(page: Page, scripted_server: ScriptedServer) -> None:
    gate = Gate(after=3)
    scripted_server.play(Script(in_words(RAIN), gate=gate), BELL)
    photograph(page, "campaigns")
    begin(page)
    photograph(page, "opening")
    submit(page, "I listen at the wall.")
    stream = page.locator("[data-region='stream']")
    expect(stream).to_contain_text("The rain stops.")
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    photograph(page, "streaming")
    gate.opened.set()
    expect(last_turn(page).locator(".narration")).to_have_text(RAIN)
    expect(stream).to_be_hidden()
    play(page, "Is anybody there?", BELL, mode="Say")
    expect(last_turn(page)).to_contain_text("Say")
    expect(page.locator("[data-announce]")).to_have_text(BELL)
    photograph(page, "two-turns")


def test_stop_retry_and_choose_among_takes(page: Page, scripted_server: ScriptedServer) -> None:
    scripted_server.play(Script(in_words(RAIN), gate=Gate(after=3)), BELL)
    begin(page)
    submit(page, "I listen.")
    expect(page.locator("[data-region='stream']")).to_contain_text("The rain stops.")
    act(page, "Stop")
    expect(last_turn(page).locator(".narration")).to_have_text("The rain stops.")
    expect(last_turn(page)).to_contain_text("stopped here")
    last_turn(page).get_by_role("button", name="retry").click()
    expect(last_turn(page).locator(".narration")).to_have_text(BELL)
    expect(last_turn(page)).to_contain_text("2/2")
    last_turn(page).get_by_role("link", name="Earlier take").click()
    expect(last_turn(page).locator(".narration")).to_have_text("The rain stops.")
    photograph(page, "another-take")
    act(page, "Tell it this way")
    expect(page.get_by_role("button", name="Tell it this way")).to_have_count(0)
    page.reload()
    expect(last_turn(page).locator(".narration")).to_have_text("The rain stops.")


def test_step_back_write_something_else_and_find_the_old_branch(
    page: Page, scripted_server: ScriptedServer
) -> None:
    scripted_server.play(RAIN, BELL, "The other road is longer.")
    begin(page)
    play(page, "I listen.", RAIN)
    play(page, "I count.", BELL)
    words(page).press("Control+z")
    expect(last_turn(page).locator(".narration")).to_have_text(RAIN)
    play(page, "I take the other road.", "The other road is longer.")
    expect(page.get_by_role("button", name="Redo")).to_be_disabled()
    page.get_by_role("link", name="Branches").click()
    panel = page.get_by_role("complementary")
    expect(panel).to_contain_text("I take the other road.")
    photograph(page, "branches")
    panel.get_by_role("button", name=re.compile("Open Main")).click()
    expect(last_turn(page).locator(".narration")).to_have_text(BELL)


def test_name_a_moment_and_come_back(page: Page, scripted_server: ScriptedServer) -> None:
    scripted_server.play(RAIN, BELL)
    begin(page)
    play(page, "I listen.", RAIN)
    page.get_by_role("link", name="Save Point").last.click()
    page.get_by_label(re.compile("Name for turn 1")).fill("Before the bell")
    act(page, "Save this place")
    panel = page.get_by_role("complementary")
    expect(panel).to_contain_text("Before the bell")
    play(page, "I count.", BELL)
    photograph(page, "save-points")
    panel.get_by_role("button", name=re.compile("Restore")).click()
    expect(last_turn(page).locator(".narration")).to_have_text(RAIN)
    expect(page.get_by_role("button", name="Redo")).to_be_enabled()


def test_edit_the_narrators_words_and_ones_own(page: Page, scripted_server: ScriptedServer) -> None:
    scripted_server.play(RAIN, BELL)
    begin(page)
    play(page, "I listen.", RAIN)
    last_turn(page).get_by_role("link", name=re.compile("edit narration")).click()
    page.locator("article.turn textarea").fill("The rain goes on.")
    page.locator("article.turn").get_by_role("button", name=re.compile("Save|Keep|Tell")).click()
    expect(last_turn(page).locator(".narration")).to_have_text("The rain goes on.")
    expect(last_turn(page)).to_contain_text("2/2")
    last_turn(page).get_by_role("link", name=re.compile("edit input")).click()
    page.locator("article.turn textarea").fill("I count.")
    photograph(page, "edit-input")
    page.locator("article.turn").get_by_role("button", name=re.compile("Play|Send|Tell")).click()
    expect(last_turn(page).locator(".narration")).to_have_text(BELL)
    expect(last_turn(page)).to_contain_text("I count.")


def test_a_turn_that_fails_keeps_everything(page: Page, scripted_server: ScriptedServer) -> None:
    scripted_server.play(Script(in_words(RAIN), fault=Fault.CUT_MIDWAY, after=3), BELL)
    begin(page)
    submit(page, "I listen at the wall.")
    card = page.get_by_role("region", name="A turn that was not told to its end")
    expect(card).to_contain_text("The rain stops.")
    expect(words(page)).to_have_value("I listen at the wall.")
    photograph(page, "recovery")
    page.reload()
    expect(card).to_contain_text("The rain stops.")
    expect(words(page)).to_have_value("I listen at the wall.")
    card.get_by_role("button", name="Retry").click()
    expect(last_turn(page).locator(".narration")).to_have_text(BELL)
    expect(card).to_have_count(0)


def test_a_second_tab_follows_and_a_reload_resumes(
    page: Page, watched: Watched, scripted_server: ScriptedServer
) -> None:
    gate = Gate(after=3)
    scripted_server.play(Script(in_words(RAIN), gate=gate))
    begin(page)
    second = watched.context.new_page()
    second.goto(page.url)
    submit(page, "I listen.")
    expect(second.locator("[data-region='stream']")).to_contain_text("The rain stops.")
    page.reload()
    expect(page.locator("[data-region='stream']")).to_contain_text("The rain stops.")
    gate.opened.set()
    for tab in (page, second):
        expect(last_turn(tab).locator(".narration")).to_have_text(RAIN)
        expect(tab.locator("article.turn")).to_have_count(2)


def test_a_draft_survives_a_reload(page: Page) -> None:
    begin(page)
    words(page).fill("I had almost decided to")
    page.reload()
    expect(words(page)).to_have_value("I had almost decided to")


def test_a_game_that_is_gone_takes_no_words_with_it(page: Page, watched: Watched, game: Game) -> None:
    begin(page)
    game.end(signal.SIGKILL)
    expect(page.locator("[data-offline]")).to_be_visible()
    submit(page, "I shout into the dark.")
    expect(page.get_by_text(re.compile("could not be reached"))).to_be_visible()
    expect(words(page)).to_have_value("I shout into the dark.")
    watched.faults.clear()  # the browser reports the connections that were refused


def test_without_a_script_everything_still_works(
    watched: Watched, game: Game, scripted_server: ScriptedServer
) -> None:
    scripted_server.play(RAIN)
    browser = watched.context.browser
    assert browser is not None
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(watched.home + game.link)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Begin").click()
    words(page).fill("I listen.")
    page.get_by_role("button", name="Send").click()
    expect(last_turn(page).locator(".narration")).to_have_text(RAIN)
    act(page, "Undo")
    expect(page.locator("article.turn")).to_have_count(1)
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("device", "width", "height"), [("wide", 1440, 900), ("phone", 390, 844)])
def test_it_fits_every_screen(
    page: Page, scripted_server: ScriptedServer, scheme: str, device: str, width: int, height: int
) -> None:
    scripted_server.play(RAIN)
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": height})
    begin(page)
    play(page, "I listen.", RAIN)
    photograph(page, f"play-{device}-{scheme}")
    page.goto(page.url.split("?")[0] + "?panel=branches")
    photograph(page, f"panel-{device}-{scheme}")
    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0
