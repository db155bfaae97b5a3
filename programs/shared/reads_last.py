"""The base of methods whose last step reads what they found, and which can also stop before it."""

from typing import Any

import dspy

from ...runtime import Program


class ReadsLast(Program):
    """A method that returns the same passages whatever its last step reads in them.

    Examples:
        >>> import dspy
        >>> from multihop import BM25, Passage, scripted
        >>> from multihop.programs import OneStep
        >>> retriever = BM25.build([Passage("p1", "Ada Lovelace", "Ada Lovelace was born in London.")])
        >>> with dspy.context(lm=scripted([])):
        ...     prediction = OneStep(retriever, reads=False)(question="Where was Ada Lovelace born?")
        >>> prediction.answer, [passage.id for passage in prediction.passages], prediction.cost["calls"]
        (None, ['p1'], 0)
    """

    reads: bool = True
    """False to stop where the last step would read: passages and no answer, for an LM call less."""

    async def read_last(self, reader: dspy.Module, /, **inputs: Any) -> dspy.Prediction:
        """What the reader says; an answer that is None, and no call, where the program does not read."""
        return await self.ask(reader, **inputs) if self.reads else dspy.Prediction(answer=None)
