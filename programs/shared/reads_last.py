"""The base of methods whose last step reads what they found, and which can also stop before it."""

from typing import Any

import dspy

from ...runtime import Program


class ReadsLast(Program):
    """A method that returns the same passages whatever its last step reads in them."""

    reads: bool = True
    """False to stop where the last step would read: passages and no answer, for an LM call less."""

    async def read_last(self, reader: dspy.Module, /, **inputs: Any) -> dspy.Prediction:
        """What the reader says; an answer that is None, and no call, where the program does not read."""
        return await self.ask(reader, **inputs) if self.reads else dspy.Prediction(answer=None)
