from html.parser import HTMLParser

import pytest
from written_runs import HOSTILE, row, rows, write_run

from multihop import Passage
from multihop.view import write_run_page

CORPUS = [Passage("p1", "Night Train", f"By Jerzy. {HOSTILE}"), Passage("p2", "Jerzy", "Born in Łódź, Poland.")]


@pytest.fixture
def a_run(tmp_path):
    """Writes runs into folders of this test."""

    def write(name, rows, **header):
        return write_run(tmp_path / name, rows, **header)

    return write


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """A folder with pages: of one run with its corpus, of two runs, of three."""
    folder = tmp_path_factory.mktemp("pages")
    one = write_run(folder / "one", rows())
    other = write_run(folder / "other", [*rows()[1:3], row("q1", [], right=False)], settings={"depth": 3})
    third = write_run(folder / "third", rows(), program="resp")
    write_run_page([one], folder / "one.html", corpus=lambda: CORPUS)
    write_run_page([one, other], folder / "two.html")
    write_run_page([one, other, third], folder / "three.html")
    return folder


class Elements(HTMLParser):
    """The elements of a page with their attributes, its texts, and what its scripts and styles hold."""

    def __init__(self, page):
        super().__init__()
        self.open, self.elements, self.texts, self.held = [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.open:  # others need no end
            while self.open.pop() != tag:
                pass

    def handle_data(self, data):
        self.texts.append(data)
        if self.open and self.open[-1] in ("script", "style"):
            self.held.append((*self.elements[-1], data))


@pytest.fixture
def elements():
    return Elements
