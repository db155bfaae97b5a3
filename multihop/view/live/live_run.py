"""A run as far as it is: read from its files alone, again and again while it goes on."""

import os
import time
from collections import Counter, deque
from pathlib import Path
from typing import NamedTuple

from ...evaluation.journal.header import Header, selection_of
from ...evaluation.journal.journal import is_worked_on, read_header
from ...evaluation.journal.row import Row, Status
from ...evaluation.matching import KINDS
from ...evaluation.report.report import lm_names, program_name, unit_of
from ...evaluation.report.statistics import RunningMean
from ...runtime import token_count
from .live_state import LastQuestion, LiveMetric, LiveState, LiveStatus
from .row_tail import RowTail

LAST = 8
"""Questions that are shown one by one."""


class _Finished(NamedTuple):
    """A question's share in the counts, until it is asked or measured again."""

    status: Status
    error: str
    metrics: frozenset[str]
    unmeasured: frozenset[str]
    cost: dict[str, int]


class LiveRun:
    """Follows one run."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Nothing is read yet."""
        self.folder = Path(folder)
        self._begin()

    def _begin(self) -> None:
        self._tail = RowTail(self.folder)
        self._done: set[str] = set()
        self._again: dict[str, _Finished] = {}  # only what failed, or could not be measured, may come again
        self._means: dict[str, RunningMean] = {}
        self._statuses: Counter[str] = Counter()
        self._errors: Counter[str] = Counter()
        self._unmeasured: Counter[str] = Counter()
        self._cost: Counter[str] = Counter()
        self._worked = 0.0
        self._recognised = False
        self._last: deque[LastQuestion] = deque(maxlen=LAST)

    def read(self, *, now: float | None = None) -> LiveState:
        """Read the rows written since the last time, and return the state of the run.

        Args:
            now: The time, as `time.time` tells it.

        Raises:
            InputError: The folder holds no run, or a damaged one.
        """
        status, header = _status(self.folder)  # before the rows: a run that has ended has written all of its own
        if self._tail.is_cut():
            self._begin()
        for row in self._tail.new_rows():
            self._add(row)
        done, seconds = len(self._done), self._worked
        data, limit = header["identity"]["data"], header.get("limits", {}).get("questions")
        total = max(selection_of(data).count(data["questions"], limit), done)
        return {
            "folder": os.fspath(self.folder),
            "program": program_name(header),
            "lm": lm_names(header),
            "simulated": bool(header.get("simulated", False)),
            "status": status,
            "done": done,
            "total": total,
            "metrics": {name: self._metric(name) for name in self._means if self._is_known(name)},
            "unmeasured": dict(sorted((+self._unmeasured).items())),
            "over_budget": self._statuses["over_budget"],
            "errors": dict((+self._errors).most_common()),
            "calls": self._cost["calls"],
            "tokens": self._cost["tokens"],
            "parse_failures": self._cost["parse_failures"],
            "per_minute": 60 * done / seconds if seconds else None,
            "seconds_left": (total - done) * seconds / done if seconds and done else None,
            "idle_seconds": self._tail.seconds_since_last(time.time() if now is None else now),
            "last": list(self._last),
        }

    def _add(self, row: Row) -> None:
        """Count a question; where it was asked or measured again, its last row."""
        before = self._again.pop(row["id"], None)
        if before is not None:
            self._count(before, -1)
        found = _finished(row)
        self._count(found, 1)
        if found.error or found.unmeasured:
            self._again[row["id"]] = found
        self._done.add(row["id"])
        for name, value in row["metrics"].items():
            if value is not None and (before is None or name not in before.metrics):
                self._means.setdefault(name, RunningMean()).add(value)
        self._worked = max(self._worked, row.get("run_seconds", 0.0))
        self._recognised |= row.get("matched_by") in KINDS
        self._last.appendleft(_in_short(row))

    def _count(self, found: _Finished, times: int) -> None:
        self._statuses[found.status] += times
        if found.error:
            self._errors[found.error] += times
        self._unmeasured.update(dict.fromkeys(found.unmeasured, times))
        self._cost.update({name: times * count for name, count in found.cost.items()})

    def _is_known(self, name: str) -> bool:
        """True if the metric is known: until any gold passage was recognised, a recall of 0 may be one nobody knows."""
        return self._recognised or "recall" not in name

    def _metric(self, name: str) -> LiveMetric:
        mean, failed = self._means[name], self._unmeasured[name]
        found: LiveMetric = {"mean": mean.mean, "n": mean.n}
        if unit_of(name)[0] == 100:
            least, most = mean.with_more(0.0, failed), mean.with_more(1.0, failed)
            found["low"] = max(least.mean - least.half, 0.0)
            found["high"] = min(most.mean + most.half, 1.0)
        return found


def _status(folder: Path) -> tuple[LiveStatus, Header]:
    """The state of the run; what the header says counts only where nobody is at work on it."""
    if is_worked_on(folder):
        return "running", read_header(folder)
    header = read_header(folder)  # read now: it was written before the run was left
    return ("abandoned" if header["status"] == "running" else header["status"]), header


def _finished(row: Row) -> _Finished:
    cost = {name: int(row["cost"][name]) for name in ("calls", "parse_failures")}  # type: ignore[literal-required]
    return _Finished(
        row["status"],
        row["error"]["type"] if row["error"] else "",
        frozenset(name for name, value in row["metrics"].items() if value is not None),
        frozenset(row.get("unmeasured", ())),
        {**cost, "tokens": token_count(row["cost"]["tokens"])},
    )


def _in_short(row: Row) -> LastQuestion:
    exact = row["metrics"].get("em")
    return {
        "id": row["id"],
        "question": row["question"],
        "status": row["status"],
        "right": None if exact is None else exact == 1.0,
        "answer": row["error"]["type"] if row["error"] else row["answer"] or "",
    }
