"""The page in a real browser: Chromium, driven by Playwright; where one of them is missing, all of it is skipped."""

import importlib.util
import shutil

import pytest
from never_ending import never_ending
from toys import FakeRetriever, Steps
from web_service import web_service

from multihop import OneStep, create, lexical, scripted
from multihop.retrieval import BM25, Passage

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.seconds,
    pytest.mark.skipif(
        CHROMIUM is None or importlib.util.find_spec("playwright") is None,
        reason="the page is not opened in a browser: that needs Chromium on the PATH and `pip install playwright`",
    ),
]
HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
CORPUS = [Passage("1", f"Night {HOSTILE}", f"Night Train was directed by Jerzy Kowal. {HOSTILE}")]


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium):
    """A page, and what its console says."""
    context = chromium.new_context()
    page = context.new_page()
    page.said = []
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.on("dialog", lambda dialog: page.said.append(dialog.message))
    yield page
    context.close()


def test_a_question_is_answered_step_by_step_and_no_text_becomes_markup(page):
    program = OneStep(BM25.build(CORPUS))
    with web_service({"one": (program, scripted(lambda prompt: {"answer": HOSTILE}))}) as web:
        page.goto(f"{web.url}/")
        page.fill("#question", f"Who directed Night Train? {HOSTILE}")
        page.click("#ask")
        page.wait_for_selector("#passages li")
        assert page.inner_text("#answer") == HOSTILE
        assert [each.inner_text() for each in page.query_selector_all("#steps summary b")] == ["find", "answer"]
        assert page.inner_text("#passages summary") == CORPUS[0].title
        assert page.inner_text("#state").startswith("1 LM call · 1 retrieval · ")
        assert page.query_selector_all("img, script:not(:last-of-type)") == []
    assert page.said == []


def test_the_branches_of_a_search_grow_as_a_tree(page):
    world = [Passage(str(place), f"T{place}", f"Night train {place} by Kowal.") for place in range(6)]
    with web_service({"tor": (create("tor", BM25.build(world), depth=2, widths=(2, 2)), lexical())}) as web:
        page.goto(f"{web.url}/")
        page.fill("#question", "Who directed Night Train?")
        page.click("#ask")
        page.wait_for_selector("#passages-title:not([hidden]), #answer:not(:empty)")
        branches = page.query_selector_all("#steps > li > .branch")
        assert [each.inner_text() for each in branches][:2] == ["branch 1", "branch 2"]
        assert page.query_selector_all("#steps > li > ol.steps > li > details")
    assert page.said == []


def test_stop_cancels_the_calls_and_a_key_is_asked_for(page):
    lm, engine = never_ending()
    with web_service({"one": (OneStep(FakeRetriever()), lm), "steps": (Steps(), lm)}, keys=["key"]) as web:
        page.goto(f"{web.url}/")
        page.wait_for_selector("#key:not([hidden])")
        page.fill("#key", "key")
        page.press("#key", "Tab")
        page.wait_for_selector("#program option:nth-of-type(2)", state="attached")
        page.fill("#question", "Who?")
        page.click("#ask")
        page.wait_for_selector("#steps details")
        page.click("#stop")
        page.locator("#state", has_text="stopped.").wait_for()
        while engine.under_way:
            page.wait_for_timeout(10)
        assert page.is_enabled("#ask")
    assert [text for text in page.said if "401" not in text] == []
