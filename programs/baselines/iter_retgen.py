"""ITER-RETGEN: each full response retrieves for the next one.

Zhihong Shao et al., "Enhancing Retrieval-Augmented Large Language Models with Iterative Retrieval-Generation Synergy"
(2023), section 3.
"""

import dspy

from ...retrieval import Passage
from ...signatures import AnswerFromPassages
from ..shared.chain import Chain, Walk


class IterativeRetrievalGeneration(Chain):
    """The last of a few answers, each from the passages that the question and the answer before retrieved.

    Every turn reads its own passages only, and thinks before it answers; the thoughts and the answer are the query's
    second half. The passages of the last turn are returned first. If a turn cannot be parsed, the answer before counts.

    Differs from the paper: it ends early at a response that repeats, and after passages of which none is new (`stops`).
    """

    name = "iter-retgen"
    paper = "ITER-RETGEN (Shao et al., 2023)"
    calls = "1 a turn"

    def set_up(self) -> None:
        """Set up the steps."""
        self.answer = dspy.ChainOfThought(AnswerFromPassages)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return self.turns - 1 + self.reads

    async def aforward(self, question: str) -> dspy.Prediction:
        """Retrieve, answer, retrieve with the answer."""
        walk, query = Walk(self), question
        responses: list[dspy.Prediction] = []
        latest: list[Passage] = []
        while (passages := await walk.find(query)) is not None:
            latest = passages
            if walk.over and not self.reads:
                break
            response = await self.attempt(self.ask(self.answer, passages=passages, question=question), reserve=0)
            if response is None:
                break
            responses.append(response)
            query = f"{question} {response.reasoning} {response.answer}".strip()
        if not responses and self.reads:
            responses.append(await self.ask(self.answer, passages=latest, question=question))
        latest_first = {passage.id: passage for passage in (*latest, *walk.passages)}
        return dspy.Prediction(
            answer=responses[-1].answer if self.reads else None,
            passages=list(latest_first.values()),
            evidence=[{"analysis": response.reasoning, "passages": []} for response in responses],
            counts=walk.counts,
        )
