import io

import dspy
import pytest
from rich.console import Console

from multihop import Question, scripted
from multihop.evaluation import compare, evaluate
from multihop.programs import Direct, OneStep
from multihop.retrieval import Hit, Passage
from multihop.terminal.comparing import show_comparison
from multihop.terminal.results import show_results

QUESTIONS = [Question(id=f"q{i}", question=f"word{i}?", answers=(f"word{i}",), supporting=("Emma",)) for i in range(4)]


class Shelf:
    def search(self, queries, k):
        return [
            [Hit(Passage(str(n), "Emma" if n == 2 else "Bath", "x"), 1.0) for n in range(1, k + 1)] for _ in queries
        ]


def run(program, folder, wrong=()):
    def reply(prompt):
        return "no fields" if prompt.inputs["question"] in wrong else {"answer": prompt.inputs["question"].rstrip("?")}

    with dspy.context(lm=scripted(reply)):
        return evaluate(program, QUESTIONS, out=folder)


@pytest.fixture
def console():
    return Console(file=io.StringIO(), width=140)


def shown(console):
    return [" ".join(line.split()) for line in console.file.getvalue().splitlines()]


def test_the_table_shows_unparseable_completions_when_there_are_any(tmp_path, console):
    runs = {"good": run(Direct(), tmp_path / "a"), "bad": run(Direct(), tmp_path / "b", wrong=("word1?", "word2?"))}
    show_results(runs, console)
    lines = shown(console)
    assert next(line for line in lines if line.startswith("program")).endswith("calls tokens unparseable errors")
    assert next(line for line in lines if line.startswith("good")).endswith(" 0 0")
    assert next(line for line in lines if line.startswith("bad")).endswith(" 6 2")
    assert "unparseable: completions that could not be parsed, in all" in lines


def test_the_number_of_passages_is_no_percentage(tmp_path, console):
    show_results({"one-step": run(OneStep(Shelf(), k=3), tmp_path / "b")}, console, further=["K"])
    assert next(line for line in shown(console) if line.startswith("one-step 100.0")).split()[4] == "3.00±0.00"


def test_what_was_asked_for_and_nobody_knows_is_a_dash(tmp_path, console, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with dspy.context(lm=scripted(lambda prompt: {"answer": "x"})):
        asked = evaluate(Direct(), QUESTIONS, out=tmp_path / "a", metrics=["em", "gpu"], progress=False)
    show_results({"direct": asked}, console, further=["gpu"])
    lines = shown(console)
    assert next(line for line in lines if line.startswith("program")) == "program em recall@5 gpu calls tokens errors"
    assert next(line for line in lines if line.startswith("direct")).split()[1:4] == ["0.0±0.0", "–", "–"]
    assert "| gpu | – | – | 0 |" in (tmp_path / "a" / "summary.md").read_text()


def test_a_recall_that_nobody_knows_is_a_dash_with_its_reason(tmp_path, console):
    runs = {"closed-book": run(Direct(), tmp_path / "a"), "one-step": run(OneStep(Shelf(), k=3), tmp_path / "b")}
    show_results(runs, console)
    lines = shown(console)
    assert next(line for line in lines if line.startswith("program")).startswith("program em f1 recall@5 calls")
    assert next(line for line in lines if line.startswith("closed-book 100.0")).split()[3] == "–"
    assert next(line for line in lines if line.startswith("one-step 100.0")).split()[3] == "100.0±0.0"
    assert "closed-book: no recall: the program returned no passages" in lines
    assert "one-step: recall matched by title (4 questions)" in lines
    assert not any("unparseable" in line for line in lines)


def test_a_comparison_says_what_differs_and_does_not_test_the_number_of_passages(tmp_path, console):
    for k in (1, 3):
        run(OneStep(Shelf(), k=k), tmp_path / str(k))
    show_comparison([compare(tmp_path / "1", tmp_path / "3")], console)
    lines = shown(console)
    assert lines[:2] == ["A: one-step k=1", "B: one-step k=3"]
    assert next(line for line in lines if line.startswith("K ")) == "K 1.00 3.00 +2.00 +2.00 … +2.00 –"
    assert "B: recall matched by title (4 questions)" in lines
