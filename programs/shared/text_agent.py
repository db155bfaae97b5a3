"""The base of agents that write one text, search in the middle of it, and find their answer in it."""

from collections.abc import Sequence

import dspy

from ...signatures import AnswerFromPassages
from .chain import Chain, Walk
from .evidence import read_last


class TextAgent(Chain):
    """The base of `search-r1` and `search-o1`: the LM sees its own text so far and goes on with it.

    On a server of your own (`server/NAME@URL`) it sees what such models are trained on: one message that asks, then its
    own text, which it continues up to a mark that ends a search or the answer. Other LMs get the text as an input.
    What either writes after such a mark is cut off.
    """

    planner = "write"

    reads_unfinished: bool = True
    """Whether a question without an answer in the end is read from the passages; where not, its answer is empty, which
    counts as wrong."""

    def set_up(self) -> None:
        """Set up the reader."""
        self.read = dspy.Predict(AnswerFromPassages)

    async def finished(self, walk: Walk, answer: str, texts: Sequence[str], question: str) -> dspy.Prediction:
        """The prediction: with the answer that the text has, or with one that is read where it has none."""
        found: str | None = answer
        if not answer and self.reads_unfinished:
            found = (await read_last(self, self.read, passages=walk.passages, question=question)).answer
        return walk.prediction(found, [{"analysis": "".join(texts), "passages": list(walk.passages_by_id)}])
