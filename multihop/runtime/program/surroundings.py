"""The settings of DSPy's wrappers around a program that runs on another event loop."""

from typing import Any

import dspy

from ..lm_call.sync_adapter import awaitable
from ..observe.streaming import reaching


def surroundings(*, blocks: bool = False) -> dict[str, Any]:
    """The settings of DSPy's wrappers for whoever runs on the caller's event loop, as they are for any other loop."""
    stream, adapter = dspy.settings.send_stream, dspy.settings.adapter
    return {"send_stream": reaching(stream, blocks=blocks), "adapter": awaitable(adapter)}
