"""Rows of a study against each other, with the differences counted by hand."""

from collections import Counter

import pytest

from multihop import scripted
from multihop.__main__ import main
from multihop.experiments import reproduce
from multihop.experiments.rendered_table import as_markdown, render
from multihop.view import write_study_page

MINE = """
title = "With and without passages"
paper = "mine"
sets.small = { title = "Small", questions = "questions.jsonl", corpus = "corpus.jsonl" }
columns = [
  { set = "small", metric = "em" },
  { set = "small", metric = "em", hops = 3 },
  { set = "small", metric = "calls" },
]
rows = [
  { name = "closed book", program = "direct" },
  { name = "one step", program = "one-step", against = ["closed book"], repeats = 1 },
]
"""
GOLD = {"Who?": "Ada", "Where?": "here", "When?": "now", "How?": "so"}
HOPS = {"Who?": 2, "Where?": 3, "When?": 3, "How?": 2}
KNOWN = ("Who?", "How?")


@pytest.fixture
def mine(write_study, tmp_path):
    asked = [{"id": q, "question": q, "answers": [answer], "hops": HOPS[q]} for q, answer in GOLD.items()]
    return tmp_path / write_study(MINE, asked)


def answers(wrong_again=()):
    """Right with passages, and without them for two of the questions; wrong when some are asked again."""
    asked = Counter()

    def answer(prompt):
        question = prompt.inputs["question"]
        if "passages" not in prompt.inputs:
            return {"answer": GOLD[question] if question in KNOWN else "?"}
        asked[question] += 1
        return {"answer": "?" if asked[question] > 1 and question in wrong_again else GOLD[question]}

    return scripted(answer)


def test_a_row_is_tested_against_another_on_the_same_questions(mine):
    table = reproduce(mine, out="out", lm=answers(), rows=["one step"])
    assert table["tests"] == []  # the other row is not begun
    assert "Row against row" not in as_markdown(render(table))
    table = reproduce(mine, out="out", lm=answers(), concurrency=1)
    whole, hops = table["tests"]  # calls are no measure of quality
    assert (whole["row"], whole["against"], whole["sets"], whole["measure"]) == (
        "one step", "closed book", ["Small"], "EM"
    )  # fmt: skip
    assert (whole["ours"], whole["theirs"], whole["difference"], whole["n"]) == (100.0, 50.0, 50.0, 4)
    assert (whole["low"], whole["high"]) == (None, None)  # of four questions
    assert whole["p_value"] == 0.5  # two questions differ: two of four sign patterns are as far from 0
    assert (hops["measure"], hops["difference"], hops["n"], hops["p_value"]) == ("EM, 3 hops", 100.0, 2, 0.5)
    page = (mine.parent / "out" / "table.md").read_text()
    assert "## Row against row\n\n### Small\n" in page
    assert "| one step | closed book | EM, 3 hops | 100.0 | 0.0 | +100.0 | – | 0.500 | 2 |" in page


def test_a_question_that_was_asked_again_counts_once_with_its_mean(mine):
    mine.write_text(MINE.replace("repeats = 1", "repeats = 2"))
    whole, _ = reproduce(mine, out="out", lm=answers(wrong_again=["Where?"]), concurrency=1)["tests"]
    assert (whole["ours"], whole["difference"], whole["n"]) == (87.5, 37.5, 4)
    assert whole["p_value"] == 0.5  # differences of 0.5 and 1


def test_the_tests_stand_under_the_table_and_on_its_page(mine, capsys, tiny_encoder):
    assert main(["reproduce", "mine.toml", "--out", "shown"]) == 0
    out = capsys.readouterr().out
    assert "Small, row against row" in out
    assert "row        against" in out
    page = write_study_page("shown", mine.parent / "page.html").read_text()
    assert '<table class="figures tests">' in page
    assert "by a paired permutation test; p is that of each test alone." in page
