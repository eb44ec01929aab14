"""What must not move under the reader's hand or get lost on the way: the pager, the story's place, the focus,
the buttons of a card, and words that were half-written."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Watched, photograph
from tests.browser.test_first_ten_minutes import BELL, RAIN, act, begin, last_turn, play, submit, words
from tests.inference_servers.scripted import MODEL, Fault, Gate, Script, ScriptedServer, in_words

pytestmark = [pytest.mark.browser, pytest.mark.process]

LONG = "\n\n".join(f"{RAIN} {BELL} It is the hour {hour}, and nobody comes." for hour in range(9))
WIDE, PHONE = (1440, 900), (390, 844)


def shown_at(page: Page, size: tuple[int, int]) -> str:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    return "phone" if size == PHONE else "wide"


def top(place: Locator) -> float:
    box = place.bounding_box()
    assert box
    return box["y"]


def settled(place: Locator) -> float:
    """Where it stands when the page has taken in all that came with the last turn."""
    seen: list[float] = []
    while len(seen) < 4 or len(set(seen[-4:])) > 1:
        place.page.wait_for_timeout(100)
        seen.append(top(place))
    return seen[-1]


def is_free(place: Locator) -> bool:
    """Whether nothing lies over the middle of it, so that it can be read and clicked."""
    return bool(
        place.evaluate(
            "e => { const r = e.getBoundingClientRect();"
            " return e.contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)); }"
        )
    )


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.id || document.activeElement.tagName"))


@pytest.mark.parametrize(
    ("size", "takes"), [(WIDE, (LONG, RAIN)), (PHONE, (RAIN, BELL)), (PHONE, (RAIN, LONG))]
)
def test_the_pager_stays_under_the_pointer(
    page: Page, scripted_server: ScriptedServer, size: tuple[int, int], takes: tuple[str, str]
) -> None:
    scripted_server.play(LONG, *takes)
    device = shown_at(page, size)
    begin(page)
    submit(page, "I look.")
    expect(page.locator("article.turn")).to_have_count(2)
    submit(page, "I listen.")
    expect(page.locator("article.turn")).to_have_count(3)
    last_turn(page).get_by_role("button", name="retry").click()
    expect(last_turn(page)).to_contain_text("2/2")
    earlier = last_turn(page).get_by_role("link", name="Earlier take")
    earlier.scroll_into_view_if_needed()
    before = settled(last_turn(page).locator(".pager"))
    box = earlier.bounding_box()
    assert box
    page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(last_turn(page)).to_contain_text("1/2")
    assert abs(top(last_turn(page).locator(".pager")) - before) <= 1
    if device == "wide":  # on a phone the bar comes out from behind the composer
        assert abs(settled(last_turn(page).locator(".pager")) - before) <= 1
    page.wait_for_timeout(900)
    bar = page.get_by_role("group", name="Another take")
    assert is_free(bar.get_by_role("button"))
    assert is_free(last_turn(page).locator(".pager"))
    photograph(page, f"pager-{device}")
    expect(last_turn(page)).to_contain_text("1/2")
    assert len(scripted_server.chats) == 3


def test_tab_through_the_head_leaves_the_story_where_it_is(
    page: Page, scripted_server: ScriptedServer
) -> None:
    scripted_server.play(LONG)
    begin(page)
    submit(page, "I look.")
    expect(page.locator("article.turn")).to_have_count(2)
    page.evaluate("scrollTo(0, 200)")
    for place in (".place a", ".narrator summary", "[data-key='undo']", "#words", ".send"):
        page.locator(place).evaluate("e => e.focus()")
        assert page.evaluate("scrollY") == 200, place
    page.locator("article.turn").last.get_by_role("link", name=re.compile("edit narration")).focus()
    assert is_free(page.locator(":focus"))  # a turn's own tools come out from behind the composer


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_discard_stands_apart_and_leaves_the_words(
    page: Page, scripted_server: ScriptedServer, size: tuple[int, int]
) -> None:
    cut = Script(in_words(RAIN), fault=Fault.CUT_MIDWAY, after=3)
    scripted_server.play(cut)
    device = shown_at(page, size)
    begin(page)
    submit(page, "I listen at the wall.")
    card = page.get_by_role("region", name="A turn that was not told to its end")
    retry, discard = (card.get_by_role("button", name=name).bounding_box() for name in ("Retry", "Discard"))
    edge = card.bounding_box()
    assert retry
    assert discard
    assert edge
    assert edge["x"] + edge["width"] - discard["x"] - discard["width"] < 24
    assert retry["x"] + retry["width"] < discard["x"]
    photograph(page, f"discard-{device}")
    card.get_by_role("button", name="Discard").click()
    expect(card).to_have_count(0)
    expect(words(page)).to_have_value("I listen at the wall.")
    page.reload()
    expect(words(page)).to_have_value("I listen at the wall.")


def test_a_half_written_edit_outlives_its_editor(page: Page, scripted_server: ScriptedServer) -> None:
    scripted_server.play(RAIN)
    begin(page)
    play(page, "I listen.", RAIN)
    edited = page.locator("article.turn textarea")
    narration = last_turn(page).get_by_role("link", name=re.compile("edit narration"))
    narration.click()
    edited.fill("The rain goes on")
    last_turn(page).get_by_role("link", name=re.compile("edit input")).click()
    expect(edited).to_have_value("I listen.")
    edited.fill("I listen again")
    narration.click()
    expect(edited).to_have_value("The rain goes on")
    page.reload()
    narration.click()
    expect(edited).to_have_value("The rain goes on")
    last_turn(page).get_by_role("button", name="Save").click()
    expect(last_turn(page).locator(".narration")).to_have_text("The rain goes on")
    assert focused(page) != "BODY"
    last_turn(page).get_by_role("link", name=re.compile("edit input")).click()
    expect(edited).to_have_value("I listen again")
    last_turn(page).get_by_role("link", name="Cancel").click()
    last_turn(page).get_by_role("link", name=re.compile("edit input")).click()
    expect(edited).to_have_value("I listen.")
    kept = page.evaluate("Object.keys(localStorage).filter(key => key.includes('.edit.'))")
    assert kept == []


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_the_narrator_says_what_it_is_and_closes(page: Page, size: tuple[int, int]) -> None:
    device = shown_at(page, size)
    begin(page)
    pill, note = page.locator(".narrator summary"), page.locator(".narrator .note")
    pill.click()
    expect(note).to_contain_text(MODEL)
    expect(note.get_by_role("link", name="Settings")).to_be_visible()
    photograph(page, f"narrator-{device}")
    page.keyboard.press("Escape")
    expect(note).to_be_hidden()
    expect(pill).to_be_focused()
    pill.click()
    page.locator(".narration p").nth(1).click()
    expect(note).to_be_hidden()


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_a_story_begins_with_its_title(page: Page, size: tuple[int, int]) -> None:
    device = shown_at(page, size)
    begin(page)
    expect(page.locator(".opening-title")).to_be_in_viewport()
    assert page.evaluate("scrollY") == 0
    photograph(page, f"first-sight-{device}")


def test_the_focus_is_never_nowhere(page: Page, watched: Watched, scripted_server: ScriptedServer) -> None:
    scripted_server.play(BELL, Script(in_words(RAIN), gate=Gate(after=3)))
    begin(page)
    words(page).fill("I count.")
    page.get_by_role("button", name="Send").click()
    expect(last_turn(page).locator(".narration")).to_have_text(BELL)
    expect(words(page)).to_be_focused()
    submit(page, "I listen.")
    expect(page.locator("[data-region='stream']")).to_contain_text("The rain stops.")
    words(page).fill("And then")
    words(page).press("Enter")
    expect(page.locator("[data-waits]")).to_have_text("A turn is being told; your words wait here.")
    act(page, "Stop")
    expect(last_turn(page)).to_contain_text("stopped here")
    expect(words(page)).to_be_focused()
    expect(page.locator("[data-waits]")).to_be_hidden()
    expect(words(page)).to_have_value("And then")
    act(page, "Undo")
    expect(page.locator("article.turn")).to_have_count(2)
    act(page, "Undo")
    expect(page.locator("article.turn")).to_have_count(1)
    expect(words(page)).to_be_focused()
    page.get_by_role("link", name="Save Points").click()
    expect(page.get_by_label(re.compile("Name for turn"))).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("complementary")).to_be_hidden()


def test_the_composer_keeps_its_height_on_a_phone(page: Page, scripted_server: ScriptedServer) -> None:
    scripted_server.play(Script(in_words(RAIN), gate=Gate(after=3)))
    shown_at(page, PHONE)
    begin(page)
    row = page.locator(".composer .row")
    height = row.evaluate("e => e.offsetHeight")
    submit(page, "I listen.")
    expect(page.locator("[data-region='stream']")).to_contain_text("The rain stops.")
    assert row.evaluate("e => e.offsetHeight") <= height
    photograph(page, "telling-phone")
