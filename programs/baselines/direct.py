"""Answers from the LM's memory: `direct` at once, `cot` after thinking. No retrieval."""

from dataclasses import field

import dspy

from ...runtime import Program
from ...signatures import AnswerQuestion


class Direct(Program):
    """The answer the LM gives at once, without retrieval.

    Examples:
        >>> import dspy
        >>> from multihop.lms import scripted
        >>> from multihop.programs import Direct
        >>> with dspy.context(lm=scripted([{"answer": "Ada Lovelace"}])):
        ...     Direct()(question="Who wrote the first program?").answer
        'Ada Lovelace'
    """

    name = "direct"
    paper = "closed-book prompting (Brown et al., 2020)"
    calls = "1"
    retrieves = False

    retriever: None = field(default=None, init=False)

    def set_up(self) -> None:
        """Set up the steps."""
        self.answer = dspy.Predict(AnswerQuestion)

    async def aforward(self, question: str) -> dspy.Prediction:
        """Answer."""
        return await self.ask(self.answer, question=question)


class ChainOfThought(Direct):
    """The answer the LM gives after thinking step by step, without retrieval."""

    name = "cot"
    paper = "chain-of-thought prompting (Wei et al., 2022)"

    def set_up(self) -> None:
        """Set up the steps."""
        self.answer = dspy.ChainOfThought(AnswerQuestion)
