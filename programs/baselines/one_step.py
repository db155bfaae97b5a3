"""One retrieval with the question itself, then the answer: `one-step` at once, `one-step-cot` after thinking."""

from typing import Unpack

import dspy

from ...retrieval import RetrieverLike
from ...runtime import Count, Limits, Program
from ...signatures import AnswerFromPassages


class OneStepSettings(Limits, total=False):
    """What `OneStep` can be set to, beside what every program can."""

    k: Count
    """Passages to retrieve."""


class OneStep(Program):
    """The answer from the passages that the question itself retrieves.

    Known in the literature as OneR, standard RAG, IO with retrieval, or Direct-R@k.

    Examples:
        >>> import dspy
        >>> from multihop.models import lexical
        >>> from multihop.programs import OneStep
        >>> from multihop.retrieval import BM25, Passage
        >>> corpus = [Passage("p1", "Ada Lovelace", "Ada Lovelace was born in London in 1815.")]
        >>> program = OneStep(BM25.build(corpus), k=1)
        >>> with dspy.context(lm=lexical()):
        ...     prediction = program(question="When was Ada Lovelace born?")
        >>> prediction.answer, prediction.passages[0].id
        ('1815', 'p1')
    """

    name = "one-step"
    paper = "retrieve-and-read (Lewis et al., 2020)"
    calls = "1"

    def __init__(self, retriever: RetrieverLike, *, k: Count = 5, **limits: Unpack[Limits]) -> None:
        """Set up the reader.

        Args:
            retriever: Where the passages come from.
            k: Passages to retrieve.
            **limits: See `Program`.
        """
        super().__init__(retriever, **limits)
        self.k = k
        self.answer = dspy.Predict(AnswerFromPassages)

    async def aforward(self, question: str) -> dspy.Prediction:
        """Retrieve once, read once."""
        passages = [hit.passage for hit in await self.find(question, self.k)]
        prediction = await self.ask(self.answer, passages=passages, question=question)
        return dspy.Prediction(**prediction, passages=passages)


class OneStepChainOfThought(OneStep):
    """The answer from the passages that the question itself retrieves, after thinking step by step."""

    name = "one-step-cot"
    paper = "retrieve-and-read (Lewis et al., 2020) with chain of thought (Wei et al., 2022)"

    def __init__(self, retriever: RetrieverLike, **settings: Unpack[OneStepSettings]) -> None:
        super().__init__(retriever, **settings)
        self.answer = dspy.ChainOfThought(AnswerFromPassages)
