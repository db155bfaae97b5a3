"""The numbers of a run, one column each, so that a run of any length fits in memory."""

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from ...base import DamagedFileError
from ..journal.row import ROW_COSTS, Row, Status, cause_of
from ..matching import KINDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Key = tuple[str, ...]
"""("metrics", name), ("unmeasured", name), ("counts", name), ("cost", name), ("calls_by_role", role), ("tokens", model,
way), ("tokens_by_role", role, way) and `RUN_SECONDS`."""
RUN_SECONDS: Key = ("run", "seconds")
"""The seconds that the run had been at work when a question was finished."""
STATUSES: tuple[Status, ...] = get_args(Status)


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
        """Take the numbers out of the rows, one row at a time.

        Args:
            rows: The run's rows.

        Raises:
            InputError: A row is damaged.
        """
        self._places: dict[str, int] = {}
        self._causes: dict[str, Counter[str]] = defaultdict(Counter)
        self._labels: list[Labels] = []
        costs = [("cost", name) for name in ROW_COSTS]
        self._columns: dict[Key, array[float]] = {key: array("d") for key in (*costs, RUN_SECONDS)}
        same: dict[Labels, Labels] = {}
        for row in rows:
            try:
                labels, numbers = _labels(row), list(_numbers(row))
                self._add(row["id"], same.setdefault(labels, labels), numbers)
                for name, failure in row.get("unmeasured", {}).items():
                    self._causes[name][cause_of(failure)] += 1
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise DamagedFileError(
                    f"the row of question '{row.get('id')}' is damaged: {_reason(error)}."
                ) from error
        self.ids: list[str] = sorted(self._places)
        self._order = [self._places[identifier] for identifier in self.ids]
        ways = {labels.matched_by for labels in self._labels} - {""}
        if ways and ways.isdisjoint(KINDS):
            for key in [key for key in self._columns if key[0] == "metrics" and "recall@" in key[1]]:
                self._columns[key] = array("d", [math.nan]) * len(self._labels)

    def _add(self, identifier: str, labels: Labels, numbers: list[tuple[Key, float]]) -> None:
        place = self._places.setdefault(identifier, len(self._places))
        if place == len(self._labels):
            self._labels.append(labels)
            for column in self._columns.values():
                column.append(math.nan)
        else:
            self._labels[place] = labels
            for column in self._columns.values():
                column[place] = math.nan
        for key, number in numbers:
            if key not in self._columns:
                self._columns[key] = array("d", [math.nan]) * len(self._labels)
            self._columns[key][place] = number

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, key: Key) -> "NDArray[np.float64]":
        import numpy as np

        return np.frombuffer(self._columns[key])[self._order]

    def __contains__(self, key: Key) -> bool:
        return key in self._columns

    @property
    def labels(self) -> list[Labels]:
        """The questions' labels."""
        return [self._labels[place] for place in self._order]

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
        return self._causes[metric].most_common(1)[0][0]

    def of_kind(self, kind: str) -> list[Key]:
        """The columns of one kind, such as "metrics"."""
        return [key for key in self._columns if key[0] == kind]


def _labels(row: Row) -> Labels:
    status, error = row["status"], row.get("error")
    if status not in STATUSES:
        raise ValueError(f"its status is {status!r}, not one of {', '.join(STATUSES)}")
    name, matched_by = (str(error["type"]), "") if error else ("", str(row.get("matched_by") or ""))
    return Labels(status, name, str(row.get("type", "")), int(row.get("hops", 0)), matched_by)


def _numbers(row: Row) -> Iterator[tuple[Key, float]]:
    cost: Mapping[str, Any] = row["cost"]  # read by the names of its columns
    for name, value in row["metrics"].items():
        yield ("metrics", name), math.nan if value is None else float(value)
    for name in row.get("unmeasured", {}):
        yield ("unmeasured", name), 1.0
    yield RUN_SECONDS, float(row["run_seconds"])
    for name in ROW_COSTS:
        yield ("cost", name), float(cost[name])
    for name, value in row.get("counts", {}).items():
        yield ("counts", name), float(value)
    for role, calls in cost["calls_by_role"].items():
        yield ("calls_by_role", role), float(calls)
    for kind in ("tokens", "tokens_by_role"):
        for whose, spent in cost[kind].items():
            for way, tokens in spent.items():
                yield (kind, whose, way), float(tokens)


def _reason(error: Exception) -> str:
    return f"it lacks {error}" if isinstance(error, KeyError) else str(error)
