"""The rows of docs/board, a file each: read and checked, and written."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import ujson

from multihop.base import InputError, unknown
from multihop.experiments import open_experiment

BOARD = Path(__file__).with_name("board")
EXPERIMENT = "zero-token"


class Claim(TypedDict):
    """A figure, in percent."""

    mean: float
    n: int
    """The questions it is of."""
    low: NotRequired[float]
    """The lower end of the 95 % interval; absent where the source has no interval."""
    high: NotRequired[float]
    """The upper end of the 95 % interval; absent where the source has no interval."""


class Row(TypedDict):
    """A row of the board."""

    row: str
    """Its name in the experiment, as --rows takes it."""
    title: str
    """Its name in the tables."""
    who: str
    """Whoever measured it."""
    how: str
    """The command that prints its figures."""
    version: str
    """The version of multihop."""
    measured: str
    """The day."""
    note: str
    """Other remarks; empty for none."""
    parameters: float | None
    """Millions of weights of all its networks; None where it is not known."""
    index_mb: float | None
    """Megabytes of the index of HotpotQA's corpus."""
    times_bm25: float | None
    """The median time of a question, as a multiple of that of the row "bm25" in the same run."""
    cpu_seconds: float | None
    """Processor time of a question, all cores together."""
    sets: dict[str, dict[str, Claim]]
    """The figures by question set and measure, by the experiment's names for them."""


_TEXTS = ("row", "title", "who", "how", "version", "measured", "note")
_NUMBERS = ("parameters", "index_mb", "times_bm25", "cpu_seconds")


def read_rows(folder: Path = BOARD, experiment: str = EXPERIMENT) -> list[Row]:
    """All rows, in the order of their files."""
    return [read_row(path.stem, folder, experiment) for path in sorted(folder.glob("*.json"))]


def read_row(name: str, folder: Path = BOARD, experiment: str = EXPERIMENT) -> Row:
    """The row in the file of that name.

    Raises:
        InputError: There is no such row, or its file is wrong somewhere; the message says where.
    """
    path = folder / f"{name}.json"
    if not path.is_file():
        raise unknown("row of the board", name, [each.stem for each in sorted(folder.glob("*.json"))])
    try:
        row = ujson.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}.") from None
    check_row(row, str(path), experiment)
    return row  # type: ignore[no-any-return]


def check_row(row: Any, path: str, of: str = EXPERIMENT) -> None:
    """Refuse what is no row.

    Raises:
        InputError: It is none; the message names the file and the key.
    """
    if not isinstance(row, dict) or row.keys() != Row.__annotations__.keys():
        raise InputError(f"{path}: a row has the keys {', '.join(Row.__annotations__)}.")
    for key in _TEXTS:
        if not isinstance(row[key], str):
            raise InputError(f"{path}, {key}: it is a text, not {row[key]!r}.")
    for key in _NUMBERS:
        if row[key] is not None and not _is_number(row[key]):
            raise InputError(f"{path}, {key}: it is a number from 0 on, or null for none, not {row[key]!r}.")
    experiment = open_experiment(of)
    metrics = list(dict.fromkeys(column.metric for column in experiment.columns))
    for name, claims in row["sets"].items():
        if name not in experiment.sets:
            raise InputError(f"{path}, sets: {unknown('question set', name, experiment.sets)}")
        for metric, claim in claims.items():
            if metric not in metrics:
                raise InputError(f"{path}, sets.{name}: {unknown('measure', metric, metrics)}")
            _check_claim(claim, f"{path}, sets.{name}.{metric}")


def _check_claim(claim: Mapping[str, Any], place: str) -> None:
    given = {key: claim.get(key) for key in ("low", "mean", "high") if key in claim}
    if "mean" not in given or ("low" in given) != ("high" in given) or not all(map(_is_number, given.values())):
        raise InputError(f"{place}: a figure has a mean, and low and high or neither, as numbers.")
    if list(given.values()) != sorted(given.values()) or max(given.values()) > 100:
        raise InputError(f"{place}: low, mean and high rise, and are percentages, not {given}.")
    if not isinstance(claim.get("n"), int) or claim["n"] < 1:
        raise InputError(f"{place}: n is the number of questions, not {claim.get('n')!r}.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def write_row(row: Row, path: Path) -> None:
    """Write the row, a line a figure."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{_as_lines(row, depth=3)}\n", encoding="utf-8")


def _as_lines(value: Any, *, depth: int, before: str = "") -> str:
    """The value as JSON, with a line for each key of the outermost objects."""
    if not depth or not isinstance(value, Mapping) or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = f"{before}  "
    parts = [
        f"{inner}{json.dumps(key)}: {_as_lines(each, depth=depth - 1, before=inner)}" for key, each in value.items()
    ]
    return "{\n" + ",\n".join(parts) + f"\n{before}}}"
