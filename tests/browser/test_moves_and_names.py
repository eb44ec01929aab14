"""Moving through a story and naming its places: the buttons know what the server knows, and no row tells two
truths."""

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import photograph
from tests.browser.test_first_ten_minutes import BELL, RAIN, act, begin, last_turn, play
from tests.inference_servers.scripted import ScriptedServer

pytestmark = [pytest.mark.browser, pytest.mark.process]

FOG = "Fog stands in the street like a crowd that has forgotten why it came."


def narrations(page: Page) -> Locator:
    return page.locator("article.turn .narration")


def edit(page: Page, number: int, text: str) -> None:
    turn = page.locator("article.turn").nth(number)
    turn.get_by_role("link", name=re.compile("edit narration")).click()
    turn.locator("textarea").fill(text)
    turn.get_by_role("button", name="Save").click()


def expect_ways(page: Page, *, undo: bool, redo: bool) -> None:
    for name, is_open in (("Undo", undo), ("Redo", redo)):
        button = page.get_by_role("button", name=name, exact=True)
        expect(button).to_be_enabled() if is_open else expect(button).to_be_disabled()


def test_undo_and_redo_are_offered_exactly_when_there_is_a_way(
    page: Page, scripted_server: ScriptedServer
) -> None:
    scripted_server.play(RAIN, BELL, FOG)
    begin(page)
    expect_ways(page, undo=False, redo=False)
    play(page, "I listen.", RAIN)
    expect_ways(page, undo=True, redo=False)
    play(page, "I count.", BELL)
    act(page, "Undo")
    expect(narrations(page)).to_have_count(2)
    expect_ways(page, undo=True, redo=True)
    act(page, "Undo")
    expect_ways(page, undo=False, redo=True)
    page.reload()
    expect_ways(page, undo=False, redo=True)
    act(page, "Redo")
    act(page, "Redo")
    expect(last_turn(page).locator(".narration")).to_have_text(BELL)
    expect_ways(page, undo=True, redo=False)
    act(page, "Undo")
    play(page, "I look.", FOG)  # another line: there is nothing to redo on it
    expect_ways(page, undo=True, redo=False)


def test_an_edit_that_makes_another_turn_shows_the_story_anew(
    page: Page, scripted_server: ScriptedServer
) -> None:
    scripted_server.play(RAIN, BELL)
    begin(page)
    play(page, "I listen.", RAIN)
    first = page.locator("article.turn").nth(1).get_attribute("id")
    play(page, "I count.", BELL)
    edit(page, 2, "A bell counts to ten.")  # nothing follows: the same turn, patched
    expect(narrations(page).nth(2)).to_have_text("A bell counts to ten.")
    expect(page.locator("article.turn")).to_have_count(3)
    edit(page, 1, "The rain goes on.")  # something follows: another turn, on a line of its own
    expect(narrations(page).nth(1)).to_have_text("The rain goes on.")
    expect(page.locator("article.turn")).to_have_count(2)
    assert page.locator("article.turn").nth(1).get_attribute("id") != first
    expect(page.locator(f"#{first}")).to_have_count(0)
    expect(narrations(page).get_by_text("A bell counts")).to_have_count(0)


def test_a_take_that_was_looked_at_is_left_by_a_move(page: Page, scripted_server: ScriptedServer) -> None:
    scripted_server.play(RAIN, FOG)
    begin(page)
    play(page, "I listen.", RAIN)
    last_turn(page).get_by_role("button", name="retry").click()
    expect(last_turn(page).locator(".narration")).to_have_text(FOG)
    last_turn(page).get_by_role("link", name="Earlier take").click()
    expect(last_turn(page)).to_contain_text("1/2")
    act(page, "Undo")
    expect(page.locator("article.turn")).to_have_count(1)
    act(page, "Redo")
    expect(last_turn(page).locator(".narration")).to_have_text(FOG)
    expect(last_turn(page)).to_contain_text("2/2")
    expect(page.locator("[data-viewing]")).to_have_count(0)


def test_the_life_of_a_save_point(page: Page, scripted_server: ScriptedServer) -> None:
    scripted_server.play(RAIN, BELL)
    begin(page)
    play(page, "I listen.", RAIN)
    page.get_by_role("link", name="Save Point").last.click()
    panel = page.get_by_role("complementary")
    panel.get_by_label(re.compile("Name for turn 1")).fill("Before the bell")
    act(page, "Save this place")
    rows = panel.locator(".row-list > li")
    expect(rows).to_have_count(1)
    play(page, "I count.", BELL)
    panel.get_by_role("link", name="Rename Before the bell").click()
    rows.get_by_label("Name").fill("At the wall")
    rows.get_by_role("button", name="Save").click()
    expect(rows).to_contain_text("At the wall")
    panel.get_by_role("button", name="Restore At the wall").click()
    expect(last_turn(page).locator(".narration")).to_have_text(RAIN)
    panel.get_by_role("link", name="Delete… At the wall").click()
    ask = panel.get_by_role("group", name="Delete At the wall")
    expect(ask).to_contain_text("Only the name goes.")
    photograph(page, "save-point-delete")
    ask.get_by_role("link", name="Leave it").click()
    expect(ask).to_have_count(0)
    expect(rows).to_have_count(1)
    panel.get_by_role("link", name="Delete… At the wall").click()
    ask.get_by_role("button", name="Delete the Save Point").click()
    expect(rows).to_have_count(0)
    expect(last_turn(page).locator(".narration")).to_have_text(RAIN)  # the story is as it was


def test_a_branch_says_how_many_save_points_hold_it(page: Page, scripted_server: ScriptedServer) -> None:
    scripted_server.play(RAIN, BELL)
    begin(page)
    play(page, "I listen.", RAIN)
    act(page, "Undo")
    expect(page.locator("article.turn")).to_have_count(1)
    play(page, "I count.", BELL)
    page.get_by_role("link", name="Save Point").last.click()
    panel = page.get_by_role("complementary")
    panel.get_by_label(re.compile("Name for turn 1")).fill("At the bell")
    act(page, "Save this place")
    expect(panel.locator(".row-list > li")).to_have_count(1)
    page.get_by_role("link", name="Branches").click()
    panel.get_by_role("button", name="Open Main").click()
    expect(last_turn(page).locator(".narration")).to_have_text(RAIN)
    panel.get_by_role("link", name="Delete… I count.").click()
    expect(panel.locator(".row-list > li").nth(1)).to_contain_text("1 Save Point")
    panel.get_by_role("group", name="Delete I count.").get_by_role("button", name="Delete for good").click()
    expect(page.locator(".message.error")).to_contain_text("Save Point")
    expect(panel.locator(".row-list > li")).to_have_count(2)


def test_an_answer_that_comes_late_leaves_the_panel_that_was_opened_meanwhile(
    page: Page, scripted_server: ScriptedServer
) -> None:
    scripted_server.play(RAIN, BELL)
    begin(page)
    play(page, "I listen.", RAIN)
    act(page, "Undo")
    expect(page.locator("article.turn")).to_have_count(1)
    play(page, "I count.", BELL)
    page.get_by_role("link", name="Branches").click()
    panel = page.get_by_role("complementary")
    held: list[Route] = []
    page.route("**/activate/", lambda route: held.append(route))
    panel.get_by_role("button", name="Open Main").click()
    panel.get_by_role("link", name="Rename Main").click()
    expect(panel.get_by_role("textbox")).to_be_visible()
    answer = held[0].fetch()
    held[0].fulfill(response=answer)
    expect(last_turn(page).locator(".narration")).to_have_text(RAIN)
    expect(panel.get_by_role("textbox")).to_be_visible()
    assert "rename=" in page.url
