"""The page in a real browser: Chromium, driven by Playwright; where one of them is missing, all of it is skipped."""

import pytest
from written_runs import HOSTILE, row, write_run

from multihop.view import write_run_page

pytestmark = [pytest.mark.seconds, pytest.mark.extra("browser")]


@pytest.fixture(scope="module")
def folder(pages):
    """Pages: of one run, of two, of one with many questions."""
    many = [row(f"q{place}", [], right=place % 2 == 0) for place in range(2000)]
    write_run_page([write_run(pages / "many", many)], pages / "many.html")
    return pages


class Opened:
    """Opens a page, and notes what it says on the console and whom it asks."""

    def __init__(self, browser, folder):
        self.browser, self.folder, self.said, self.asked, self.contexts = browser, folder, [], [], []

    def __call__(self, name, address="", *, width=1440, **options):
        context = self.browser.new_context(viewport={"width": width, "height": 900}, **options)
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(f"{(self.folder / name).as_uri()}{address}")
        page.wait_for_function("document.querySelector('#grid .row')")  # the table is made once the page is painted
        return page


@pytest.fixture
def opened(browser, folder):
    """Whatever a test does: nothing on the console, nobody asked but the disk, and no text has run."""
    opened = Opened(browser, folder)
    yield opened
    assert opened.said == []
    assert [url for url in opened.asked if not url.startswith(folder.as_uri())] == []
    assert all("broken" not in page.title() for context in opened.contexts for page in context.pages)
    for context in opened.contexts:
        context.close()


def shown_ids(page):
    found = page.eval_on_selector_all("#grid .rows a", "all => all.map(a => a.getAttribute('href'))")
    return [address.removeprefix("#q=") for address in found]


def test_search_filter_and_sort(opened):
    page = opened("one.html")
    page.keyboard.press("/")
    page.keyboard.type("warsaw")
    assert shown_ids(page) == ["q2"]
    assert page.inner_text("#shown") == "1 of 5 questions"
    page.keyboard.press("Escape")
    of_outcome = {"wrong-found-0": "q2", "right-not-found-0": "q3", "budget-0": "q4", "error-0": "q10"}
    for outcome, only in of_outcome.items():
        page.select_option("#outcome", outcome)
        assert shown_ids(page) == [only]
    page.select_option("#outcome", "")
    assert len(shown_ids(page)) == 5
    page.get_by_role("button", name="sort by f1").click()
    assert shown_ids(page) == ["q1", "q3", "q2", "q4", "q10"]
    assert page.get_by_role("columnheader", name="sort by f1").get_attribute("aria-sort") == "descending"
    page.get_by_role("button", name="sort by f1").click()
    assert shown_ids(page) == ["q2", "q4", "q1", "q3", "q10"]


def test_the_keyboard_alone(opened):
    page = opened("one.html")
    page.focus("#grid")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.get_attribute("#grid", "aria-activedescendant") == "row-2"
    page.keyboard.press("Enter")
    page.wait_for_selector("#question h1:has-text('(q3)')")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#question h1:has-text('(q4)')")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("#question h1:has-text('(q3)')")
    page.keyboard.press("Escape")
    page.wait_for_selector("#overview:not([hidden])")
    assert page.evaluate("document.activeElement.id") == "grid"


def test_a_link_to_a_question_survives_a_reload(opened):
    page = opened("one.html", "#q=q10")
    page.wait_for_selector(".failure:has-text('TimeoutError')")
    assert HOSTILE in page.inner_text(".failure")
    page.reload()
    page.wait_for_selector(".failure:has-text('TimeoutError')")
    page = opened("one.html", "#q=nobody")
    assert page.inner_text("#shown") == "There is no question nobody."


def test_a_tree_of_reviews_is_drawn_folds_and_is_told_in_words(opened):
    page = opened("one.html", "#q=q1")
    page.wait_for_selector(".map svg")
    assert HOSTILE in page.inner_text("ol.passages")
    assert page.locator("ol.passages mark.is-gold").all_inner_texts() == ["Łódź"]
    assert page.locator("ol.passages .gold").count() == 2
    assert page.locator(".map .node").count() == 5
    assert page.locator(".map .node.accept").count() == 1
    assert page.locator(".map .ring").count() == 2
    assert "pruned: Day Train, nearly repeats another" in page.inner_text(".tree")
    page.get_by_role("button", name="unfold all", exact=True).click()
    assert HOSTILE in page.inner_text(".tree")
    assert page.inner_text(".tree mark.is-gold >> nth=0") == "Łódź"
    page.get_by_role("button", name="fold all", exact=True).click()
    assert page.locator(".map .node").count() == 3
    assert page.locator(".tree li").count() == 3
    page.get_by_role("button", name="unfold Night Train").click()
    assert page.locator(".tree li").count() == 5
    page.locator(".map .node.reject >> nth=0").click()
    assert page.locator(".tree li.at").count() == 1


def test_a_node_tells_all_of_itself_where_it_is_pointed_at_or_walked_to(opened):
    page = opened("one.html", "#q=q1")
    page.locator(".map .node.accept").hover()
    assert "He was born in Łódź." in page.inner_text(".mapped .hint")
    page.mouse.move(0, 0)
    assert not page.is_visible(".mapped .hint")
    page.locator(".map [tabindex='0']").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    assert HOSTILE in page.inner_text(".mapped .hint .label")
    assert page.locator(".map [tabindex='0']").count() == 1
    page.keyboard.press("Escape")
    assert not page.is_visible(".mapped .hint")
    page.keyboard.press("Enter")
    assert page.locator(".map .node.at").get_attribute("aria-label").startswith(HOSTILE)
    page.keyboard.press("ArrowUp")
    assert page.inner_text(".mapped .hint .label").startswith("Jerzy")


def test_a_slider_grows_the_tree_iteration_by_iteration(opened):
    page = opened("one.html", "#q=q2")
    page.wait_for_selector("input[type=range]")
    assert page.locator(".map .node").count() == 4
    assert "N 3 · Q 2" in page.inner_text(".tree")
    page.fill("input[type=range]", "1")
    assert page.locator(".map .node").count() == 3
    assert "N 2 · Q 1" in page.inner_text(".tree")
    page.fill("input[type=range]", "0")
    assert page.locator(".map .node").count() == 1


def test_memories_hops_and_every_step(opened):
    page = opened("one.html", "#q=q3")
    page.wait_for_selector(".round")
    into = page.locator(".memory-name").all_inner_texts()
    assert into == ["into global evidence", "into global evidence", "into local pathway"]
    page.get_by_role("button", name="unfold all steps").click()
    assert page.locator("details.step:not([open])").count() == 0
    assert "It is by Jerzy." in page.inner_text("details.step >> nth=1")
    page.get_by_role("button", name="fold all steps", exact=True).click()
    assert page.locator("details.step[open]").count() == 0
    page = opened("one.html", "#q=q4")
    page.wait_for_selector(".labels")
    assert " ".join(page.locator(".labels tr").first.inner_text().split()) == "0.90 continue Night Train (gold) Jerzy"
    assert "next, after Night Train" in page.inner_text(".round >> nth=0")
    assert HOSTILE in page.inner_text(".round >> nth=1")


def test_a_click_in_the_strip_opens_the_question_that_is_there(opened):
    page = opened("one.html")
    bar = page.locator("[data-strip]")
    assert page.locator(".outcomes .legend").inner_text().split() == "right 2 wrong 2 failed 1".split()
    bar.click(position={"x": bar.bounding_box()["width"] - 5, "y": 10})
    page.wait_for_selector("#question .failure")
    page.keyboard.press("Escape")
    bar.focus()
    for key in ("Home", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert bar.get_attribute("aria-valuetext") == "wrong: Where was the director of Night Train born? (q2)"
    assert "Warsaw" in bar.inner_text()
    page.keyboard.press("Enter")
    page.wait_for_selector("#question h1:has-text('(q2)')")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="failed").click()
    assert shown_ids(page) == ["q10"]


def test_two_runs_side_by_side(opened):
    page = opened("two.html")
    page.get_by_role("button", name="became wrong").click()
    assert shown_ids(page) == ["q1"]
    page.locator("#grid .rows a").click()
    page.wait_for_selector(".sides.two")
    assert page.locator(".side > h2").count() == 2
    page.goto(f"{(opened.folder / 'two.html').as_uri()}#q=q10")
    page.wait_for_selector("text=This run was not asked this question.")


def test_of_many_questions_only_those_in_sight_are_there(opened):
    page = opened("many.html")
    assert page.locator("#grid .rows .row").count() < 60
    assert page.inner_text("#shown") == "2,000 questions"
    page.focus("#grid")
    page.keyboard.press("End")
    page.wait_for_selector("#row-1999:has-text('(q1999)')")
    page.keyboard.press("Enter")
    page.wait_for_selector("#question h1:has-text('(q1999)')")
