"""The table of all questions: a column for each value, so that ten thousand of them stay small."""

from typing import Any, TypedDict, cast

from ...evaluation.row import Row
from ...runtime import token_count
from .outcomes import Outcome, outcome_of


class QuestionList(TypedDict):
    """A run's questions, column by column, all of the same length and order."""

    id: list[str]
    """The ids."""
    question: list[str]
    """The questions."""
    type: list[str]
    """The types; empty where unknown."""
    hops: list[int]
    """The numbers of hops; 0 where unknown."""
    status: list[str]
    """"ok", "over_budget" or "error"."""
    answer: list[str]
    """The answers; in an error the error's name."""
    gold: list[str]
    """The first accepted answer; empty where none is known."""
    outcome: list[Outcome]
    """The outcomes."""
    complete: list[bool | None]
    """True where all gold passages are among those returned; None where that is not known."""
    metrics: dict[str, list[float | None]]
    """Each metric by its name."""
    calls: list[int]
    """LM calls."""
    tokens: list[int]
    """Tokens, in and out."""
    seconds: list[float]
    """The time that each took."""


class QuestionTable:
    """Makes the table row by row."""

    def __init__(self) -> None:
        self._columns: dict[str, list[Any]] = {name: [] for name in QuestionList.__annotations__ if name != "metrics"}
        self._metrics: dict[str, list[float | None]] = {}

    def add(self, row: Row) -> None:
        """One more question."""
        before, error, measured = len(self._columns["id"]), row.get("error"), row["metrics"]
        values = {
            "id": row["id"],
            "question": row["question"],
            "type": row.get("type", ""),
            "hops": row.get("hops", 0),
            "status": row["status"],
            "answer": error["type"] if error else (row["answer"] or ""),
            "gold": row["answers"][0] if row["answers"] else "",
            "outcome": outcome_of(row),
            "complete": _is_one(measured.get("recall@K")),
            "calls": row["cost"]["calls"],
            "tokens": token_count(row["cost"]["tokens"]),
            "seconds": round(row["cost"]["seconds"], 3),
        }
        for name, value in values.items():
            self._columns[name].append(value)
        for name in measured.keys() | self._metrics.keys():
            number = measured.get(name)
            self._metrics.setdefault(name, [None] * before).append(None if number is None else round(number, 4))

    @property
    def columns(self) -> QuestionList:
        """The table; a metric that applies to no question is left out."""
        metrics = self._metrics
        shown = {name: metrics[name] for name in sorted(metrics) if any(value is not None for value in metrics[name])}
        return cast(QuestionList, {**self._columns, "metrics": shown})


def _is_one(value: float | None) -> bool | None:
    return None if value is None else value == 1.0
