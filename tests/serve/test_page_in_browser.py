"""The page in a real browser: Chromium, driven by Playwright; where one of them is missing, all of it is skipped."""

import asyncio
import re

import dspy
import pytest
from fitting import WINDOWS, assert_fits
from never_ending import never_ending
from simulated import simulated
from toys import FakeRetriever, Steps, echo
from web_service import web_service

from multihop import BM25, Direct, Little, OneStep, create, priced_by, scripted
from multihop.lms import AsyncEngine, Scripted, as_lm
from multihop.retrieval import Passage
from multihop.runtime import Citation

pytestmark = [pytest.mark.seconds, pytest.mark.extra("browser")]
HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
NIGHT = [Passage("1", f"Night {HOSTILE}", f"Night Train was directed by Jerzy Kowal. {HOSTILE}")]
CURIE = [
    Passage("https://curie.example/radium", "Radium", "Radium was discovered by Marie Curie."),
    Passage("2", "Pierre Curie", f"Pierre Curie was the husband of Marie Curie. {'He worked in Paris. ' * 60}"),
]
QUESTIONS, PASSAGES = list(Little().questions())[:3], list(Little().passages())


@pytest.fixture
def opened(browser):
    """Opens pages, and notes what their consoles say and whom they ask: nothing, and nobody but the server."""
    contexts, said, asked = [], [], []

    def open_page(web, path="/", *, window="desk", **options):
        width, height = WINDOWS[window]
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{web.url}{path}")
        open_page.home = web.url
        return page

    yield open_page
    assert [text for text in said if "401" not in text] == []
    assert [url for url in asked if not url.startswith(open_page.home)] == []
    for context in contexts:
        context.close()


def ask(page, question):
    page.fill("#question", question)
    page.press("#question", "Enter")


def answered(page, question):
    ask(page, question)
    page.wait_for_selector("article:not([aria-busy]) .answer")


def say(prompt):
    if "conversation" in prompt.inputs:
        return {"full_question": "who was Marie Curie's husband?"}
    return {"answer": "Pierre Curie" if "husband" in prompt.inputs["question"] else "Marie Curie"}


CITED = [
    Citation("https://curie.example/radium", "Radium", "Radium was discovered by Marie Curie.", 0, 37, 0.9),
    Citation("2", "Pierre Curie", "Pierre Curie was the husband of Marie Curie.", 0, 44, 0.8),
]


def test_an_answer_has_numbered_sources_with_the_answer_marked_and_its_cost(opened, monkeypatch):
    monkeypatch.setattr("multihop.runtime.answer_record.cite", lambda question, prediction: CITED)
    program = OneStep(BM25.build([*CURIE, *NIGHT]), k=3)
    with web_service({"one": (program, scripted(say))}) as web:
        page = opened(web)
        answered(page, "Who of the Curies discovered radium on a night train?")
        assert page.inner_text(".turn h2") == "Who of the Curies discovered radium on a night train?"
        assert page.inner_text(".turn .kind") == "one · scripted"
        assert page.inner_text(".answer").split() == ["Marie", "Curie", "1", "3"]
        assert page.locator("ol.sources > li").count() == 3
        assert page.locator("ol.sources mark").all_inner_texts() == ["Marie Curie", "Marie Curie"]
        assert page.locator("ol.sources .bears").all_inner_texts() == [each.sentence for each in CITED]
        assert page.get_attribute("ol.sources a", "href") == "https://curie.example/radium"
        page.get_by_role("button", name="source 3").click()
        assert page.locator("ol.sources > li.at").get_attribute("value") == "3"
        assert page.evaluate("document.activeElement.value") == 3
        page.get_by_role("button", name="whole text").click()
        assert page.inner_text("ol.sources > li >> nth=2").count("He worked in Paris.") == 60
        cost = re.sub(r"[\d.]+$", "S", page.inner_text(".turn .line"))
        assert cost.startswith("LM calls 1")
        assert [word in cost for word in ("retrievals 1", "tokens", "seconds")] == [True] * 3
        assert page.inner_text("details.search summary") == "The search: 1 retrieval, 2 steps"
        assert page.get_attribute("details.search", "open") is None
        assert page.inner_text("#state") == "Answered: Marie Curie"


def test_it_says_what_an_answer_costs_and_where_it_rests_on_nothing(opened, monkeypatch):
    monkeypatch.setattr("multihop.runtime.answer_record.cite", lambda question, prediction: [])
    engine = Scripted(lambda prompt: {"answer": "yes"})
    lms = [dspy.LM(f"own/{it}", engine=engine, async_engine=AsyncEngine(engine), cache=False) for it in "ab"]
    programs = {"one": (OneStep(BM25.build(CURIE)), lms[0]), "direct": (Direct(), lms[1])}
    with priced_by({"own/b": {"input": 1.0, "output": 10.0}}), web_service(programs) as web:
        page = opened(web)
        answered(page, "Is radium an element?")
        assert "No source bears the answer." in page.inner_text(".turn")
        assert "price not known" in page.inner_text(".turn .line")
        page.click("#choosing summary")
        page.check("input[value=direct]")
        answered(page, "Is it?")
        assert re.search(r"price \$0\.00\d+", page.inner_text("#turn .line"))
        assert "It rests on no passages." in page.inner_text("#turn")


def test_no_text_becomes_markup(opened):
    with web_service(
        {"one": (OneStep(BM25.build(NIGHT)), scripted(lambda prompt: {"answer": HOSTILE}))}, examples=[HOSTILE]
    ) as web:
        page = opened(web)
        assert page.inner_text("#example-list button") == HOSTILE
        answered(page, f"Who directed Night Train? {HOSTILE}")
        page.click("details.search summary")
        page.get_by_role("button", name="unfold all steps").click()
        assert page.inner_text(".turn h2") == f"Who directed Night Train? {HOSTILE}"
        assert page.inner_text(".answer").startswith(HOSTILE)
        assert page.inner_text("ol.sources .title") == NIGHT[0].title
        answered(page, HOSTILE)
        page.click("#earlier summary")
        assert page.query_selector_all("img, script:not(:last-of-type)") == []


class Gated(AsyncEngine):
    """Answers as its twin does, but so many calls only; the others wait until there may be more."""

    most = 0
    begun = 0

    async def complete(self, request):
        self.begun += 1
        place = self.begun
        while place > self.most:
            await asyncio.sleep(0.005)
        return self.engine.complete(request)


def test_steps_are_lines_while_the_question_is_answered_and_a_tree_when_it_is(opened):
    twin = Gated(simulated(QUESTIONS, PASSAGES, error_rate=0.0).engine)
    lm = as_lm(twin.engine, "gated", twin=twin)
    with web_service({"tor": (create("tor", BM25.build(PASSAGES)), lm)}) as web:
        page = opened(web)
        ask(page, QUESTIONS[0].question)
        page.wait_for_selector(".lines li")
        assert page.locator(".lines li").count() == 1
        for most in (2, 4):
            twin.most = most
            page.locator(f":nth-match(.lines li, {most + 1})").wait_for()
            assert page.get_attribute("article", "aria-busy") == "true"
            assert page.get_attribute("details.search", "open") == ""
        twin.most = 1_000
        page.wait_for_selector("article:not([aria-busy]) .answer")
        page.click("details.search summary")
        assert page.locator(".lines").count() == 0
        assert page.locator(".map .node.accept").count() >= 1
        assert page.locator(".tree mark").count() >= 1


def test_a_follow_up_is_read_as_the_question_that_it_means(opened):
    with web_service({"one": (OneStep(BM25.build(CURIE)), scripted(say))}) as web:
        page = opened(web)
        assert page.is_hidden("#going-on")
        answered(page, "Who discovered radium?")
        assert page.is_visible("#going-on")
        answered(page, "who was her husband?")
        assert page.inner_text(".turn h2") == "who was her husband?"
        assert page.inner_text(".turn .under") == "read as: who was Marie Curie's husband?"
        assert page.inner_text("#turn .answer").startswith("Pierre Curie")
        assert page.inner_text("#turn .line").startswith("LM calls 2")
        page.click("details.search >> nth=0")
        page.get_by_role("button", name="unfold all steps").click()
        assert "Who discovered radium? -> Marie Curie" in page.inner_text("#turn")
        assert page.inner_text("#earlier summary >> nth=0") == "Who discovered radium? Marie Curie"
        assert "q=who+was+Marie+Curie" in page.get_attribute("#turn .share a", "href")
        page.get_by_role("button", name="begin a new conversation").click()
        assert page.is_hidden("#earlier")
        answered(page, "who was her husband?")
        assert page.inner_text("#turn .line").startswith("LM calls 1")


def test_examples_and_programs_are_chosen_by_a_click_and_a_failure_is_one_sentence(opened):
    broken = OneStep(FakeRetriever(fail=OSError("secret"))), scripted(echo)
    programs = {"broken": broken, "steps": (Steps(rounds=1), scripted(echo))}
    with web_service(programs, examples=["a b", "c"]) as web:
        page = opened(web)
        assert page.locator("#example-list button").all_inner_texts() == ["a b", "c"]
        lines = page.locator("#programs .what").all_inner_texts()
        assert lines == [
            "broken The answer from the passages that the question itself retrieves.",
            "steps Guesses `rounds` times while the budget lasts, then reads what it guessed.",
        ]
        page.click("#example-list button")
        page.wait_for_selector(".failure")
        assert page.inner_text(".failure") == "the program failed; the server's log says where."
        assert page.inner_text("#state") == "It was not answered."
        assert page.is_hidden("#examples")
        page.click("#choosing summary")
        page.check("input[value=steps]")
        assert page.inner_text("#chosen") == "steps"
        answered(page, "a b")
        assert page.inner_text("#turn .answer .given") == "a b"


def test_the_keyboard_alone(opened):
    lm, engine = never_ending()
    with web_service({"one": (OneStep(FakeRetriever()), lm)}) as web:
        page = opened(web)
        page.wait_for_selector("#choosing:not([hidden])")
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "question"
        page.keyboard.type("Who/what?")
        page.keyboard.press("Shift+Enter")
        page.keyboard.type("And why?")
        page.keyboard.press("Enter")
        page.wait_for_selector(".lines li")
        assert page.inner_text(".turn h2") == "Who/what?\nAnd why?"
        page.keyboard.press("Escape")
        page.locator("#state", has_text="Stopped.").wait_for()
        while engine.under_way:
            page.wait_for_timeout(10)
        assert page.inner_text(".failure") == "stopped."
        assert page.is_visible("#ask")
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        for _ in range(3):
            page.keyboard.press("Tab")
            assert page.evaluate(outline) == "solid"


def test_a_link_fills_in_the_question_and_asks_nothing(opened):
    programs = {"one": (OneStep(BM25.build(CURIE)), scripted(say)), "steps": (Steps(rounds=1), scripted(echo))}
    with web_service(programs) as web:
        page = opened(web, "/#q=a%2Bb+%26+c%3F&program=steps")
        page.locator("#state", has_text="Press Enter to ask it.").wait_for()
        assert page.input_value("#question") == "a+b & c?"
        assert web.events() == []
        page.keyboard.press("Enter")
        page.wait_for_selector("article:not([aria-busy]) .answer")
        assert page.inner_text(".turn .kind").startswith("steps")
        assert page.inner_text(".answer .given") == "a+b & c?"
        assert page.get_attribute(".share a", "href") == "#q=a%2Bb+%26+c%3F&program=steps"
        page.click(".share a")
        page.locator(".share [role=status]", has_text=re.compile("copied|in the address")).wait_for()
        assert page.url == f"{web.url}/#q=a%2Bb+%26+c%3F&program=steps"
        assert len(web.events()) == 1


def test_a_key_is_asked_for_and_a_wrong_one_again(opened):
    with web_service({"one": (OneStep(BM25.build(CURIE)), scripted(say))}, keys=["key"], examples=["Who?"]) as web:
        page = opened(web)
        page.wait_for_selector("#key:focus")
        assert page.is_hidden("#examples")
        page.fill("#key", "wrong")
        page.press("#key", "Tab")
        ask(page, "Who?")
        page.locator(".failure", has_text="the key is missing or wrong").wait_for()
        assert page.evaluate("document.activeElement.id") == "question"  # nobody is taken from what they type
        page.fill("#key", "key")
        page.press("#key", "Tab")
        page.wait_for_selector("#key", state="hidden")
        assert page.locator("#programs label").count() == 1
        answered(page, "Who discovered radium?")


@pytest.mark.parametrize(("window", "scheme"), [("desk", "light"), ("phone", "dark")])
def test_the_page_fits(opened, window, scheme):
    programs = {
        "tor": (create("tor", BM25.build(PASSAGES)), simulated(QUESTIONS, PASSAGES, error_rate=0.1)),
        "one": (OneStep(BM25.build([*CURIE, *NIGHT])), scripted(say)),
    }
    with web_service(programs, examples=[question.question for question in QUESTIONS]) as web:
        page = opened(web, window=window, color_scheme=scheme)
        page.wait_for_selector("#example-list button")
        assert_fits(page)
        page.click("#example-list button")
        page.wait_for_selector("article:not([aria-busy]) .answer")
        page.click("details.search summary")
        assert_fits(page)
        page.click("#choosing summary")
        page.check("input[value=one]")
        answered(page, "Who discovered radium?")
        page.click("#earlier summary")
        assert_fits(page)
        ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert ground == {"light": "rgb(253, 252, 249)", "dark": "rgb(23, 24, 26)"}[scheme]
