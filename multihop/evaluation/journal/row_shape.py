"""The shape of a row, looked at once, where a line of a file becomes a row: whoever reads rows need not look again."""

from collections.abc import Mapping
from typing import Any, get_args

from .row import Status

_NAMES = {str: "a text", list: "a list", dict: "an object", int: "a whole number"}
_FIELDS: Mapping[str, type] = {"id": str, "metrics": dict, "cost": dict}
"""Fields without which nothing can be said of a row."""
_FURTHER: Mapping[str, type] = {
    "question": str,
    "type": str,
    "hops": int,
    "answers": list,
    "supporting": list,
    "matched_by": str,
    "unmeasured": dict,
    "returned": dict,
    "passages": list,
    "evidence": list,
    "decisions": list,
    "trajectory": list,
    "counts": dict,
}
ROW_COSTS = ("calls", "cached", "estimated", "retrievals", "parse_failures", "chain", "seconds")
"""Numbers that the cost of every row has."""


def check_row(value: Any) -> None:
    """Refuse what is no row.

    Raises:
        ValueError: It is none; the message says what is wrong with it.

    Examples:
        >>> from multihop.evaluation.journal.row_shape import check_row
        >>> check_row({"id": ["q1"], "status": "ok"})
        Traceback (most recent call last):
        ...
        ValueError: its id is not a text
    """
    if not isinstance(value, dict):
        raise ValueError("it is not an object")
    for name, kind in _FIELDS.items():
        if name not in value:
            raise ValueError(f"it has no {name}")
        _check(name, value[name], kind)
    for name, kind in _FURTHER.items():
        if name in value:
            _check(name, value[name], kind)
    if value.get("status") not in get_args(Status):
        raise ValueError(f"its status is {value.get('status')!r:.40}, not one of {', '.join(get_args(Status))}")
    failed = value["status"] == "error"
    for failure in [*([value.get("error")] if failed else []), *value.get("unmeasured", {}).values()]:
        if not (isinstance(failure, dict) and all(isinstance(failure.get(part), str) for part in ("type", "message"))):
            raise ValueError("a failure in it has no type and message")
    _check_numbers(value)


def _check_numbers(row: dict[str, Any]) -> None:
    for group, numbers in (("metrics", row["metrics"]), ("counts", row.get("counts", {}))):
        for name, number in numbers.items():
            if number is not None and not _is_number(number):
                raise ValueError(f"its {group} have {number!r:.40} for {name}, which is no number")
    for name in ROW_COSTS:
        if not _is_number(row["cost"].get(name)):
            raise ValueError(f"its cost has no number of {name}")
    for name in ("tokens", "tokens_by_role", "paid_tokens", "calls_by_role"):
        _check_counts(name, row["cost"].get(name, {}))
    if not _is_number(row.get("run_seconds", 0.0)):
        raise ValueError("its run_seconds are no number")


def _check(name: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"its {name} is not {_NAMES[kind]}")


def _check_counts(name: str, counts: Any) -> None:
    """Numbers by name, or by name and way."""
    parts = counts.values() if isinstance(counts, dict) else [counts]
    for part in parts:
        if not all(map(_is_number, part.values() if isinstance(part, dict) else [part])):
            raise ValueError(f"the {name} of its cost are not numbers")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)
