"""Every kind of page fits, and has the form that tests/golden/page-*.txt shows: what stands where, and no words.

At a desk by day and on a phone in the dark, nothing is cut, hidden, too wide or too pale. `pytest --fill-pictures`
writes the forms anew.
"""

import json
from contextlib import closing
from pathlib import Path

import pytest
from fitting import VIEWS, WINDOWS, assert_fits
from golden import check_picture
from web_service import web_service
from written_runs import MCTS, row, searched, write_run
from written_study import TABLE

from multihop import BM25, OneStep, Passage, scripted
from multihop.view import write_run_page, write_study_page

pytestmark = [pytest.mark.seconds, pytest.mark.extra("browser")]
FORM = Path(__file__).with_name("form.js").read_text(encoding="utf-8")
KINDS = {
    "run": ("one.html", "", "#row-0"),
    "reviews": ("one.html", "#q=q1", "#question .map svg"),
    "sub-questions": ("one.html", "#q=q2", "#question .map svg"),
    "rounds": ("one.html", "#q=q3", "#question .round"),
    "labels": ("one.html", "#q=q4", "#question .labels"),
    "error": ("one.html", "#q=q10", "#question .failure"),
    "comparison": ("two.html", "", "#row-0"),
    "side-by-side": ("two.html", "#q=q1", "#question .map svg"),
    "several": ("three.html", "", "#row-0"),
    "study": ("study.html", "", "h1"),
}
"""Each kind with its page, the address in it, and what is there once it is drawn."""
LONG = "Who directed the film that was shot in the town in which the second owner of the Night Train was born, and when"


def long_search():
    """A tree whose labels are too long for the map, alike at their beginning, and some the same."""
    below = [searched(f"{LONG} in {year}?", year - 1900, 0.5) for year in range(1950, 1958)]
    same = [searched(f"{LONG}?", 60 + place, 0.5, below if place == 1 else ()) for place in range(3)]
    return [{"step": "search", "tree": {**MCTS, "children": [*MCTS["children"], *same]}}]


def study_row(name, f1, calls):
    """A method's row of a study's table."""
    cell = {"measure": "F1", "metric": "f1", "published": f1 + 10, "published_lm": None, "difference": -10.0}
    cell |= {"ours": f1, "low": f1 - 9, "high": f1 + 8, "n": 40, "asked": 40}
    told = {"note": "a slice" if calls > 9 else "", "paid_calls": 40, "calls": calls, "tokens": 600 * calls}
    return {**TABLE["rows"][0], "row": name, "folder": name, "n": 40, **told, "cells": [cell]}


STUDY = {**TABLE, "title": "Methods over HotpotQA", "caveats": ["40 questions, not 500"]}
STUDY["rows"] = [study_row("one-step", 30.0, 1.0), study_row("ranked-rag", 51.5, 1.0), study_row("tor", 52.0, 20.4)]


@pytest.fixture(scope="module")
def folder(pages):
    long = write_run(pages / "long", [row("q5", long_search())], program="a-long-name")
    write_run_page([long], pages / "long.html")
    (pages / "study").mkdir()
    (pages / "study" / "table.json").write_text(json.dumps(STUDY))
    write_study_page(pages / "study", pages / "study.html")
    return pages


@pytest.fixture
def page(browser):
    width, height = WINDOWS["desk"]
    with closing(browser.new_page(viewport={"width": width, "height": height})) as page:
        yield page


@pytest.mark.parametrize("kind", KINDS)
def test_its_form_is_as_it_was(page, folder, kind):
    name, address, drawn = KINDS[kind]
    page.goto(f"{(folder / name).as_uri()}{address}")
    page.wait_for_selector(drawn)
    check_picture(f"page-{kind}", page.evaluate(FORM))


@pytest.mark.parametrize(("window", "scheme"), VIEWS)
@pytest.mark.parametrize("kind", [*KINDS, "long"])
def test_a_page_fits(browser, folder, kind, window, scheme):
    name, address, drawn = KINDS.get(kind, ("long.html", "#q=q5", "#question .map svg"))
    width, height = WINDOWS[window]
    with closing(browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)) as page:
        page.goto(f"{(folder / name).as_uri()}{address}")
        page.wait_for_selector(drawn)
        assert_fits(page)
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        assert_fits(page)


def test_the_served_page_has_its_form_before_and_after(page):
    retriever = BM25.build([Passage("p1", "Night Train", "By Jerzy.")])
    programs = {"one": (OneStep(retriever), scripted(lambda prompt: {"answer": "Łódź"}))}
    with web_service(programs, examples=["Where was the director of Night Train born?"]) as web:
        page.goto(f"{web.url}/")
        page.wait_for_selector("#example-list button")
        check_picture("page-served", page.evaluate(FORM))
        page.click("#example-list button")
        page.wait_for_selector("article:not([aria-busy]) .answer")
        check_picture("page-answered", page.evaluate(FORM))
