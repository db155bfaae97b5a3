"""Work in a process of its own: its result, and the time and memory that it alone needed."""

import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple


class Spent(NamedTuple):
    """The result of a piece of work and the costs, its imports left out of the seconds and not of the memory."""

    result: Any
    wall: float
    """Seconds."""
    processor: float
    """Seconds of all cores together, which hardly depend on what else the machine does."""
    peak: float
    """MiB of memory at most, mapped files that were read included (Linux)."""


def run_apart(work, *arguments):
    """The result and costs of `work(*arguments)`, a function of an imported module; its errors are raised here."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(_measure, work, arguments).result()


def memory(field="VmRSS", process="self"):
    """MiB of memory that a process has (`VmRSS`), has had at most (`VmHWM`), or has alone (`RssAnon`)."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise ValueError(f"/proc/{process}/status has no {field}")


def percentile(values, share):
    """The value that so large a share of the values does not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def _measure(work, arguments):
    wall, processor = time.perf_counter(), time.process_time()
    result = work(*arguments)
    return Spent(result, time.perf_counter() - wall, time.process_time() - processor, memory("VmHWM"))
