"""axe finds nothing to complain about, on any page, in any theme, wide and on a phone."""

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import Watched, photograph
from tests.browser.test_first_ten_minutes import BELL, RAIN, begin, last_turn, play, submit
from tests.inference_servers.scripted import Fault, Gate, Script, ScriptedServer, in_words

pytestmark = [pytest.mark.browser, pytest.mark.process]

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
THEMES, WIDE, PHONE = ("light", "dark", "sepia"), (1440, 900), (390, 844)
PANELS = ("story", "branches", "save-points", "help")


def looks(page: Page) -> Iterator[str]:
    """The page in each theme, wide and on a phone."""
    page.emulate_media(reduced_motion="reduce")  # no colour is caught half-way to another
    for size in (WIDE, PHONE):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        for theme in THEMES:
            page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
            yield f"{theme}-{'phone' if size == PHONE else 'wide'}"


def faults(page: Page) -> list[str]:
    result = Axe().run(page, options={"runOnly": {"type": "tag", "values": RULES}}).response
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in result["violations"]
        for node in violation["nodes"]
    ]


def check(page: Page, name: str) -> None:
    found = {look: problems for look in looks(page) if (problems := faults(page))}
    assert found == {}, f"{name}: {found}"
    # Nothing is wider than a phone.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name


def test_pages_without_a_story(page: Page, watched: Watched) -> None:
    for path in ("/", "/campaigns/new/", "/settings/", "/settings/check/", "/?status=archived"):
        page.goto(watched.home + path)
        check(page, path)
    fresh = watched.context.browser.new_context() if watched.context.browser else None
    assert fresh
    stranger = fresh.new_page()
    for path in ("/sign-in/", "/sign-in/not-a-link/"):
        stranger.goto(watched.home + path)
        check(stranger, path)
    fresh.close()


def test_the_play_page_and_its_panels(page: Page, scripted_server: ScriptedServer, watched: Watched) -> None:
    scripted_server.play(RAIN, BELL)
    begin(page)
    play(page, "I look.", RAIN)
    play(page, "I listen.", BELL)
    last_turn(page).get_by_role("button", name="retry").click()
    expect(last_turn(page)).to_contain_text("2/2")
    address = page.url.split("?")[0].split("#")[0]
    check(page, "play")
    for panel in PANELS:
        page.goto(f"{address}?panel={panel}")
        check(page, panel)
    page.goto(f"{address}tree/")
    check(page, "tree")
    page.goto(f"{address}delete/")
    check(page, "delete")


def test_while_a_turn_is_told_and_when_it_fails(page: Page, scripted_server: ScriptedServer) -> None:
    gate = Gate(after=3)
    scripted_server.play(Script(in_words(RAIN), gate=gate, fault=Fault.CUT_MIDWAY, after=6))
    begin(page)
    submit(page, "I listen at the wall.")
    expect(page.locator("[data-region='stream']")).to_contain_text("The rain stops.")
    check(page, "streaming")
    gate.opened.set()
    card = page.get_by_role("region", name="A turn that was not told to its end")
    expect(card).to_be_visible()
    check(page, "failed")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.locator(".narrator summary").click()
    check(page, "narrator note")
    page.get_by_role("link", name=re.compile("edit narration")).first.click()
    expect(page.locator("form[data-edit]")).to_be_visible()
    check(page, "edit")
    photograph(page, "edit-phone")
