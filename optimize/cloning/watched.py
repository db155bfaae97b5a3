"""A program that also gives away what its steps decided, so that a run's journal holds what cloning learns from."""

from typing import Any

import dspy

from ...runtime import Program


class Watched(Program):
    """Answers as the program does; the prediction has one field more, the `decisions` behind it."""

    def __init__(self, program: Program) -> None:
        self.retrieves = program.retrieves
        super().__init__(program.retriever, budget=program.budget, concurrency=program.concurrency, lms=None)
        self.name = f"{program.name}, watched"  # type: ignore[misc]
        self.program = program

    @property
    def settings(self) -> dict[str, Any]:
        """Those of the program."""
        return self.program.settings

    def lm_of(self, predictor: str) -> dspy.BaseLM | None:
        """The LM that the program asks a predictor with."""
        return self.program.lm_of(predictor.removeprefix("program."))

    async def aforward(self, question: str) -> dspy.Prediction:
        """Answer, and tell how."""
        with dspy.context(trace=[], max_trace_size=100_000):
            prediction = await self.program.acall(question=question)
            trace = list(dspy.settings.trace)
        decisions = self.program.decisions(question, prediction, trace)
        return dspy.Prediction(**prediction.toDict(), decisions=[decision.record for decision in decisions])
