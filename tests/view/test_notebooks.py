import json
import re

import dspy
import pytest
from test_examples import imported
from written_runs import HOSTILE, MCTS, REVIEWS, UNMEASURED, row, rows

from multihop import InputError, Passage, create, local
from multihop.evaluation import Repeats, compare, open_run
from multihop.evaluation.repeats import write_repeats
from multihop.runtime.prediction import ProgramPrediction


@pytest.fixture
def shown(elements):
    return lambda value: texts_of(elements(value._repr_html_()))


def texts_of(read):
    """The texts of what a notebook shows: well-formed, with nothing that runs, loads or styles the page around."""
    assert read.open == []
    allowed = {"div", "b", "i", "span", "code", "details", "summary", "table", "tr", "th", "td"}
    assert {tag for tag, _ in read.elements} <= allowed
    assert {name for _, attrs in read.elements for name in attrs} <= {"style", "open", "title", "colspan"}
    styles = ";".join(attrs.get("style") or "" for _, attrs in read.elements)
    colours = re.findall(r"(?:color|background):([^;]+)", styles)
    assert all("rgba" in colour or colour == "currentColor" for colour in colours)  # on white and on black
    return " ".join(" ".join(read.texts).split())


def prediction(*trajectory):
    given = {"answer": HOSTILE, "passages": [Passage("p1", HOSTILE, f"Text. {HOSTILE}")], "over_budget": False}
    return ProgramPrediction(**given, trajectory=list(trajectory), cost=rows()[0]["cost"])


def test_a_prediction_shows_its_answer_passages_and_search(shown):
    made = prediction({"step": "tree", "tree": REVIEWS})
    texts = shown(made)
    assert texts.count(HOSTILE) >= 4
    assert "accept Jerzy verdict" in texts
    assert "analysis He was born in Łódź." in texts
    assert "not followed: Day Train (nearly repeats another)" in texts
    assert "3 LM calls" in texts
    assert "accept Jerzy verdict" in shown(made.search)
    assert repr(prediction().search) == shown(prediction().search) == "the question"


def opened(search):
    """The first words of each part of a page that can be folded, and whether it is unfolded."""
    found = re.findall(r"<details[^>]*?( open)?>\s*<summary>(.*?)</summary>", search._repr_html_(), re.S)
    texts = (" ".join(re.sub("<[^>]+>", " ", head).split()) for _, head in found)
    return [(text.partition("?")[0], bool(is_open)) for text, (is_open, _) in zip(texts, found, strict=True)]


def test_of_a_search_only_the_way_to_the_answer_is_unfolded():
    folded = opened(prediction({"step": "tree", "tree": REVIEWS}).search)
    assert [(head.partition(" ")[0], is_open) for head, is_open in folded] == [
        ("the", True), ("search", True), ("accept", True), ("reject", False), ("reject", False),
    ]  # fmt: skip
    folded = opened(prediction({"step": "tree", "tree": MCTS}).search)
    head, *below = folded
    assert head == ("chosen the question visits 3 value 2", True)
    assert below == [("chosen Who", True), ("chosen Where", True), ("When", False)]
    rejected = {"action": "search", "query": "Who?", "children": [REVIEWS["children"][1]]}
    assert [is_open for _, is_open in opened(prediction({"step": "tree", "tree": rejected}).search)] == [True, False]


def test_a_finished_question_has_its_search(a_run, shown):
    run = open_run(a_run("a", [row("q1", [{"step": "tree", "tree": MCTS}])]))
    assert repr(run.search("q1")).startswith(f"{row('q1', [])['question']}\n├── Who?\n│   → Who  N 2")
    assert "Where?" in shown(run.search("q1"))
    with pytest.raises(InputError, match=r"unknown question of .* 'q2'"):
        run.search("q2")


def test_a_run_and_a_comparison(a_run, shown):
    a = a_run("a", [row("q1", []), row("q2", [], right=False)])
    b = a_run("b", [row("q1", [], right=False), row("q2", [])], settings={"depth": 3})
    run, comparison = open_run(a), compare(a, b)
    texts = shown(run)
    assert "em 50.0 –" in texts
    assert f"multihop view {a}" in texts
    assert repr(run) == f"Evaluation({a}: 2 questions, em 50.0, f1 50.0, recall@5 100.0, recall@K 100.0, errors 0)"
    texts = shown(comparison)
    assert "1 became right q2" in texts
    assert "1 became wrong q1" in texts
    assert repr(comparison).splitlines()[1] == "    em +0.0"


def test_what_a_mean_leaves_out_is_told_first(a_run, tmp_path, shown):
    missing = row("q1", [], metrics={"em": None, "f1": 1.0}, **UNMEASURED)
    runs = [open_run(a_run(f"repeat-{place}", [missing, row("q2", [])])) for place in (1, 2)]
    told = "em: 1 of 2 answers has no number; the interval counts that one against it"
    texts = shown(runs[0])
    assert re.search(rf"{told} \(\w+: [^)]+\); the run's command measures that one alone\.", texts)
    assert "em 100.0 (n=1)" in texts
    summary = write_repeats(tmp_path, [run.folder for run in runs], [run.summary for run in runs])
    texts = shown(Repeats(tmp_path, tuple(runs), summary))
    assert texts.startswith("em: 2 of 4 answers have no number; the interval counts them against it; ")
    assert "em 100.0 (n=2)" in texts
    texts = shown(compare(runs[0].folder, runs[1].folder))
    assert texts.count(told) == 2
    assert "em (n=1) 100.0 100.0 0.0" in texts


def test_a_program_shows_its_prompts_and_demonstrations(shown):
    program = create("cot")
    program.predictors()[0].demos = [dspy.Example(question=HOSTILE, answer="Łódź")]
    texts = shown(program)
    assert HOSTILE in texts
    assert "1 demonstration" in texts
    assert "in question" in texts
    assert repr(create("cot", retries=5)).endswith("(retries=5)")


@pytest.mark.seconds
def test_the_notebook_shows_what_its_cells_show():
    maker = imported("make_notebook")
    kept = json.loads(maker.NOTEBOOK.read_text())
    with dspy.context(lm=local()):
        made = maker.make_notebook()
    again = "`python examples/make_notebook.py` writes it again"
    assert [cell["source"] for cell in made["cells"]] == [cell["source"] for cell in kept["cells"]], again
    assert maker.without_clock(made) == maker.without_clock(kept), again
