"""One decision of a step: what cloning and step-level compilation learn from."""

from typing import Any, NamedTuple, TypedDict


class DecisionRecord(TypedDict):
    """A step's inputs and outputs, as a row keeps them."""

    step: str
    """The step's name in its program."""
    inputs: dict[str, Any]
    """The step's inputs, field by field."""
    outputs: dict[str, Any]
    """The step's answer, field by field."""


class Decision(NamedTuple):
    """A step's inputs, and its answer."""

    step: str
    """The step's name in its program."""
    inputs: dict[str, Any]
    outputs: dict[str, Any]

    @property
    def record(self) -> DecisionRecord:
        """The same as plain values."""
        return {"step": self.step, "inputs": self.inputs, "outputs": self.outputs}
