"""The line of a training on this machine, below that of the run that it learns from."""

import time
from typing import Self

from rich.console import Console

from .work_line import WorkLine


class TrainingLine(WorkLine):
    """Shows how far a training is, from its first step on."""

    def __init__(self, console: Console) -> None:
        """Nothing is shown before its first step.

        Args:
            console: That of the run's line.
        """
        super().__init__("training …", console)

    def __enter__(self) -> Self:
        return self

    def show_due(self, line: str) -> None:
        """Show the line if the last one is old enough."""
        if self.console.is_terminal:
            self._status.start()
        now = time.monotonic()
        if self.is_due(now):
            self.show(line, now)
