"""One decision of a step: what cloning and step-level compilation learn from."""

from typing import Any, NamedTuple


class Decision(NamedTuple):
    """What a step was told, and what it answered."""

    step: str
    """The step's name in its program."""
    inputs: dict[str, Any]
    outputs: dict[str, Any]
