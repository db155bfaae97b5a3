"""The shape of a row, looked at once, where a line of a file becomes a row: whoever reads rows need not look again.

A run may have a million rows, and a look at one takes a fraction of what its JSON takes; so kinds are compared exactly,
as JSON gives them.
"""

from collections.abc import Mapping
from typing import Any, get_args

from .row import Status

_NAMES = {str: "a text", list: "a list", dict: "an object", int: "a whole number", bool: "true or false"}
_NEEDED: Mapping[str, type] = {"id": str, "metrics": dict, "cost": dict}
"""Fields without which nothing can be said of a row."""
_KINDS: Mapping[str, type] = {
    **_NEEDED,
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
    "answerable": bool,
}
_NUMBERS = frozenset({int, float, bool})
_NUMBERS_OR_NONE = _NUMBERS | {type(None)}
_STATUSES = get_args(Status)
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
    for name, part in value.items():
        if type(part) is not _KINDS.get(name, type(part)):
            raise ValueError(f"its {name} is not {_NAMES[_KINDS[name]]}")
    if not value.keys() >= _NEEDED.keys():
        raise ValueError(f"it has no {next(name for name in _NEEDED if name not in value)}")
    if value.get("status") not in _STATUSES:
        raise ValueError(f"its status is {value.get('status')!r:.40}, not one of {', '.join(_STATUSES)}")
    failures = [value.get("error")] if value["status"] == "error" else []
    for failure in [*failures, *value.get("unmeasured", {}).values()]:
        if not (isinstance(failure, dict) and all(isinstance(failure.get(part), str) for part in ("type", "message"))):
            raise ValueError("a failure in it has no type and message")
    _check_numbers(value)


def _check_numbers(row: dict[str, Any]) -> None:
    for group in ("metrics", "counts"):
        numbers = row.get(group)
        if numbers and not _NUMBERS_OR_NONE.issuperset(map(type, numbers.values())):
            name, number = next(each for each in numbers.items() if type(each[1]) not in _NUMBERS_OR_NONE)
            raise ValueError(f"its {group} have {number!r:.40} for {name}, which is no number")
    cost = row["cost"]
    if not _NUMBERS.issuperset(map(type, map(cost.get, ROW_COSTS))):
        name = next(name for name in ROW_COSTS if type(cost.get(name)) not in _NUMBERS)
        raise ValueError(f"its cost has no number of {name}")
    for name in ("tokens", "tokens_by_role", "paid_tokens", "calls_by_role"):
        if name in cost:
            _check_counts(name, cost[name])
    if type(row.get("run_seconds", 0.0)) not in _NUMBERS:
        raise ValueError("its run_seconds are no number")


def _check_counts(name: str, counts: Any) -> None:
    """Numbers by name, or by name and way."""
    for part in counts.values() if type(counts) is dict else (counts,):
        if type(part) not in _NUMBERS and not (type(part) is dict and _NUMBERS.issuperset(map(type, part.values()))):
            raise ValueError(f"the {name} of its cost are not numbers")
