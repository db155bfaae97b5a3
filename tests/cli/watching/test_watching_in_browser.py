"""The page of a run that goes on in a real browser: Chromium, driven by Playwright; without them it is skipped."""

import importlib.util
import shutil
import threading

import pytest
from written_runs import ABOUT, HOSTILE, IDENTITY, failed, row

from multihop.cli.watching.watching_page import LivePageServer
from multihop.evaluation.journal.journal import Journal
from multihop.view.live.live_runs import LiveRuns

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None or importlib.util.find_spec("playwright") is None,
    reason="the page is not opened in a browser: that needs Chromium on the PATH and `pip install playwright`",
)


@pytest.fixture
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def journal(tmp_path):
    with Journal(tmp_path / "run", IDENTITY, ABOUT) as journal:
        yield journal


@pytest.fixture
def server(journal):
    with LivePageServer(LiveRuns(journal.folder), 0) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("width", [390, 1440])
def test_the_page_keeps_itself_up_to_date_and_says_when_it_cannot(chromium, journal, server, width):
    page = chromium.new_page(viewport={"width": width, "height": 900})
    said, asked = [], set()
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.add(request.url))
    page.goto(server.address)
    assert page.inner_text("[role=status]") == "0 of 5 questions: running"
    journal.append([row("q1", []), row("q2", [], right=False, answer=HOSTILE), failed("q3")])
    page.get_by_text("3 of 5 questions").wait_for()
    assert page.title() == "60 % · tor – multihop"
    assert page.get_by_role("row", name="em 50.0").count() == 1
    assert HOSTILE in page.inner_text("main")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert asked == {f"{server.address}/", f"{server.address}/state.json"}
    (journal.folder / "run.json").unlink()
    page.get_by_text("no longer kept up to date").wait_for()
    assert said == []
