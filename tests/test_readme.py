"""What README promises of itself; its blocks are run by tests/test_pages.py."""

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
