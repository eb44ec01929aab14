"""The branch map in a real browser: by mouse and by keyboard, wide and on a phone, light and dark."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import photograph
from tests.browser.test_first_ten_minutes import begin, last_turn, play, words
from tests.inference_servers.scripted import ScriptedServer

pytestmark = [pytest.mark.browser, pytest.mark.process]

STORY = ("A door shuts.", "A bell counts.", "The road is longer.", "The river is high.")


@pytest.fixture
def told(page: Page, scripted_server: ScriptedServer) -> Page:
    """Two branches: the story went back once, and is read on the second one. The map is open."""
    scripted_server.play(*STORY)
    begin(page)
    play(page, "I listen.", STORY[0])
    play(page, "I count.", STORY[1])
    words(page).press("Control+z")
    expect(last_turn(page).locator(".narration")).to_have_text(STORY[0])
    play(page, "I take the other road.", STORY[2])
    page.goto(page.url.split("?")[0].split("#")[0] + "tree/")
    return page


def place(page: Page, words: str) -> Locator:
    return page.get_by_role("link", name=re.compile(f"^{words}"))


def offer(page: Page) -> Locator:
    return page.locator("[data-offer]")


def test_a_place_is_chosen_by_mouse_and_gone_to(told: Page) -> None:
    photograph(told, "tree-wide")
    place(told, "Turn 2 of Main").click()
    expect(offer(told)).to_contain_text(STORY[1])
    expect(told).to_have_url(re.compile(r"\?at=\d+\.2$"))
    photograph(told, "tree-offer")
    offer(told).get_by_role("button", name="Go here").click()
    expect(last_turn(told).locator(".narration")).to_have_text(STORY[1])


def test_arrow_keys_walk_along_lines_and_between_them(told: Page) -> None:
    map_ = told.locator("[data-map]")
    assert map_.locator("[data-at][tabindex='0']").count() == 1
    place(told, "Turn 2 of I take the other road").focus()
    for key, there in (
        ("ArrowLeft", "Turn 1 of Main"),
        ("ArrowLeft", "Turn 0 of Main"),
        ("ArrowLeft", "Turn 0 of Main"),
        ("End", "Turn 2 of Main"),
        ("ArrowDown", "Turn 2 of I take the other road"),
        ("ArrowUp", "Turn 2 of Main"),
        ("Home", "Turn 0 of Main"),
        ("ArrowRight", "Turn 1 of Main"),
    ):
        told.keyboard.press(key)
        expect(place(told, there)).to_be_focused()
    assert map_.locator("[data-at][tabindex='0']").count() == 1
    told.keyboard.press("Enter")
    expect(told.get_by_role("heading", name="Turn 1 of Main")).to_be_focused()
    photograph(told, "tree-keyboard")
    told.keyboard.press("Escape")
    expect(place(told, "Turn 1 of Main")).to_be_focused()
    expect(offer(told)).to_contain_text("Choose a place")


def test_a_place_is_named_and_found(told: Page) -> None:
    place(told, "Turn 2 of Main").click()
    offer(told).get_by_text("Name this place").click()
    offer(told).get_by_label("Name", exact=True).fill("The bell")
    offer(told).get_by_role("button", name="Go here and name it").click()
    expect(place(told, "Turn 2 of Main: .*Save Point “The bell”")).to_be_visible()
    expect(offer(told)).to_contain_text("the story is read here")
    told.get_by_role("searchbox").fill("bell")
    expect(told.locator(".outline li:visible")).to_have_count(1)
    expect(told.locator("[data-found]")).to_have_text("1 of 2 branches")
    photograph(told, "tree-named")


def test_a_branch_is_renamed_beside_the_map(told: Page) -> None:
    place(told, "Turn 2 of I take the other road").click()
    offer(told).get_by_role("link", name="Rename").click()
    expect(offer(told).get_by_label("Name of the branch")).to_be_focused()
    offer(told).get_by_label("Name of the branch").fill("The river road")
    told.keyboard.press("Enter")
    expect(place(told, "Turn 2 of The river road")).to_be_visible()


def test_departed_lines_are_tidied_after_a_look(told: Page) -> None:
    told.get_by_role("link", name="Tidy departed lines").click()
    expect(told.get_by_role("region", name="Tidy departed lines")).to_contain_text("This deletes 1 turn")
    photograph(told, "tree-tidy")
    told.get_by_role("button", name="Delete for good").click()
    expect(told.get_by_text("1 turn has been deleted.")).to_be_visible()
    expect(place(told, "Turn 2 of Main")).to_have_count(0)


def test_the_map_is_made_larger_and_smaller(told: Page) -> None:
    lines = told.locator("svg.lines")
    before = float(lines.get_attribute("width") or 0)
    told.get_by_role("button", name="Larger").click()
    assert float(lines.get_attribute("width") or 0) > before
    for _ in range(4):
        told.get_by_role("button", name="Smaller").click()
    assert float(lines.get_attribute("width") or 0) < before
    told.get_by_role("button", name="Where the story is read").click()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_map_on_a_phone(told: Page, scheme: str) -> None:
    told.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    told.set_viewport_size({"width": 390, "height": 844})
    place(told, "Turn 2 of Main").click()
    expect(offer(told).get_by_role("button", name="Go here")).to_be_in_viewport()
    assert told.evaluate("document.documentElement.scrollWidth") <= 390
    photograph(told, f"tree-phone-{scheme}")


def test_the_panel_has_a_small_map(told: Page) -> None:
    told.goto(told.url.replace("tree/", "?panel=branches"))
    panel = told.get_by_role("complementary")
    panel.get_by_role("link", name=re.compile("^Turn 2 of Main")).click()
    expect(panel.get_by_role("heading", name="Turn 2 of Main")).to_be_visible()
    photograph(told, "tree-panel")
    panel.get_by_role("link", name=re.compile("^Turn 2 of Main")).focus()
    told.keyboard.press("ArrowLeft")
    expect(panel.get_by_role("link", name=re.compile("^Turn 1 of Main"))).to_be_focused()
    panel.get_by_role("button", name="Go here").click()
    expect(last_turn(told).locator(".narration")).to_have_text(STORY[1])
