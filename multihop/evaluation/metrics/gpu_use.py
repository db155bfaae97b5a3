"""The use of this machine's GPUs while a question is answered, where nvidia-smi reports it."""

import os
import subprocess
import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import fmean
from threading import Event, Thread
from typing import Any

from .metric import Metric

QUERY = ("nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits")
EVERY = 1.0
"""Seconds between two readings."""


class GPUUse(Metric):
    """The share of a question's time in which this machine's NVIDIA GPUs computed: "gpu", the mean over those visible.

    It is nvidia-smi's figure, read every second while a run lasts, so it holds whatever else computes there; in a run
    that answers several questions at once, each has the figure of all. An LM on another machine is not in it. Without
    nvidia-smi there is no figure, which is not a 0. The GPUs are those of CUDA_VISIBLE_DEVICES, all by default.

    Examples:
        >>> import dspy
        >>> from multihop.evaluation.metrics import GPUUse
        >>> gpu = GPUUse(["no-such-command"])
        >>> with gpu.observe():
        ...     print(gpu.measure(None, dspy.Prediction(answer="London", cost={"seconds": 0.5})))
        None
    """

    name = "gpu"
    needs = "an NVIDIA GPU"

    def __init__(self, command: Sequence[str] = QUERY) -> None:
        """Read the lines of this command, the percentage of a GPU each."""
        self.command = list(command)
        self._shares: list[float] = []
        self._times: list[float] = []

    @contextmanager
    def observe(self) -> Iterator[None]:
        """Read what the command says, again and again for as long as the block lasts."""
        over = Event()
        reader = Thread(target=self._read, args=(over,), daemon=True)
        reader.start()
        try:
            yield
        finally:
            over.set()
            reader.join()

    def measure(self, gold: Any, prediction: Any) -> float | None:
        """A number between 0.0 and 1.0, over the question's seconds until now; None where nobody tells."""
        cost = getattr(prediction, "cost", None) or {}
        if "seconds" not in cost or not self._times:
            return None
        seconds = cost["seconds"] + cost.get("waited", 0.0)
        first = bisect_left(self._times, time.monotonic() - seconds)
        return fmean(self._shares[first:] or self._shares[-1:])  # a short question has the latest figure

    def _read(self, over: Event) -> None:
        while not over.is_set():
            try:
                done = subprocess.run([*self.command, *_visible()], capture_output=True, text=True, timeout=10)
            except (OSError, subprocess.SubprocessError):  # it is not installed, or it hangs
                return
            shares = [int(line) / 100 for line in done.stdout.split("\n") if line.strip().isdigit()]
            if not shares:  # a GPU that cannot tell says so in words
                return
            self._shares.append(fmean(shares))
            self._times.append(time.monotonic())
            over.wait(EVERY)


def _visible() -> list[str]:
    """The option that keeps nvidia-smi to the GPUs that this process may use."""
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    return [f"--id={given}"] if given else []
