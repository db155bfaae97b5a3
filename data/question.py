"""One class for the questions of every set, and ids for questions and paragraphs that have none."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

from ..base.imports import dspy
from ..retrieval import Passage

LONGEST_ID = 1_000
"""Characters of a question's id at most."""


class SubQuestion(NamedTuple):
    """One hop of a question's decomposition."""

    question: str
    """The single-hop question, with earlier answers filled in; empty where the set gives a triple only."""
    answer: str
    passage: str = ""
    """Id of the paragraph that answers it, where known."""
    triple: tuple[str, str, str] | None = None
    """(subject, relation, object), where the set gives evidence triples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with everything its set knows about it; what a set does not give stays empty.

    A question without `answers` either cannot be answered, and says so with `answerable`, or its answer is not known.
    In a file an empty field for the answer says the first and a missing one the second.

    Examples:
        >>> from multihop.data import Question
        >>> question = Question(id="q1", question="Who wrote it?", answers=("Ada", "Ada Lovelace"))
        >>> question.answer, question.to_example().inputs().toDict()
        ('Ada', {'question': 'Who wrote it?'})
    """

    id: str
    """Unique within its set."""
    question: str
    answers: tuple[str, ...]
    """Accepted answers; the first is the main one, the others are aliases; empty where none is known."""
    supporting: tuple[str, ...] = ()
    """Ids of the gold paragraphs."""
    supporting_sents: tuple[tuple[str, int], ...] = ()
    """Gold sentences as (paragraph id, sentence index)."""
    passages: tuple[Passage, ...] = ()
    """The question's own paragraphs (gold and distractors), where the file brings them."""
    sentences: tuple[tuple[str, ...], ...] = ()
    """The sentences of each of `passages`, where the set splits them; `supporting_sents` counts in these."""
    context_ids: tuple[str, ...] = ()
    """Ids of those paragraphs in the corpus."""
    decomposition: tuple[SubQuestion, ...] = ()
    """The hops, in order."""
    type: str = ""
    """The set's own name for the kind of question, such as "bridge" or "comparison"."""
    level: str = ""
    """Difficulty, where the set says."""
    hops: int = 0
    """Number of hops; 0 where unknown."""
    gold: str = "given"
    """"given" by the set, or "derived" by rule."""
    answerable: bool = True
    """False where the set says that the question cannot be answered; `answers` is then empty."""

    @property
    def answer(self) -> str:
        """The main answer."""
        return self.answers[0] if self.answers else ""

    def __repr__(self) -> str:
        """The question and its answers; a file of questions has pages of the rest."""
        return f"Question(id={self.id!r}, question={self.question!r}, answers={self.answers!r})"

    def to_example(self) -> dspy.Example:
        """The question as a `dspy.Example` with `question` as its input, for Evaluate and the optimizers."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return dspy.Example(**fields, answer=self.answer).with_inputs("question")


def question_id(question: str) -> str:
    """An id for a question that came without one: the same wherever the same question is, whatever is around it."""
    return f"q-{hashlib.blake2b(question.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"


def content_id(title: str, text: str) -> str:
    """An id for a paragraph whose title names more than one: the same wherever the same paragraph is."""
    return f"{title}#{hashlib.blake2b(text.encode(), digest_size=4).hexdigest()}"
