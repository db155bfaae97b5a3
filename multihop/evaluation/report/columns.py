"""The numbers of a run, one column each, so that a run of any length fits in memory."""

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..journal.row import ROW_COSTS, Failure, Row, Status, cause_of
from ..matching import KINDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Key = tuple[str, ...]
"""("metrics", name), ("unmeasured", name), ("counts", name), ("cost", name), ("calls_by_role", role), ("tokens", model,
way), ("tokens_by_role", role, way) and `RUN_SECONDS`."""
RUN_SECONDS: Key = ("run", "seconds")
"""The seconds that the run had been at work when a question was finished."""
_COSTS: tuple[Key, ...] = tuple(("cost", name) for name in ROW_COSTS)


class Labels(NamedTuple):
    """The labels under which a row is counted."""

    status: Status
    """Answered, over the budget, or an error."""
    error: str
    """The error's name; empty where there was none."""
    type: str
    """The question's type."""
    hops: int
    """Its number of hops; 0 where unknown."""
    matched_by: str = ""
    """The way in which its gold was recognised (see `matching`); empty in errors, else never."""


class Columns:
    """Eight bytes for each number of each question, in the order of the questions' ids.

    Of a question with several rows, the last one counts. It is NaN where a row has no such number. Where no gold
    passage was recognised in the whole run, nobody knows whether it could have been, and there is no recall.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        """Take the numbers out of the rows, one row at a time."""
        import numpy as np

        places: dict[Key, int] = {key: place for place, key in enumerate((*_COSTS, RUN_SECONDS))}
        last: dict[str, tuple[Labels, array[float], dict[str, Failure]]] = {}
        same: dict[Labels, Labels] = {}
        for row in rows:
            numbers, labels = dict(_numbers(row)), _labels(row)
            for key in numbers:
                places.setdefault(key, len(places))
            values = array("d", [numbers.get(key, math.nan) for key in places])
            last[row["id"]] = same.setdefault(labels, labels), values, row.get("unmeasured", {})
        self.ids: list[str] = sorted(last)
        self.labels = [last[identifier][0] for identifier in self.ids]
        """The questions' labels."""
        self._failed = [failed for _, _, failed in last.values() if failed]
        table = np.full((len(places), len(last)), math.nan)
        for place, identifier in enumerate(self.ids):
            values = last[identifier][1]
            table[: len(values), place] = values
        self._columns = dict(zip(places, table, strict=True))
        ways = {labels.matched_by for labels in self.labels} - {""}
        if ways and ways.isdisjoint(KINDS):
            for kind, *names in places:
                if kind == "metrics" and "recall@" in names[0]:
                    self._columns[kind, names[0]][:] = math.nan

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, key: Key) -> "NDArray[np.float64]":
        return self._columns[key]

    def __contains__(self, key: Key) -> bool:
        return key in self._columns

    @property
    def answered(self) -> dict[str, int]:
        """The places of the questions that did not end in an error, by id."""
        places = enumerate(zip(self.ids, self.labels, strict=True))
        return {identifier: place for place, (identifier, labels) in places if labels.status != "error"}

    @property
    def measured(self) -> list[str]:
        """The names of the metrics."""
        return [name for _, name in self.of_kind("metrics")]

    def unmeasured(self, metric: str) -> "NDArray[np.bool_]":
        """The answers on which the metric failed, in the order of the ids."""
        import numpy as np

        key = ("unmeasured", metric)
        return self[key] == 1.0 if key in self._columns else np.zeros(len(self), dtype=bool)

    def cause(self, metric: str) -> str:
        """The most frequent cause for which the metric failed."""
        causes = Counter(cause_of(failed[metric]) for failed in self._failed if metric in failed)
        return causes.most_common(1)[0][0]

    def of_kind(self, kind: str) -> list[Key]:
        """The columns of one kind, such as "metrics"."""
        return [key for key in self._columns if key[0] == kind]


def _labels(row: Row) -> Labels:
    error = row.get("error")
    name, matched_by = (error["type"], "") if error else ("", row.get("matched_by", ""))
    return Labels(row["status"], name, row.get("type", ""), row.get("hops", 0), matched_by)


def _numbers(row: Row) -> Iterator[tuple[Key, float]]:
    cost: Mapping[str, Any] = row["cost"]  # read by the names of its columns
    for name, value in row["metrics"].items():
        yield ("metrics", name), math.nan if value is None else value
    for name in row.get("unmeasured", {}):
        yield ("unmeasured", name), 1.0
    yield RUN_SECONDS, row.get("run_seconds", 0.0)
    for key in _COSTS:
        yield key, cost[key[1]]
    for name, value in row.get("counts", {}).items():
        yield ("counts", name), value
    for role, calls in cost.get("calls_by_role", {}).items():
        yield ("calls_by_role", role), calls
    for kind in ("tokens", "tokens_by_role"):
        for whose, spent in cost.get(kind, {}).items():
            for way, tokens in spent.items():
                yield (kind, whose, way), tokens
