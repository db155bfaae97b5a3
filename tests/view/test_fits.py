"""Every page fits: at a desk and on a phone, by day and in the dark, nothing is cut, hidden, too wide or too pale."""

import json

import pytest
from fitting import SCHEMES, WINDOWS, assert_fits
from written_runs import MCTS, row, rows, searched, write_run
from written_study import TABLE

from multihop import Passage
from multihop.view import write_run_page, write_study_page

pytestmark = pytest.mark.extra("browser")
CORPUS = [Passage("p1", "Night Train", "A film by Jerzy."), Passage("p2", "Jerzy", "Born in Łódź, Poland.")]
LONG = "Who directed the film that was shot in the town in which the second owner of the Night Train was born, and when"


def long_search():
    """A tree whose labels are too long for the map, alike at their beginning, and some the same."""
    below = [searched(f"{LONG} in {year}?", year - 1900, 0.5) for year in range(1950, 1958)]
    same = [searched(f"{LONG}?", 60 + place, 0.5, below if place == 1 else ()) for place in range(3)]
    return [{"step": "search", "tree": {**MCTS, "children": [*MCTS["children"], *same]}}]


def study(folder):
    """A study of two rows that were run."""
    cell = {**TABLE["rows"][0]["cells"][0], "asked": 5}
    made = [
        {**TABLE["rows"][0], "row": name, "folder": name, "calls": calls, "cells": [{**cell, "ours": ours}]}
        for name, calls, ours in (("Ours", 2.0, 30.0), ("A method with a long name", 16.0, 40.0))
    ]
    folder.mkdir()
    (folder / "table.json").write_text(json.dumps({**TABLE, "rows": made}))
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    one = write_run(folder / "one", [*rows(), row("q5", long_search(), right=False)])
    other = write_run(folder / "other", [*rows()[1:3], row("q1", [], right=False)], settings={"depth": 3})
    third = write_run(folder / "third", rows(), program="a-program-with-a-long-name")
    write_run_page([one], folder / "one.html", corpus=lambda: CORPUS)
    write_run_page([one, other], folder / "two.html")
    write_run_page([one, other, third], folder / "three.html")
    write_study_page(study(folder / "study"), folder / "study.html")
    return folder


PAGES = [
    ("one.html", ""),
    *(("one.html", f"#q=q{place}") for place in (1, 2, 3, 4, 5, 10)),
    ("two.html", ""),
    ("two.html", "#q=q1"),
    ("three.html", ""),
    ("study.html", ""),
]


@pytest.mark.seconds
@pytest.mark.parametrize(("window", "scheme"), list(zip(WINDOWS, SCHEMES, strict=True)))
@pytest.mark.parametrize(("name", "address"), PAGES)
def test_a_page_fits(browser, folder, name, address, window, scheme):
    width, height = WINDOWS[window]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{(folder / name).as_uri()}{address}")
    page.wait_for_selector("#question h1" if address else ".study" if name == "study.html" else "#row-0")
    assert_fits(page)
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert_fits(page)
    context.close()
