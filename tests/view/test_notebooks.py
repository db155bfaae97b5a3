import json
import re
from html.parser import HTMLParser

import dspy
import pytest
from test_examples import imported
from written_runs import HOSTILE, MCTS, REVIEWS, find, row, rows, said

from multihop import InputError, Passage, create, local
from multihop.evaluation import Repeats, compare, open_run
from multihop.runtime.prediction import ProgramPrediction

COST = rows()[0]["cost"]
DRAWN_REVIEWS = f"""\
the question
├─ query: Who directed Night Train?
├─ search Night Train
│  ├─ verdict: relevant, not enough
│  ├─ query: Where was Jerzy born?
│  ├─ accept Jerzy
│  │  ├─ verdict: relevant, enough
│  │  └─ analysis: He was born in Łódź.
│  └─ reject {HOSTILE}
│     ├─ verdict: not relevant, not enough
│     └─ analysis: {HOSTILE}
├─ reject p5
│  └─ verdict: none: unparseable
└─ not followed: Day Train (nearly repeats another)"""


class Read(HTMLParser):
    """The elements of a page and its texts."""

    def __init__(self, page):
        super().__init__()
        self.open, self.elements, self.texts = [], [], []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def shown(value):
    """The texts of what a notebook shows: well-formed, with nothing that runs, loads or styles the page around."""
    read = Read(value._repr_html_())
    allowed = {"div", "b", "i", "span", "code", "details", "summary", "table", "tr", "th", "td"}
    assert {tag for tag, _ in read.elements} <= allowed
    assert {name for _, attrs in read.elements for name in attrs} <= {"style", "open", "title", "colspan"}
    styles = ";".join(attrs.get("style") or "" for _, attrs in read.elements)
    colours = re.findall(r"(?:color|background):([^;]+)", styles)
    assert all("rgba" in colour or colour == "currentColor" for colour in colours)  # on white and on black
    return " ".join(" ".join(read.texts).split())


def prediction(*trajectory, **more):
    passages = [Passage("p1", HOSTILE, f"Text. {HOSTILE}")]
    fields = {
        "answer": HOSTILE,
        "passages": passages,
        "trajectory": list(trajectory),
        "cost": COST,
        "over_budget": False,
    }
    return ProgramPrediction(**{**fields, **more})


def test_a_prediction_shows_answer_passages_and_a_tree_of_reviews():
    texts = shown(prediction({"step": "tree", "tree": REVIEWS}))
    assert texts.count(HOSTILE) >= 4
    assert "accept Jerzy verdict" in texts
    assert "analysis He was born in Łódź." in texts
    assert "not followed: Day Train (nearly repeats another)" in texts
    assert "3 LM calls" in texts


def test_a_search_is_drawn_as_it_grew():
    search = prediction({"step": "tree", "tree": REVIEWS}).search
    assert "accept Jerzy verdict" in shown(search)
    assert repr(search) == DRAWN_REVIEWS
    search = prediction(find("Who?", "p1", titles=[("p1", "Night Train")]), said("read", answer="Ada")).search
    assert repr(search).splitlines()[1:] == ["└─ round 1: Who?", "   ├─ found: Night Train", "   └─ read: answer Ada"]
    assert repr(prediction().search) == "the question"
    assert shown(prediction().search) == "the question"


def opened(value):
    """The first words of each part of a page that can be folded, and whether it is unfolded."""
    page = value._repr_html_()
    found = re.findall(r"<details[^>]*?( open)?>\s*<summary>(.*?)</summary>", page, re.S)
    return [(" ".join(re.sub("<[^>]+>", " ", head).split()), bool(is_open)) for is_open, head in found]


def test_of_a_search_only_the_way_to_the_answer_is_unfolded():
    folded = opened(prediction({"step": "tree", "tree": REVIEWS}).search)
    assert [is_open for _, is_open in folded] == [True, True, True, False, False]
    assert [head.partition(" ")[0] for head, _ in folded] == ["the", "search", "accept", "reject", "reject"]
    folded = opened(prediction({"step": "tree", "tree": MCTS}).search)
    assert [(head.partition("?")[0], is_open) for head, is_open in folded] == [
        ("chosen the question visits 3 value 2", True),
        ("chosen Who", True),
        ("chosen Where", True),
        ("When", False),
    ]
    rejected = {"action": "search", "query": "Who?", "children": [REVIEWS["children"][1]]}
    assert [is_open for _, is_open in opened(prediction({"step": "tree", "tree": rejected}).search)] == [True, False]


def test_a_finished_question_has_its_search(a_run):
    run = open_run(a_run("a", [row("q1", [{"step": "tree", "tree": MCTS}])]))
    lines = repr(run.search("q1")).splitlines()
    assert lines[0].startswith(f"chosen {row('q1', [])['question']} visits 3")
    assert "chosen Where? visits 1 value 1 reward 1" in " ".join(lines)
    assert "Where?" in shown(run.search("q1"))
    with pytest.raises(InputError, match=r"unknown question of .* 'q2'"):
        run.search("q2")


def test_a_run_and_a_comparison(a_run):
    a = a_run("a", [row("q1", []), row("q2", [], right=False)])
    b = a_run("b", [row("q1", [], right=False), row("q2", [])], settings={"depth": 3})
    run = open_run(a)
    texts = shown(run)
    assert "em 50.0 0.0 – 100.0" in texts
    assert f"multihop view {a}" in texts
    assert repr(run) == f"Evaluation({a}: 2 questions, em 50.0, f1 50.0, recall@5 100.0, recall@K 100.0, errors 0)"
    comparison = compare(a, b)
    texts = shown(comparison)
    assert "1 became right q2" in texts
    assert "1 became wrong q1" in texts
    assert repr(comparison).splitlines()[1] == "    em +0.0 [-100.0, +100.0]"


def test_what_a_mean_leaves_out_is_told_first(a_run, tmp_path):
    from multihop.evaluation.repeats import write_repeats

    failure = {
        "unmeasured": {"em": {"type": "TimeoutError", "message": "slow"}},
        "returned": {"passages": [], "fields": {}},
    }
    missing = row("q1", [], metrics={"em": None, "f1": 1.0}, **failure)
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


def test_a_program_shows_its_prompts_and_demonstrations():
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
