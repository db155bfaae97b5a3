"""A run, or the repeats of one, as far as they are."""

import os
from pathlib import Path
from typing import TypedDict

import ujson

from ...base import read_small
from ...evaluation.journal.journal import HEADER
from ..folders import repeats_in
from .live_run import LiveRun
from .live_state import LiveState, LiveStatus


class LiveRunsState(TypedDict):
    """The state of the runs of a folder."""

    status: LiveStatus
    """The state of them all: "running" while somebody is at work on one of them, also between two repeats."""
    runs: list[LiveState]
    """The run, or the repeats that have begun, by their numbers."""


class LiveRuns:
    """Follows what is in a folder: a run, or repeats of one."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Nothing is read yet."""
        self.folder = Path(folder)
        self._runs: dict[Path, LiveRun] = {}

    def read(self) -> LiveRunsState:
        """Read the rows written since the last time, and return the state of the runs.

        Raises:
            InputError: The folder holds no run, or a damaged one.
        """
        repeats = [] if (self.folder / HEADER).exists() else repeats_in(self.folder)
        states = [self._runs.setdefault(each, LiveRun(each)).read() for each in repeats or [self.folder]]
        status = states[-1]["status"]
        if any(state["status"] == "running" for state in states):
            status = "running"
        elif repeats and status == "finished" and _summed_up(self.folder) < len(repeats):
            status = "running"  # the next one is about to begin
        return {"status": status, "runs": states}


def _summed_up(folder: Path) -> int:
    """The number of repeats in the summary of all, which is written once they have ended."""
    try:
        return int(ujson.loads(read_small(folder / "summary.json"))["repeats"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0
