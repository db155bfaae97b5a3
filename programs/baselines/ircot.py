"""IRCoT: each sentence of a chain of thought retrieves for the next one.

Harsh Trivedi et al., "Interleaving Retrieval with Chain-of-Thought Reasoning for Knowledge-Intensive Multi-Step
Questions" (2023), section 3.
"""

import dspy

from ...runtime import Count
from ...signatures import AnswerFromPassages, ThinkOneSentence
from ..shared.chain import Chain, Walk, final_answer
from ..shared.evidence import read_last


class InterleavedThought(Chain):
    """The answer read from the passages that a chain of thought retrieved sentence by sentence.

    Differs from the paper: the thought says in a field of its own whether it gives the answer; a sentence that says
    "the answer is" ends the chain as well. It ends early at a sentence that repeats, and after passages of which none
    is new (`stops`). The paper's reader is a separate prompt over the same passages, as here. The paper
    stops after eight sentences and keeps 15 passages, whatever k is: `turns=9, max_passages=15`.
    """

    name = "ircot"
    paper = "IRCoT (Trivedi et al., 2023)"
    calls = "1 a sentence, 1 to read"
    planner = "think"

    max_passages: Count | None = None
    """Passages to keep, those found first; None keeps all, so that they grow with k and with turns."""
    least_turns: Count = 1
    """Retrievals at least, whatever a sentence says before; small LMs take their first one for the answer."""

    def set_up(self) -> None:
        """Set up the thinker and the reader."""
        self.think = dspy.Predict(ThinkOneSentence)
        self.read = dspy.ChainOfThought(AnswerFromPassages)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return self.turns - 1 + self.reads

    async def aforward(self, question: str) -> dspy.Prediction:
        """Retrieve, think one sentence, retrieve with it; then read."""
        walk = Walk(self, max_passages=self.max_passages)
        thoughts: list[str] = []
        await walk.find(question)
        while not walk.over:
            sentence = await self.attempt(
                self.ask(self.think, passages=walk.passages, thoughts=thoughts, question=question)
            )
            if sentence is None:
                break
            thoughts.append(sentence.thought)
            if walk.rounds >= self.least_turns and (sentence.enough or final_answer(sentence.thought)):
                break
            await walk.find(sentence.thought.strip())
        prediction = await read_last(self, self.read, passages=walk.passages, question=question)
        return walk.prediction(
            prediction.answer, [{"analysis": " ".join(thoughts), "passages": list(walk.passages_by_id)}]
        )
