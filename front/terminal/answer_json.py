"""An answer as JSON: what `multihop ask --json` prints."""

from typing import Any, TypedDict

import dspy
import ujson

from ..base.plain import plain_value
from ..runtime import CostRecord, Program, TrajectoryStep


class PassageRecord(TypedDict):
    """A passage in full."""

    id: str
    """Its id in the corpus."""
    title: str
    """Its title; may be empty."""
    text: str
    """Its text."""


class AnswerRecord(TypedDict):
    """One question and its answer, in one line of JSON.

    A program may say more: each field of its prediction that is not named here is beside these, such as `counts`,
    the method's own counters.
    """

    question: str
    """The question."""
    program: str
    """The program's name, such as "one-step"."""
    settings: dict[str, Any]
    """Its settings, as its constructor takes them."""
    lm: str
    """The LM's name, such as "openai/gpt-4.1"."""
    evidence: list[Any]
    """What the program says its answer rests on, as in a row of questions.jsonl."""
    passages: list[PassageRecord]
    """The passages returned, best first."""
    trajectory: list[TrajectoryStep]
    """Every step taken."""
    cost: CostRecord
    """What it cost."""
    over_budget: bool
    """Whether the budget ended the search, so that the answer rests on what was found until then."""
    answer: str
    """The answer."""


def as_json(question: str, program: Program, lm: str, prediction: dspy.Prediction) -> str:
    """The whole prediction, and what made it, as one JSON object."""
    record = {
        "question": question,
        "program": program.name,
        "settings": program.settings,
        "lm": lm,
        **prediction.toDict(),
        "passages": [passage._asdict() for passage in prediction.passages],
    }
    return ujson.dumps(record, ensure_ascii=False, escape_forward_slashes=False, default=plain_value)
