"""The tables of docs/guide/choose.md are those of the measured rows; tests/test_pages.py runs the page's blocks."""

from pathlib import Path

import pytest
from scripts import load_script
from some_rows import some_row

from multihop.experiments.choosing.measured import measured_rows

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def maker():
    return load_script(DOCS / "make_choose.py")


def test_the_page_has_the_tables_of_the_rows(maker):
    text = (DOCS / "guide" / "choose.md").read_text()
    assert maker.page(text, measured_rows()) == text, "python docs/make_choose.py writes them"


def test_a_line_for_each_budget_that_changes_something(maker):
    rows = [
        some_row("one-step", 40.0, tokens=1000),
        some_row("resp", 50.0, tokens=5000, calls=5.0),
        some_row("ircot", 30.0, set="musique", calls=2.6),
    ]
    assert maker.tables(rows).splitlines() == [
        "### `tiny-1.5b`, 1.5 B",
        "",
        "| calls a question, at most | HotpotQA | MuSiQue |",
        "| --- | --- | --- |",
        "| 1 | one-step over bm25: 40.0±4.0, 1.0 calls, n=100 | – |",
        "| 3 | one-step over bm25: 40.0±4.0, 1.0 calls, n=100 | ircot over bm25: 30.0±4.0, 2.6 calls, n=100 |",
        "| 10 | resp over bm25: 50.0±4.0, 5.0 calls, n=100 | ircot over bm25: 30.0±4.0, 2.6 calls, n=100 |",
        "",
        "Nothing is measured yet with: built-in LM; LM of 3 to 14 B; larger or hosted LM.",
    ]
