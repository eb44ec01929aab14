"""The real game in a process, and headless Chromium in front of it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, sync_playwright

from tests.inference_servers.scripted import MODEL, ScriptedServer
from tests.storyteller.game import Game

ARTIFACTS = Path(__file__).parents[2] / "artifacts"
# Without these Chromium calls home at its start, which no test may depend on.
ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = os.environ.get("STORYTELLER_TEST_CHROMIUM") or shutil.which("chromium")
    if program is None:
        pytest.skip("Chromium is not installed (on Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def game(tmp_path: Path, scripted_server: ScriptedServer) -> Iterator[Game]:
    """A game on a fresh folder, told by a scripted model server."""
    told_by = {
        "STORYTELLER_INFERENCE_API": "ollama",
        "STORYTELLER_INFERENCE_URL": scripted_server.url,
        "STORYTELLER_MODEL": MODEL,
    }
    with Game(tmp_path, **told_by) as running:
        yield running


class Watched:
    """What a page must never do: complain, or ask anybody but the game for anything."""

    def __init__(self, context: BrowserContext, game: Game) -> None:
        self.context, self.home = context, f"http://{game.host}"
        self.faults: list[str] = []
        context.on("page", self._watch)
        context.on("request", self._check_request)

    def _watch(self, page: Page) -> None:
        page.on("console", self._check_line)
        page.on("pageerror", lambda error: self.faults.append(str(error)))

    def _check_line(self, line: ConsoleMessage) -> None:
        if line.type in ("error", "warning"):
            self.faults.append(line.text)

    def _check_request(self, request: Request) -> None:
        if not request.url.startswith((self.home, "data:", "blob:")):
            self.faults.append(f"asked another origin: {request.url}")


@pytest.fixture
def watched(browser: Browser, game: Game) -> Iterator[Watched]:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light")
    context.set_default_timeout(10_000)
    watched = Watched(context, game)
    yield watched
    context.close()
    assert watched.faults == []


@pytest.fixture
def page(watched: Watched, game: Game) -> Page:
    """A page at the list of campaigns, signed in by the link that the game printed."""
    page = watched.context.new_page()
    page.goto(watched.home + game.link)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(watched.home + "/")
    return page


def photograph(page: Page, name: str) -> None:
    """Keep a screenshot for whoever looks at the run."""
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / f"{name}.png")
