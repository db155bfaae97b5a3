import io

import dspy
from rich.console import Console

from multihop import BM25, Passage, Question, scripted
from multihop.cli.showing.few_shot import show_few_shot
from multihop.evaluation import evaluate
from multihop.programs import TreeOfReviews

PASSAGES = [Passage(f"p{number}", f"Page {number}", f"word{number} is here.") for number in range(4)]
QUESTIONS = [Question(id=f"q{number}", question=f"word{number}?", answers=(f"word{number}",)) for number in range(4)]


def run(folder, right, enough):
    """A run that answers so many questions right, and finds a path enough or not."""

    def reply(prompt):
        if "answer" in {field.name for field in prompt.output_fields}:
            word = prompt.inputs["question"].rstrip("?")
            return {"answer": word if int(word[-1]) < right else "nothing"}
        return {"relevant": True, "enough": enough, "analysis": "so"}

    with dspy.context(lm=scripted(reply)):
        evaluate(TreeOfReviews(BM25.build(PASSAGES), depth=1, widths=(1,)), QUESTIONS, out=folder, progress=False)
    return folder


def said(before, after):
    console = Console(file=io.StringIO(), width=200)
    show_few_shot(before, after, console)
    return console.file.getvalue().splitlines()


def test_a_gain_is_told_with_its_interval_and_what_changed(tmp_path):
    before, after = run(tmp_path / "zero-shot", 0, False), run(tmp_path / "labeled-3", 4, True)
    assert said(before, after) == [
        "labeled-3 against zero-shot: F1 +100.0 [+100.0, +100.0], a gain beyond chance",
        "what changed: paths found enough, of those reviewed: 0 of 4 -> 4 of 4; another answer to 4 of 4 questions",
    ]
    assert said(after, before)[0] == "zero-shot against labeled-3: F1 -100.0 [-100.0, -100.0], a loss beyond chance"


def test_a_difference_within_its_interval_is_no_gain(tmp_path):
    first, second = said(run(tmp_path / "zero-shot", 2, True), run(tmp_path / "labeled-3", 2, True))
    assert first.endswith("within the interval: no gain, no loss that 4 questions could show")
    assert second.endswith("4 of 4 -> 4 of 4; another answer to 0 of 4 questions")
