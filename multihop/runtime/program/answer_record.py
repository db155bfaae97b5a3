"""An answer as JSON: what `multihop ask --json` prints and `multihop serve` sends."""

from typing import Any, NotRequired, TypedDict, cast

import dspy

from ..cost.question_cost import CostRecord
from ..grounds.grounding import Grounds
from ..observe.steps import TrajectoryStep
from .program import Program


class PassageRecord(TypedDict):
    """A passage in full."""

    id: str
    """Its id in the corpus."""
    title: str
    """Its title; may be empty."""
    text: str
    """Its text."""


class AnswerRecord(Grounds):
    """One question and its answer, in one line of JSON.

    A program may say more: each field of its prediction that is not named here is beside these, such as `counts`,
    the method's own counters.
    """

    question: str
    """The question."""
    full_question: NotRequired[str]
    """The question as it was answered: a follow-up, written again so that it stands alone; missing where it was not."""
    program: str
    """The program's name, such as "one-step"."""
    settings: dict[str, Any]
    """Its settings, as its constructor takes them."""
    lm: str
    """The LM's name, such as "openai/gpt-4.1"."""
    evidence: list[Any]
    """The support that the program gives for its answer, as in a row of questions.jsonl."""
    passages: list[PassageRecord]
    """The passages returned, best first."""
    trajectory: list[TrajectoryStep]
    """Every step taken."""
    cost: CostRecord
    """The cost of the question."""
    over_budget: bool
    """True if the budget ended the search, so that the answer rests on what was found until then."""
    answer: str
    """The answer."""


def to_answer_record(question: str, program: Program, lm: str, prediction: dspy.Prediction) -> AnswerRecord:
    """The whole prediction, and what made it; what is no JSON is made so by `as_json`."""
    record = {
        "question": question,
        "program": program.name,
        "settings": program.settings,
        "lm": lm,
        **prediction.toDict(),
        "passages": [passage._asdict() for passage in prediction.passages],
    }
    return cast(AnswerRecord, record)
