"""REPLUG: read once for each passage, and combine the answers by how well the passages were retrieved.

Weijia Shi et al., "REPLUG: Retrieval-Augmented Black-Box Language Models" (2024), section 3.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import field

import dspy

from ...retrieval import Hit, RetrieverLike
from ...runtime import Count, Program, together
from ...signatures import AnswerFromPassages
from ..shared.evidence import wording


class Replug(Program):
    """The answer that the passages, each read alone, agree on most; well-retrieved ones weigh more.

    An answer counts with the probability that the LM gave its tokens, where it tells them for every reading; otherwise
    as a vote. The trajectory's last step says which.

    Differs from the paper: whole answers are combined, not next-token distributions, which no chat LM gives out. The
    weights are a softmax over scores divided by the best one, since retrievers score on different scales. A reading
    that cannot be parsed has no vote.
    """

    name = "replug"
    paper = "REPLUG (Shi et al., 2024)"
    calls = "1 a passage"

    retriever: RetrieverLike = field(kw_only=False)
    """The retriever that finds the passages."""
    k: Count = 5
    """Passages to retrieve, each read alone."""

    def set_up(self) -> None:
        """Set up the reader."""
        self.read = dspy.Predict(AnswerFromPassages)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return self.k

    async def aforward(self, question: str) -> dspy.Prediction:
        """Retrieve, read each passage alone, combine the answers."""
        hits = await self.find(question, self.k)
        calls = [self.ask(self.read, logprobs=True, passages=[hit.passage], question=question) for hit in hits]
        readings = await together(*(self.attempt(call, reserve=0) for call in calls))
        answers = [
            (reading, weight) for reading, weight in zip(readings, weights(hits), strict=True) if reading is not None
        ]
        passages = [hit.passage for hit in hits]
        if not answers:
            answer = (await self.ask(self.read, passages=passages, question=question)).answer
            return dspy.Prediction(answer=answer, passages=passages)
        sure = [answer_probability(reading) for reading, _ in answers]
        probable = None not in sure
        worth: dict[str, float] = defaultdict(float)
        for (reading, weight), probability in zip(answers, sure, strict=True):
            worth[wording(reading.answer)] += weight * (probability if probable and probability is not None else 1.0)
        by = "token probabilities" if probable else "votes"
        self.record({"step": "combine", "outputs": {"by": by, "answers": dict(worth)}})
        best = max(worth, key=worth.__getitem__)
        return dspy.Prediction(
            answer=next(reading.answer for reading, _ in answers if wording(reading.answer) == best),
            passages=passages,
            evidence=[{"analysis": text, "passages": []} for text in worth],
            counts={"answers": len(worth), "by_probability": int(probable)},
        )


def weights(hits: Sequence[Hit]) -> list[float]:
    """The weight of each passage's answer: a softmax over the scores, the best of which counts as 1."""
    best = max((abs(hit.score) for hit in hits), default=1.0) or 1.0
    powers = [math.exp(hit.score / best) for hit in hits]
    return [power / sum(powers) for power in powers]


def answer_probability(reading: dspy.Prediction) -> float | None:
    """The probability that the LM gave the tokens of its answer; None if it did not say."""
    reported = reading.get("logprobs")
    tokens = reported.content if reported else None
    if not tokens:
        return None
    text = "".join(token.token for token in tokens)
    start = text.rfind(reading.answer)
    if start < 0 or not reading.answer:
        return None
    position, total = 0, 0.0
    for token in tokens:
        end = position + len(token.token)
        if end > start and position < start + len(reading.answer):
            total += token.logprob
        position = end
    return math.exp(total)
