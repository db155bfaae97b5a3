"""Chain of Reviews: the same review along one single path, each turn over all that was retrieved so far.

The ablation that Tree of Reviews is compared with: Jiapeng Li et al. (2024), section 4.3 and table 13.
"""

from typing import Literal

import dspy

from ..runtime import Count, Decide, Share
from .shared.chain import Chain, Walk
from .shared.evidence import Evidence, fitting
from .shared.score import is_so
from .tree_of_reviews import reader, reviewer


class ChainOfReviews(Chain):
    """The answer read from one growing set of passages, once a review finds it enough.

    Each turn retrieves, reviews everything retrieved so far, and either stops or searches with the query that the
    review wrote after thinking about what is missing.

    The paper does not say how it ends without enough: here the reader then answers from all passages, as it does from
    the accepted ones. It is the reader of `tor`, so that the two differ in their search alone; with `reason="read"` it
    thinks before it answers. A review that cannot be parsed, or gives no query, ends the search.

    Examples:
        >>> import dspy
        >>> from multihop.lms import scripted
        >>> from multihop.programs import ChainOfReviews
        >>> from multihop.retrieval import BM25, Passage
        >>> corpus = [Passage("p1", "Ada Lovelace", "Ada Lovelace was born in London.")]
        >>> review = {"reasoning": "It says where.", "relevant": True, "enough": True, "analysis": "In London."}
        >>> with dspy.context(lm=scripted([review, {"answer": "London"}])):
        ...     ChainOfReviews(BM25.build(corpus))(question="Where was Ada Lovelace born?").answer
        'London'
    """

    name = "cor"
    paper = "Chain of Reviews, in Tree of Reviews (Li et al., 2024)"
    calls = "1 a turn, 1 to read"
    in_paper = {"turns": (3, "section 4.3, as for all chains"), "k": (5, "section 4.3, as for all queries")}
    planner = "review"
    weighs = ("review",)

    reason: tuple[Literal["read"], ...] = ()
    """Steps that think before they write: the reader ("read")."""
    reader_tokens: Count = 4096
    """The most that the reader is shown."""
    decide: Decide = "words"
    """The source of a review's verdict: its words, or the probabilities of what it might have said ("logprobs")."""
    enough_at: Share = 0.5
    """With `decide="logprobs"`, the probability from which on what was retrieved is enough."""

    def set_up(self) -> None:
        """Set up the reviewer and the reader."""
        self.review = reviewer("cot")
        self.read = reader("evidence", reasons="read" in self.reason)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return self.turns + 1

    async def aforward(self, question: str) -> dspy.Prediction:
        """Retrieve, review all, search on; then read."""
        walk, query, analysis = Walk(self), question, ""
        while await walk.find(query) is not None:
            review = await self.attempt(self.ask(self.review, question=question, path=walk.passages))
            if review is None:
                break
            analysis = review.analysis
            if is_so(review, "enough", self.enough_at):
                break
            query = str(review.query).strip()
        texts = fitting([str(Evidence(analysis, ())), *map(str, walk.passages)], self.reader_tokens)
        prediction = await self.ask(self.read, evidence=[text for text in texts if text], question=question)
        return dspy.Prediction(
            answer=prediction.answer,
            passages=walk.passages,
            evidence=[Evidence(analysis, tuple(walk.passages)).record],
            counts={**walk.counts, "evidence": 1},
        )
