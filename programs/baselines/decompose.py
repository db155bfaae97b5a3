"""Decompose, then read: all single-hop questions at once, a retrieval for each, one reading.

After Ethan Perez et al., "Unsupervised Question Decomposition for Question Answering" (2020), section 2, which answers
the parts before it recombines them.
"""

from dataclasses import field

import dspy

from ...retrieval import RetrieverLike, by_rank
from ...runtime import Count, Program, together
from ...signatures import AnswerFromPassages, SplitQuestion
from ..shared.evidence import read_last


class Decompose(Program):
    """The answer from the passages that the question's parts retrieve, all at once.

    The passages are in the order of their ranks, the best of every part first. A question that cannot be split is
    retrieved for as it is.

    Differs from the paper: an LM splits the question, and the parts retrieve instead of being answered one by one.
    """

    name = "decompose"
    paper = "question decomposition (Perez et al., 2020)"
    calls = "2"

    retriever: RetrieverLike = field(kw_only=False)
    """The retriever that finds the passages."""
    k: Count = 5
    """Passages to retrieve for each part."""
    parts: Count = 5
    """Parts at most."""
    reads: bool = True
    """False to stop where the last step would read: passages and no answer, for an LM call less."""

    def set_up(self) -> None:
        """Set up the splitter and the reader."""
        self.split = dspy.Predict(SplitQuestion)
        self.read = dspy.Predict(AnswerFromPassages)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return 1 + self.reads

    async def aforward(self, question: str) -> dspy.Prediction:
        """Split, retrieve for every part, read."""
        split = await self.attempt(self.ask(self.split, question=question))
        texts = [part.strip() for part in split.sub_questions if part.strip()] if split else []
        parts = list(dict.fromkeys(texts))[: self.parts] or [question]
        rankings = await together(*(self.find(part, self.k) for part in parts))
        passages = by_rank([hit.passage for hit in hits] for hits in rankings)
        prediction = await read_last(self, self.read, passages=passages, question=question)
        return dspy.Prediction(
            answer=prediction.answer,
            passages=passages,
            evidence=[
                {"analysis": part, "passages": [hit.passage.id for hit in hits]}
                for part, hits in zip(parts, rankings, strict=True)
            ],
            counts={"parts": len(parts), "documents": len(passages)},
        )
