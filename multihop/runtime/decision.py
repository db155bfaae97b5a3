"""One decision of a step: what cloning and step-level compilation learn from."""

from typing import Any, NamedTuple, TypedDict


class DecisionRecord(TypedDict):
    """What a step was told and decided, as a row keeps it."""

    step: str
    """The step's name in its program."""
    inputs: dict[str, Any]
    """What it was told, field by field."""
    outputs: dict[str, Any]
    """What it answered, field by field."""


class Decision(NamedTuple):
    """What a step was told, and what it answered."""

    step: str
    """The step's name in its program."""
    inputs: dict[str, Any]
    outputs: dict[str, Any]

    @property
    def record(self) -> DecisionRecord:
        """The same as plain values."""
        return {"step": self.step, "inputs": self.inputs, "outputs": self.outputs}
