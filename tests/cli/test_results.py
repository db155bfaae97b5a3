import io

import dspy
import pytest
from rich.console import Console

from multihop import Question, scripted
from multihop.cli.show_results import show_results
from multihop.cli.show_run import show_run
from multihop.evaluation import evaluate
from multihop.evaluation.metrics import Judged
from multihop.programs import Direct, OneStep
from multihop.retrieval import Hit, Passage

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


def test_what_was_asked_for_and_nobody_knows_is_a_dash(tmp_path, console):
    with dspy.context(lm=scripted(lambda prompt: {"answer": "x"})):
        asked = evaluate(Direct(), QUESTIONS, out=tmp_path / "a", metrics=["em", "recall@3"], progress=False)
    show_results({"direct": asked}, console, further=["recall@3"])
    lines = shown(console)
    head = next(line for line in lines if line.startswith("program"))
    assert head == "program em recall@5 recall@3 calls tokens errors"
    assert next(line for line in lines if line.startswith("direct")).split()[1:4] == ["0.0±0.0", "–", "–"]
    assert "| recall@3 | – | – | 0 |" in (tmp_path / "a" / "summary.md").read_text()


def test_a_metric_that_applies_to_no_question_keeps_its_column_and_says_why(tmp_path, console):
    unknown = [Question(id=f"q{i}", question=f"word{i}?", answers=()) for i in range(3)]
    with dspy.context(lm=scripted(lambda prompt: {"answer": "x"})):
        asked = evaluate(Direct(), unknown, out=tmp_path, progress=False)
    show_results({"direct": asked}, console)
    lines = shown(console)
    assert next(line for line in lines if line.startswith("direct")).split()[1:4] == ["–", "–", "–"]
    assert "em: no question has an accepted answer, or none was read" in lines
    assert "f1: no question has an accepted answer, or none was read" in lines
    page = (tmp_path / "summary.md").read_text()
    assert "| em | – | – | 0 |" in page
    assert "em: no question has an accepted answer, or none was read." in page


def test_a_mean_over_some_of_the_questions_says_over_how_many(tmp_path, console):
    some = [*QUESTIONS, Question(id="q9", question="word9?", answers=(), type="new")]
    some.append(Question(id="q8", question="word8?", answers=()))
    reply = lambda prompt: {"answer": prompt.inputs["question"].rstrip("?")}  # noqa: E731
    with dspy.context(lm=scripted(reply)):
        asked = evaluate(Direct(), some, out=tmp_path, progress=False)
    show_results({"direct": asked}, console)
    lines = shown(console)
    assert next(line for line in lines if line.startswith("direct")).split()[1:3] == ["100.0±0.0", "(n=4)"]
    assert "n: the questions that went into a mean, where they are not all" in " ".join(lines)
    assert "| – | 5 | 100.0 (100.0 – 100.0) (n=4) |" in (tmp_path / "summary.md").read_text()


def verdicts(answers):
    """Answers each question with itself, and judges as it is told: None is no verdict that can be read."""

    def reply(prompt):
        question = prompt.inputs["question"]
        if "accepted" not in prompt.inputs:
            return {"answer": question.rstrip("?")}
        verdict = answers[question]
        return "no fields" if verdict is None else {"correct": verdict}

    return scripted(reply)


@pytest.mark.parametrize(
    ("answers", "first", "cell"),
    [
        (
            [True, True, None, False],
            "judged: 1 of 4 answers has no verdict; the interval counts that one against it (the judge gave no verdict "
            "that can be read, twice); the same command asks for that one alone",
            "66.7 [0.0, 100.0] (n=3)",
        ),
        (
            [None] * 4,
            "judged: the judge failed on all 4 answers (the judge gave no verdict that can be read, twice); the same "
            "command asks for those alone",
            "–",
        ),
    ],
)
def test_answers_without_a_verdict_are_told_in_the_first_line(tmp_path, console, answers, first, cell):
    lm = verdicts(dict(zip((question.question for question in QUESTIONS), answers, strict=True)))
    with dspy.context(lm=lm):
        asked = evaluate(Direct(), QUESTIONS, out=tmp_path, metrics=["em", Judged(lm)], progress=False)
    show_results({"direct": asked}, console, further=["judged"])
    lines = shown(console)
    assert " ".join(lines).startswith(first)
    assert next(line for line in lines if line.startswith("direct")).startswith(f"direct 100.0±0.0 – {cell} 1.00")
    assert (tmp_path / "summary.md").read_text().splitlines()[0] == f"**{first}**"
    show_run(tmp_path, other := Console(file=io.StringIO(), width=140))
    assert " ".join(shown(other)).startswith(first.replace("the same command", "the run's command"))


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
