"""RECOMP: compress the retrieved passages into a summary for the question, then read the summary.

Fangyuan Xu et al., "RECOMP: Improving Retrieval-Augmented LMs with Context Compression and Selective Augmentation"
(2024), sections 2 and 3.
"""

from dataclasses import field

import dspy

from ...retrieval import RetrieverLike
from ...runtime import Count, Program
from ...signatures import ReadSummary, SummarizePassages


class Recomp(Program):
    """The answer from a summary of what the question retrieved; an empty summary leaves it to the LM's memory.

    Differs from the paper: the LM itself compresses, in the abstractive way, where the paper trains a compressor. A
    summary that cannot be parsed counts as empty.
    """

    name = "recomp"
    paper = "RECOMP (Xu et al., 2024)"
    calls = "2"

    retriever: RetrieverLike = field(kw_only=False)
    """The retriever that finds the passages."""
    k: Count = 5
    """Passages to retrieve."""

    def set_up(self) -> None:
        """Set up the compressor and the reader."""
        self.summarize = dspy.Predict(SummarizePassages)
        self.read = dspy.Predict(ReadSummary)

    async def aforward(self, question: str) -> dspy.Prediction:
        """Retrieve, compress, read."""
        passages = [hit.passage for hit in await self.find(question, self.k)]
        summary = ""
        if passages:
            reply = await self.attempt(self.ask(self.summarize, passages=passages, question=question))
            summary = reply.summary if reply else ""
        prediction = await self.ask(self.read, summary=summary, question=question)
        return dspy.Prediction(
            answer=prediction.answer,
            passages=passages,
            evidence=[{"analysis": summary, "passages": [passage.id for passage in passages]}],
        )
