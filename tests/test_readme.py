"""The promises that README makes of itself; its blocks are run by tests/test_pages.py."""

import re
from pathlib import Path

import ujson
from page_blocks import blocks
from scripts import load_script

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
    methods = README.partition("## Read a method")[2].partition("## ")[0]
    missing = {name for name in multihop.PROGRAMS if f"`{name}`" not in methods}
    assert missing == set()


def test_the_methods_of_the_papers_stand_beside_their_classes():
    pairs = re.findall(r"\((`[^:()]+): ([^()]+`)\):", README)
    assert len(pairs) == 4
    for names, classes in pairs:
        known = [multihop.PROGRAMS[name.strip("` ")].__name__ for name in names.split(",")]
        assert known == [each.strip("` ") for each in classes.split(",")]


def test_its_figures_and_pictures_are_those_of_the_board_and_of_the_project():
    def shown(row, metric):
        sets = ujson.loads((ROOT / "docs" / "board" / f"{row}.json").read_text())["sets"]
        return [sets[name][metric]["mean"] for name in ("hotpotqa", "2wikimultihopqa", "musique")]

    for row, metric, mark in (("bm25", "recall@5", ""), ("ranked-rag", "recall@5", "**"), ("ranked-rag", "f1", "")):
        assert "| " + " | ".join(f"{mark}{each}{mark}" for each in shown(row, metric)) + " |" in README
    parameters = ujson.loads((ROOT / "docs" / "board" / "ranked-rag.json").read_text())["parameters"]
    assert f"{parameters} million parameters" in README
    for name in ("recall", "badges"):
        maker = load_script(ROOT / "docs" / f"make_{name}.py")
        told = maker.rows() if name == "recall" else maker.badges()
        assert maker.drawn(told) == maker.TO.read_text(), f"python docs/make_{name}.py writes it"


def test_the_tree_is_small_and_stands_still_where_motion_is_unwanted():
    tree = ROOT / "docs" / "pictures" / "tree.svg"
    assert tree.stat().st_size < 60_000
    for wish in ("prefers-reduced-motion: reduce", "prefers-color-scheme: dark"):
        assert wish in tree.read_text()


def test_the_lengths_of_methods_are_true():
    for lines, path in re.findall(r"in (\d+)(?: lines)?\]\((programs/[^)]+)\)", README):
        assert 0 <= int(lines) - len((ROOT / path).read_text().splitlines()) < 10
