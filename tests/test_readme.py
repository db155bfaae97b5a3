"""The promises that README makes of itself; its blocks are run by tests/test_pages.py."""

from pathlib import Path

from page_blocks import blocks

import multihop

README = (Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = blocks(README)


def test_the_ten_lines_are_ten():
    code = next(block.text for block in BLOCKS if block.language == "python")
    assert len([line for line in code.splitlines() if line.strip()]) <= 10


def test_the_first_answer_is_right():
    shown = next(block.text for block in BLOCKS if block.language == "text")
    assert "gold:\nVilenesian\n" in shown
    assert "answer='Vilenesian'" in shown


def test_it_is_one_screen_with_a_picture_and_every_method():
    assert len(README.splitlines()) <= 85
    assert "](docs/pictures/tor.png)" in README
    table = README.partition("## Methods")[2].partition("## ")[0]
    missing = {name for name in multihop.PROGRAMS if f"`{name}`" not in table}
    assert missing == set()


def test_the_methods_of_the_papers_stand_beside_their_classes():
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in README.splitlines() if line.startswith("| ")]
    beside = {row[1]: row[2] for row in rows if len(row) == 4}
    for names, classes in beside.items():
        if names.startswith("`") and not classes.startswith(("`PROGRAMS", "the same")):
            known = [multihop.PROGRAMS[name.strip("` ")].__name__ for name in names.split(",")]
            assert known == [each.strip("` ") for each in classes.split(",")]
    assert beside["`resp`"] == "`RetrieveSummarizePlan`"
