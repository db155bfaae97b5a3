"""One retrieval with the question itself, then the answer: `one-step` at once, `one-step-cot` after thinking."""

from dataclasses import field

import dspy

from ...retrieval import RetrieverLike
from ...runtime import Count, Program
from ...signatures import AnswerFromPassages
from ..shared.evidence import read_last


class OneStep(Program):
    """The answer from the passages that the question itself retrieves.

    Known in the literature as OneR, standard RAG, IO with retrieval, or Direct-R@k.

    Examples:
        >>> import dspy
        >>> from multihop.lms import local
        >>> from multihop.programs import OneStep
        >>> from multihop.retrieval import BM25, Passage
        >>> corpus = [Passage("p1", "Ada Lovelace", "Ada Lovelace was born in London in 1815.")]
        >>> program = OneStep(BM25.build(corpus), k=1)
        >>> with dspy.context(lm=local()):
        ...     prediction = program(question="When was Ada Lovelace born?")
        >>> prediction.answer, prediction.passages[0].id
        ('1815', 'p1')
    """

    name = "one-step"
    paper = "retrieve-and-read (Lewis et al., 2020)"
    calls = "1"

    retriever: RetrieverLike = field(kw_only=False)
    """The retriever that finds the passages."""
    k: Count = 5
    """Passages to retrieve."""
    reads: bool = True
    """False to stop where the last step would read: passages and no answer, for an LM call less."""

    def set_up(self) -> None:
        """Set up the reader."""
        self.answer = dspy.Predict(AnswerFromPassages)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return int(self.reads)

    async def aforward(self, question: str) -> dspy.Prediction:
        """Retrieve once, read once."""
        passages = [hit.passage for hit in await self.find(question, self.k)]
        prediction = await read_last(self, self.answer, passages=passages, question=question)
        return dspy.Prediction(**prediction, passages=passages)


class OneStepChainOfThought(OneStep):
    """The answer from the passages that the question itself retrieves, after thinking step by step."""

    name = "one-step-cot"
    paper = "retrieve-and-read (Lewis et al., 2020) with chain of thought (Wei et al., 2022)"

    def set_up(self) -> None:
        """Set up the steps."""
        self.answer = dspy.ChainOfThought(AnswerFromPassages)
