"""The promises that README makes of itself; its blocks are run by tests/test_pages.py."""

import re
from pathlib import Path

from page_blocks import blocks

import multihop

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
BLOCKS = blocks(README)


def test_the_ten_lines_are_ten():
    code = next(block.text for block in BLOCKS if block.language == "python")
    assert len([line for line in code.splitlines() if line.strip()]) <= 10


def test_the_first_answer_is_right():
    shown = next(block.text for block in BLOCKS if block.language == "text")
    (asked,) = (each for each in multihop.Little().questions() if each.question in README.replace("\n", " "))
    assert f"answer='{asked.answer}'" in shown
    assert asked.question == "Which river flows through the city where Albert Einstein was born?"


def test_it_is_two_screens_with_a_picture_and_every_method():
    assert len(README.splitlines()) <= 90
    assert "](docs/pictures/tree.svg)" in README
    methods = README.partition("## Methods")[2].partition("## ")[0]
    missing = {name for name in multihop.PROGRAMS if f"`{name}`" not in methods}
    assert missing == set()


def test_the_methods_of_the_papers_stand_beside_their_classes():
    pairs = re.findall(r"\((`[^:()]+): ([^()]+`)\):", README)
    assert len(pairs) == 4
    for names, classes in pairs:
        known = [multihop.PROGRAMS[name.strip("` ")].__name__ for name in names.split(",")]
        assert known == [each.strip("` ") for each in classes.split(",")]


def test_its_figures_are_those_of_the_pages_that_explain_them():
    found = (ROOT / "docs" / "guide" / "start.md").read_text().replace("\n", " ")
    assert "94.2, 96.9 and 65.8 %" in found
    assert "75.5, 65.6 and 42.5 %" in found
    assert "| **94.2** | **96.9** | **65.8** |" in README
    assert "| 75.5 | 65.6 | 42.5 |" in README
