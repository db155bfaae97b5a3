import dspy
import pytest

from multihop import BM25, OneStep, Passage, Question, evaluate, scripted

PASSAGES = [
    Passage("p1", "Dusk", "Dusk is a novel by Rosa Tiel."),
    Passage("p2", "Rosa Tiel", "Rosa Tiel was born in Torun."),
    Passage("p3", "Emma", "Emma is a novel by Jane Austen."),
]
QUESTIONS = [
    Question(id="q1", question="Who wrote Dusk?", answers=("Rosa Tiel", "Tiel"), supporting=("p1",), type="a", hops=1),
    Question(id="q2", question="Who wrote Emma?", answers=("Jane Austen",), supporting=("p3",), type="b", hops=1),
    Question(id="q3", question="Was Rosa Tiel born?", answers=("yes",), supporting=("p2",), type="b", hops=2),
    Question(id="q4", question="Where was Rosa Tiel born?", answers=("Torun",), supporting=("p2",)),
]
SAID = {
    "Who wrote Dusk?": "Rosa Tiel",
    "Who wrote Emma?": "It was Jane Austen of Steventon",
    "Was Rosa Tiel born?": "yes, in Torun",
}
"""The LM fails on the fourth."""


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory):
    """A run of four questions: one right, one with more words than the answer, one beside yes or no, one error."""

    def reply(prompt):
        question = prompt.inputs["question"]
        return {"answer": SAID[question]} if question in SAID else RuntimeError("no such answer")

    folder = tmp_path_factory.mktemp("runs") / "dev-1"
    with dspy.context(lm=scripted(reply)):
        evaluate(OneStep(BM25.build(PASSAGES), k=1), QUESTIONS, out=folder, progress=False, seed=7)
    return folder
