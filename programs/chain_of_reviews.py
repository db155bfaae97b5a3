"""Chain of Reviews: the same review along one single path, each turn over all that was retrieved so far.

The ablation that Tree of Reviews is compared with: Jiapeng Li et al. (2024), section 4.3 and table 13.
"""

from typing import Literal

import dspy

from ..runtime import TokenLimit
from .shared.chain import Chain, Walk
from .shared.evidence import Evidence, fitting, read_last, room
from .shared.review_tree import reader, reviewer


class ChainOfReviews(Chain):
    """The answer read from one growing set of passages, once a review finds it enough.

    Each turn retrieves, reviews everything retrieved so far, and acts as a path of `tor` does: enough is accepted, what
    is not relevant is rejected, and both end the search; otherwise the query that the review wrote is searched for.

    The paper does not say what a chain reads that was not accepted: here the reader answers from all passages, without
    an analysis. None is dropped by a rejection, as table 13 is shown all the retrieved ones. A review that cannot be
    parsed, or gives no query, ends the search.

    Differs from the paper: the review and the reader answer at once, as those of `tor` do, so that the two differ in
    their search alone; with `reason=("review", "read")` they think first, as in table 13. It ends early at a query that
    repeats, and after passages of which none is new (`stops`).
    """

    name = "cor"
    paper = "Chain of Reviews, in Tree of Reviews (Li et al., 2024)"
    calls = "1 a turn, 1 to read"
    planner = "review"

    reason: tuple[Literal["review", "read"], ...] = ()
    """Steps that think before they write: the review ("review"), and the reader ("read")."""
    reader_tokens: TokenLimit = 4096
    """The most that the reader's input may hold, as that of `tor`."""

    def set_up(self) -> None:
        """Set up the reviewer and the reader."""
        self.review = reviewer("direct", reasons="review" in self.reason)
        self.read = reader("evidence", reasons="read" in self.reason)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return self.turns + self.reads

    async def aforward(self, question: str) -> dspy.Prediction:
        """Retrieve, review all, search on; then read."""
        walk, query, analysis = Walk(self), question, ""
        while await walk.find(query) is not None:
            review = await self.attempt(self.ask(self.review, question=question, path=walk.passages))
            if review is None:
                break
            if review.relevant and review.enough:
                analysis = review.analysis
            if review.enough or not review.relevant:
                break
            query = str(review.query).strip()
        fits = fitting(walk.passages, room(self.read, self.reader_tokens, question, analysis))
        evidence = [str(Evidence(analysis, tuple(fits)))] if analysis or fits else []
        prediction = await read_last(self, self.read, evidence=evidence, question=question)
        return walk.prediction(prediction.answer, [Evidence(analysis, tuple(walk.passages)).record], evidence=1)
