"""From rehearsal to a real narrator and back, as somebody does it who has read nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Watched, photograph
from tests.browser.test_first_ten_minutes import BELL, RAIN, begin, last_turn, play, submit
from tests.inference_servers.scripted import MODEL, Gate, Script, ScriptedServer, in_words
from tests.storyteller.game import Game

pytestmark = [pytest.mark.browser, pytest.mark.process]


class TestFirstRun:
    """Nothing is chosen, and a server is there."""

    @pytest.fixture
    def game(self, tmp_path: Path, scripted_server: ScriptedServer) -> Iterator[Game]:
        scripted_server.models = {MODEL: 8192, "mistral": 4096}
        scripted_server.remote_models = {"big:cloud"}
        found = {"STORYTELLER_INFERENCE_API": "auto", "STORYTELLER_INFERENCE_URL": scripted_server.url}
        with Game(tmp_path, STORYTELLER_REHEARSAL_RATE="0", **found) as running:
            yield running

    def test_the_chip_connects_a_model_with_one_click(
        self, page: Page, scripted_server: ScriptedServer
    ) -> None:
        scripted_server.play(BELL)
        begin(page)
        submit(page, "I look around.")
        expect(page.locator("article.turn")).to_have_count(2)
        assert scripted_server.chats == []
        chip = page.locator(".narrator summary")
        expect(chip).to_contain_text("rehearsal")
        chip.click()
        note = page.locator(".narrator .note")
        expect(note.get_by_role("button", name=f"Use {MODEL}")).to_be_visible()
        expect(note).to_contain_text("runs on somebody else’s machine")
        photograph(page, "narrator-offer")
        note.get_by_role("button", name=f"Use {MODEL}").click()
        expect(chip).to_contain_text(MODEL)
        expect(page.locator(".narrator")).to_have_attribute("data-state", "connected")
        play(page, "I listen.", BELL)
        assert scripted_server.chats[-1].body["model"] == MODEL

    def test_an_open_note_holds_still_while_the_story_goes_on(self, page: Page, watched: Watched) -> None:
        begin(page)
        expect(page.locator(".narrator .offers")).to_have_count(1)  # somebody has looked
        page.locator(".narrator summary").click()
        button = page.locator(".narrator .note").get_by_role("button", name="Use mistral")
        button.focus()
        button.evaluate("(button) => { button.dataset.marked = ''; }")
        second = watched.context.new_page()
        second.goto(page.url)
        submit(second, "I look around.")
        expect(page.locator("article.turn")).to_have_count(2)
        expect(button).to_be_focused()
        expect(button).to_have_attribute("data-marked", "")

    def test_everything_on_the_settings_page(
        self, page: Page, watched: Watched, scripted_server: ScriptedServer
    ) -> None:
        scripted_server.play(BELL)
        page.get_by_role("link", name="Settings").click()
        expect(page.get_by_role("heading", name="Who narrates", exact=True)).to_be_visible()
        photograph(page, "settings")
        page.get_by_role("button", name="Use mistral").click()
        expect(page.locator(".now")).to_contain_text("the model was made for 4,096")
        page.get_by_label("Context window").fill("4096")
        page.get_by_label("Address").fill("http://8.8.8.8")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_label("Address")).to_have_value("http://8.8.8.8")
        expect(page.locator("#setting-inference_url-error")).to_contain_text("not on this machine")
        photograph(page, "settings-refused")
        watched.faults.clear()  # to Chromium a refused form is an error
        page.get_by_label("Address").fill("")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_label("Context window")).to_have_value("4096")
        expect(page.locator(".now .detail")).to_have_count(0)
        page.get_by_role("radio", name="Sepia").check(force=True)
        page.goto(page.url.replace("/settings/", "/"))
        assert page.evaluate("document.documentElement.dataset.theme") == "sepia"
        begin(page)
        play(page, "I listen.", BELL)
        body = scripted_server.chats[-1].body
        assert (body["model"], body["options"]["num_ctx"]) == ("mistral", 4096)


def test_what_is_waited_for_is_said_while_a_model_loads(page: Page, scripted_server: ScriptedServer) -> None:
    gate = Gate(after=0)
    begin(page)
    # The page has the model loaded ahead of the first turn: it is thrown out once that is done.
    expect(page.locator(".narrator")).to_have_attribute("data-state", "connected")
    scripted_server.loaded = {}
    scripted_server.play(Script(in_words(RAIN), gate=gate))
    submit(page, "I listen at the wall.")
    waiting = page.locator("[data-stream-note]")
    expect(waiting).to_contain_text("The model is being loaded", timeout=15_000)
    expect(page.locator("[data-announce]")).to_have_text("The model is being loaded.")
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    photograph(page, "loading")
    gate.opened.set()
    expect(last_turn(page).locator(".narration")).to_have_text(RAIN)
    expect(waiting).to_have_text("")


def test_what_is_waited_for_is_said_while_the_story_is_read(
    page: Page, scripted_server: ScriptedServer
) -> None:
    gate = Gate(after=0)
    begin(page)
    expect(page.locator(".narrator")).to_have_attribute("data-state", "connected")
    scripted_server.play(Script(in_words(RAIN), gate=gate))
    submit(page, "I listen at the wall.")
    waiting = page.locator("[data-stream-note]")
    expect(waiting).to_contain_text("The narrator is reading the story (", timeout=15_000)
    expect(page.locator("[data-announce]")).to_contain_text("The narrator is reading the story")
    expect(waiting).to_contain_text("a smaller model reads faster", timeout=25_000)
    page.get_by_role("button", name="Stop, don’t keep").click()
    expect(page.get_by_role("region", name="A turn that was not told to its end")).to_be_visible()
    expect(waiting).to_be_hidden()


def test_what_was_saved_is_given_back_with_a_button(page: Page) -> None:
    page.get_by_role("link", name="Settings").click()
    page.get_by_label("Longest reply").fill("300")
    page.get_by_role("button", name="Save").click()
    back = page.get_by_role("button", name="Back to the default for Longest reply")
    expect(page.get_by_label("Longest reply")).to_have_value("300")
    back.click()
    expect(page.get_by_label("Longest reply")).to_be_focused()
    expect(back).to_be_hidden()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("Longest reply")).to_have_value("")
    expect(page.get_by_text("Where it is empty: 600.")).to_be_visible()


def test_a_narrator_that_goes_and_comes_back(page: Page, scripted_server: ScriptedServer) -> None:
    begin(page)
    chip = page.locator(".narrator summary")
    expect(page.locator(".narrator")).to_have_attribute("data-state", "connected")
    port = int(scripted_server.url.rsplit(":", 1)[1])
    scripted_server.close()
    submit(page, "I listen at the wall.")
    card = page.get_by_role("region", name="A turn that was not told to its end")
    expect(card).to_contain_text("Nothing answers at")
    expect(chip).to_contain_text("gone")
    expect(card.get_by_role("link", name="Check the narrator")).to_be_visible()
    photograph(page, "narrator-gone")
    with ScriptedServer(port=port) as again:
        again.play(BELL)
        card.get_by_role("button", name="Retry").click()
        expect(last_turn(page).locator(".narration")).to_have_text(BELL)
        expect(page.locator(".narrator")).to_have_attribute("data-state", "connected", timeout=15_000)


def test_what_is_waited_for_is_said_while_a_turn_is_settled(
    page: Page, scripted_server: ScriptedServer
) -> None:
    gate = Gate(after=1)
    begin(page)
    scripted_server.play(RAIN)
    scripted_server.answer_changes(Script(in_words('{ "events": [] }'), gate=gate))
    submit(page, "I listen at the wall.")
    expect(page.locator("[data-stream-note]")).to_contain_text("is being noted", timeout=15_000)
    expect(page.locator("[data-announce]")).to_contain_text("Stop skips that")
    photograph(page, "settling")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(last_turn(page).locator(".narration")).to_have_text(RAIN)
    expect(page.locator("[data-stream-note]")).to_be_hidden()
    gate.opened.set()
