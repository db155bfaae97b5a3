"""The methods of a study on planes: quality against LM calls, tokens and seconds, each with its frontier."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import ujson

from ...base import read_small
from ...experiments.study_page import label_of
from ...experiments.study_table import StudyCell, StudyRow
from ..folders import runs_in
from .frontier import Priced, cost_a_question, place_points
from .plot import Plot

SUMMARY = "summary.json"


def study_planes(rows: Sequence[StudyRow], folder: Path, note: str = "") -> list[Plot]:
    """The planes of one question set: F1, or what else all its rows have, against each cost that all of them have.

    Args:
        rows: The set's rows.
        folder: The study's folder, which holds the runs.
        note: The warning to read before a plane.
    """
    run = [row for row in rows if row["n"] and row["folder"]]
    quality = _quality(run) if len(run) > 1 else None
    if quality is None:
        return []
    costs: Mapping[str, list[float | None]] = {
        "LM calls": [row["calls"] for row in run],
        "tokens": [row["tokens"] for row in run],
        "seconds": [_seconds(folder / row["folder"]) for row in run],
    }
    planes = []
    for cost, each in costs.items():
        known = [(row, spent) for row, spent in zip(run, each, strict=True) if spent is not None]
        if len(known) == len(run):
            priced = [_priced(row, quality, spent) for row, spent in known]
            planes.append(place_points(priced, quality=quality, cost=cost, note=note))
    return planes


def _quality(rows: Sequence[StudyRow]) -> str | None:
    """The metric with an interval that all rows have: F1, exact match, any other."""
    have = [[cell["metric"] for cell in row["cells"] if interval_of(cell)] for row in rows]
    names = ("f1", "em", *(have[0] if have else ()))
    return next((name for name in names if have and all(name in each for each in have)), None)


def _priced(row: StudyRow, quality: str, cost: float) -> Priced:
    with_interval = ((cell, interval_of(cell)) for cell in row["cells"] if cell["metric"] == quality)
    cell, (low, mean, high) = next((cell, found) for cell, found in with_interval if found is not None)
    return Priced(label_of(row), cost, mean, low, high, cell["n"], cell.get("asked", 0))


def interval_of(cell: StudyCell) -> tuple[float, float, float] | None:
    """The low end, the figure itself and the high end; None where they are no shares in percent."""
    numbers = [float(number) for number in (cell["low"], cell["ours"], cell["high"]) if number is not None]
    if len(numbers) < 3 or not all(0 <= number <= 100 for number in numbers):
        return None
    return numbers[0], numbers[1], numbers[2]


def _seconds(folder: Path) -> float | None:
    """The seconds within which half of the questions are answered; over repeats their mean."""
    paths = [run / SUMMARY for run in runs_in([folder])]
    if not paths or not all(path.is_file() for path in paths):
        return None
    summaries = [ujson.loads(read_small(path).decode("utf-8")) for path in paths]
    timed = all(each["timing"]["seconds"] for each in summaries)
    return cost_a_question(summaries, "seconds") if timed else None
