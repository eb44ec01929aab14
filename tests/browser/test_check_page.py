"""The check page, line by line, in front of a model server that takes its time."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Watched, photograph
from tests.inference_servers.scripted import Gate, Script, ScriptedServer, in_words

pytestmark = [pytest.mark.browser, pytest.mark.process]

WORDS = in_words("The inn is warm, and nobody looks up when you come in out of the rain.")
FORM = Script(('{"place": "the cellar", "is_dark": true}',))


def open_page(page: Page, watched: Watched) -> None:
    page.goto(f"{watched.home}/settings/check/")
    page.get_by_role("button", name="Check now").click()


def line(page: Page, name: str) -> str:
    """The selector of one line, by what it is called."""
    return f".check-line:has(h3:text-is('{name}'))"


def test_lines_come_as_they_are_done(page: Page, watched: Watched, scripted_server: ScriptedServer) -> None:
    gate = Gate(after=0)
    scripted_server.play(Script(WORDS, prompt_tokens=190, gate=gate), "No form at all.")
    open_page(page, watched)
    expect(page.locator(line(page, "Context window"))).to_contain_text("8,192 tokens")
    expect(page.locator(line(page, "A sentence"))).to_contain_text("checking")
    expect(page.locator(line(page, "Thinking")).locator(".state")).to_have_text("not checked")
    photograph(page, "check-running")
    gate.opened.set()
    expect(page.get_by_role("status").last).to_contain_text("The narrator works. One thing is worth knowing")
    expect(page.locator(line(page, "A sentence"))).to_contain_text("The inn is warm")
    expect(page.locator(line(page, "Answers as data")).locator(".state")).to_have_text("warning")
    expect(page.get_by_role("button", name="Check again")).to_be_focused()
    photograph(page, "check-done")


@pytest.mark.parametrize("way", ["stop", "leave"])
def test_who_stops_or_leaves_ends_the_request(
    page: Page, watched: Watched, scripted_server: ScriptedServer, way: str
) -> None:
    gate = Gate(after=2)
    scripted_server.play(Script(WORDS, gate=gate))
    open_page(page, watched)
    expect(page.locator(line(page, "A sentence"))).to_contain_text("checking")
    assert gate.reached.wait(5)
    if way == "stop":
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_role("status").last).to_contain_text("Stopped.")
        expect(page.locator(line(page, "Model server")).locator(".state")).to_have_text("ok")
        expect(page.get_by_role("button", name="Check again")).to_be_focused()
    else:
        page.goto(watched.home)
    assert scripted_server.client_closed.wait(5)


def test_without_a_script(page: Page, watched: Watched, scripted_server: ScriptedServer) -> None:
    scripted_server.play(Script(WORDS, prompt_tokens=190), FORM)
    context = watched.context.browser.new_context(java_script_enabled=False)  # type: ignore[union-attr]
    context.add_cookies([dict(each) for each in watched.context.cookies()])  # type: ignore[misc]
    plain = context.new_page()
    plain.goto(f"{watched.home}/settings/check/")
    plain.get_by_role("button", name="Check now").click()
    expect(plain.get_by_text("The narrator works.")).to_be_visible()
    expect(plain.locator(".check-line[data-status='ok']")).to_have_count(8)
    context.close()
