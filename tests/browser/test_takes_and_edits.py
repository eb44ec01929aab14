"""What only a browser shows of takes and edits: reading a take that the story does not tell, writing on from
it, and words that were refused."""

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Watched, photograph
from tests.browser.test_first_ten_minutes import BELL, RAIN, act, begin, last_turn, play, submit, words
from tests.inference_servers.scripted import Fault, Gate, Script, ScriptedServer, in_words
from tests.storyteller.game import Game

pytestmark = [pytest.mark.browser, pytest.mark.process]

FOG = "Fog comes up the steps and stands in the doorway, listening."
DOOR = "The door gives way, and there is a stair behind it."
EMPTIED = "What follows in the story is out of view."


def tell_with_two_takes(page: Page, server: ScriptedServer, *later: Script | str) -> None:
    """The opening, a turn with two takes (the second is told), and a turn after it."""
    server.play(RAIN, FOG, BELL, *later)
    begin(page)
    play(page, "I listen.", RAIN)
    last_turn(page).get_by_role("button", name="retry").click()
    expect(last_turn(page).locator(".narration")).to_have_text(FOG)
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    play(page, "I count.", BELL)


def view_the_earlier_take(page: Page) -> None:
    page.get_by_role("link", name="Earlier take").click()
    expect(page.locator("[data-viewing] .narration")).to_have_text(RAIN)


@contextmanager
def elsewhere(page: Page, watched: Watched, text: str) -> Iterator[None]:
    """While a turn is being told that another window has sent and this one has not yet heard of."""
    second = watched.context.new_page()
    second.goto(page.url)
    submit(second, text)
    expect(second.locator("[data-region='stream']")).to_be_visible()
    yield
    second.close()


def deafen(page: Page) -> None:
    """From the next load on this page has no socket, so that it learns of nothing but what it asks for."""
    page.route_web_socket(re.compile("/ws/"), lambda socket: socket.close())
    page.reload()


def forgive_refusals(watched: Watched) -> None:
    """A browser reports every answer that refuses something."""
    watched.faults[:] = [fault for fault in watched.faults if not re.search("status of (409|422)", fault)]


def test_below_a_take_that_is_only_read_the_story_empties(
    page: Page, scripted_server: ScriptedServer
) -> None:
    tell_with_two_takes(page, scripted_server)
    view_the_earlier_take(page)
    expect(page.get_by_text(EMPTIED)).to_be_visible()
    expect(last_turn(page)).to_be_hidden()
    page.get_by_role("link", name="Save Point").last.click()  # the panel comes by a refresh: the view stays
    expect(page.get_by_role("complementary")).to_be_visible()
    expect(page.locator("[data-viewing] .narration")).to_have_text(RAIN)
    page.get_by_role("link", name="Later take").click()
    expect(page.locator("[data-viewing]")).to_have_count(0)
    expect(last_turn(page).locator(".narration")).to_have_text(BELL)
    expect(last_turn(page)).to_be_visible()
    assert len(scripted_server.chats) == 3
    page.reload()
    expect(last_turn(page).locator(".narration")).to_have_text(BELL)


@pytest.mark.parametrize("has_socket", [True, False])
def test_writing_goes_on_from_the_take_that_is_read(
    page: Page, scripted_server: ScriptedServer, has_socket: bool
) -> None:
    tell_with_two_takes(page, scripted_server, DOOR)
    if not has_socket:
        deafen(page)
    view_the_earlier_take(page)
    play(page, "I push the door.", DOOR)
    texts = page.locator("article.turn .narration").all_inner_texts()
    assert [text for text in texts if text in (RAIN, FOG, BELL, DOOR)] == [RAIN, DOOR]
    expect(words(page)).to_have_value("")
    sent = "".join(message["content"] for message in scripted_server.chats[-1].body["messages"])
    assert RAIN in sent
    assert FOG not in sent
    page.get_by_role("link", name="Branches").click()
    page.get_by_role("complementary").get_by_role("button", name=re.compile("Open Main")).click()
    expect(last_turn(page).locator(".narration")).to_have_text(BELL)


def test_where_nothing_follows_the_take_becomes_the_storys(
    page: Page, scripted_server: ScriptedServer
) -> None:
    scripted_server.play(RAIN, FOG, DOOR)
    begin(page)
    play(page, "I listen.", RAIN)
    last_turn(page).get_by_role("button", name="retry").click()
    expect(last_turn(page).locator(".narration")).to_have_text(FOG)
    view_the_earlier_take(page)
    expect(page.get_by_text(EMPTIED)).to_be_hidden()
    play(page, "I push the door.", DOOR)
    expect(page.locator("article.turn")).to_have_count(3)
    expect(page.locator("article.turn").nth(1).locator(".narration")).to_have_text(RAIN)
    expect(page.locator(".place")).to_contain_text("Main")


def test_a_take_that_cannot_be_chosen_now_costs_no_words(
    page: Page, watched: Watched, scripted_server: ScriptedServer
) -> None:
    tell_with_two_takes(page, scripted_server, Script(in_words(DOOR), gate=Gate(after=3)))
    deafen(page)
    view_the_earlier_take(page)
    words(page).fill("I push the door.")
    with elsewhere(page, watched, "I wait."):
        words(page).press("Enter")
        expect(page.locator(".message.error")).to_contain_text("A turn is being told")
        expect(page.locator(".message.error")).to_be_in_viewport()
        expect(words(page)).to_have_value("I push the door.")
        expect(page.locator("[data-viewing] .narration")).to_have_text(RAIN)
    assert len(scripted_server.chats) == 4


def test_an_edit_that_is_refused_stays_open_with_its_words(
    page: Page, watched: Watched, scripted_server: ScriptedServer
) -> None:
    gate = Gate(after=3)
    scripted_server.play(RAIN, Script(in_words(DOOR), gate=gate))
    begin(page)
    play(page, "I listen.", RAIN)
    deafen(page)
    last_turn(page).get_by_role("link", name=re.compile("edit narration")).click()
    edited = page.locator("article.turn textarea")
    edited.fill("The rain goes on.")
    with elsewhere(page, watched, "I wait."):
        page.locator("article.turn").get_by_role("button", name="Save").click()
        expect(page.locator("article.turn .wrong")).to_contain_text("A turn is being told")
        expect(edited).to_have_value("The rain goes on.")
        photograph(page, "edit-refused")
        gate.opened.set()
    page.locator("article.turn").get_by_role("link", name=re.compile("edit input")).last.click()
    expect(edited).to_have_value("The rain goes on.")  # another edit does not push this one away
    expect(edited).to_be_focused()
    forgive_refusals(watched)


def test_a_save_point_that_is_refused_keeps_its_words(page: Page, watched: Watched) -> None:
    begin(page)
    page.get_by_role("link", name="Save Point").last.click()
    name, note = page.get_by_label(re.compile("Name for turn")), page.get_by_label(re.compile("Note"))
    name.fill("n" * 201)
    note.fill("Before the bell")
    act(page, "Save this place")
    expect(page.locator(".panel .wrong")).to_contain_text("at most 200 characters")
    page.reload()  # nothing was stored
    expect(page.locator(".row-list li")).to_have_count(0)
    name.fill("n" * 201)
    note.fill("Before the bell")
    act(page, "Save this place")
    expect(page.locator(".panel .wrong")).to_be_visible()
    expect(note).to_have_value("Before the bell")
    name.fill("At the door")
    act(page, "Save this place")
    expect(page.locator(".row-list")).to_contain_text("At the door")
    expect(page.locator(".row-list")).to_contain_text("Before the bell")
    expect(note).to_have_value("")
    forgive_refusals(watched)


def test_a_turn_the_server_lost_is_told_in_rehearsal(page: Page, scripted_server: ScriptedServer) -> None:
    scripted_server.play(Script(in_words(RAIN), fault=Fault.CUT_MIDWAY, after=3))
    begin(page)
    submit(page, "I listen at the wall.")
    card = page.get_by_role("region", name="A turn that was not told to its end")
    buttons = card.get_by_role("button")
    expect(buttons).to_have_text(["Keep", "Retry", "Tell it in rehearsal", "Discard"])
    photograph(page, "recovery-four-buttons")
    card.get_by_role("button", name="Tell it in rehearsal").click()
    expect(page.locator("article.turn")).to_have_count(2)
    expect(last_turn(page)).to_contain_text("I listen at the wall.")
    expect(words(page)).to_have_value("")
    assert len(scripted_server.chats) == 1


def test_the_same_words_twice_are_not_taken_for_told(
    page: Page, watched: Watched, scripted_server: ScriptedServer, game: Game
) -> None:
    scripted_server.play(RAIN)
    begin(page)
    play(page, "I wait.", RAIN)
    game.end(signal.SIGKILL)
    expect(page.locator("[data-offline]")).to_be_visible()
    submit(page, "I wait.")
    expect(page.get_by_text(re.compile("could not be reached"))).to_be_visible()
    expect(words(page)).to_have_value("I wait.")
    watched.faults.clear()  # the browser reports the connections that were refused


def test_a_turn_whose_answer_was_cut_off_is_sent_again_under_its_id(
    page: Page, watched: Watched, scripted_server: ScriptedServer
) -> None:
    scripted_server.play(RAIN)
    begin(page)
    deafen(page)
    is_cut = False

    def cut_once(route: Route) -> None:
        nonlocal is_cut
        if is_cut:
            route.continue_()
        else:
            is_cut = True
            route.fetch()  # the game tells the turn, and its answer does not arrive
            route.abort()

    page.route(re.compile("/submit/"), cut_once)
    submit(page, "I wait.")
    expect(page.get_by_text(re.compile("could not be reached"))).to_be_visible()
    words(page).press("Enter")
    expect(last_turn(page).locator(".narration")).to_have_text(RAIN)
    expect(page.locator("article.turn")).to_have_count(2)
    expect(words(page)).to_have_value("")
    assert len(scripted_server.chats) == 1
    watched.faults.clear()
