"""An answer as JSON: what `multihop ask --json` prints and `multihop serve` sends."""

from typing import Any, NotRequired, TypedDict, cast

import dspy

from ..retrieval import Passage
from ..retrieval.documents import source_of
from .citing import cite
from .cost import CostRecord
from .program import Program
from .steps import TrajectoryStep


class PassageRecord(TypedDict):
    """A passage in full."""

    id: str
    """The passage's id in the corpus."""
    title: str
    """The passage's title; may be empty."""
    text: str
    """The passage's text."""
    source: NotRequired[dict[str, str | int]]
    """Where it is from a document: the `file`, and the `page` of a PDF file or the `row` of a table."""


class CitationRecord(TypedDict):
    """A sentence of a passage that bears the answer (`multihop.cite`)."""

    passage: str
    """The passage's id."""
    title: str
    """The passage's title; may be empty."""
    sentence: str
    """The sentence."""
    start: int
    """The first character of the sentence in the passage's text."""
    end: int
    """The character after its last."""
    score: float
    """The probability that the sentence bears the answer."""


class AnswerRecord(TypedDict):
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
    """The program's settings, as its constructor takes them."""
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
    citations: list[CitationRecord]
    """The sentences that bear the answer, likeliest first; empty where the passages do not bear it."""
    answer: str
    """The answer."""


def to_answer_record(question: str, program: Program, lm: str, prediction: dspy.Prediction) -> AnswerRecord:
    """The prediction, what made it, and its citations, which take the encoder time: on an event loop, use a thread."""
    citations = cite(str(prediction.get("full_question") or question), prediction)
    record = {
        "question": question,
        "program": program.name,
        "settings": program.settings,
        "lm": lm,
        "citations": [citation._asdict() for citation in citations],
        **prediction.toDict(),
        "passages": [_to_passage_record(passage) for passage in prediction.passages],
    }
    return cast(AnswerRecord, record)


def _to_passage_record(passage: Passage) -> dict[str, Any]:
    source = source_of(passage.id)
    return passage._asdict() | ({"source": source} if source else {})
