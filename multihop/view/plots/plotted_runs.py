"""The runs of a plot: each folder, or folder of repeats, with what it came to and what it cost."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...base import InputError, MismatchError
from ...evaluation.journal.header import Header
from ...evaluation.journal.journal import read_header, read_rows
from ...evaluation.report.columns import Columns
from ...evaluation.report.repeated_values import Numbered, mean_of_repeats
from ...evaluation.report.summary import Interval, Summary, summarize
from ..folders import runs_in


class PlottedRun(NamedTuple):
    """A run, or repeats of one, as a plot takes it."""

    name: str
    """The name that was given to it; empty where none was."""
    header: Header
    """The header of its runs."""
    folders: tuple[Path, ...]
    """Its folders; several where it was repeated."""
    summaries: tuple[Summary, ...]
    """The summary of each run."""

    def counted(self, metric: str) -> tuple[int, int]:
        """The answers that went into the metric's mean, and the questions that were asked, each as often as it was."""
        found = [(summary["metrics"][metric]["n"], summary["n"]) for summary in self.summaries]
        return sum(n for n, _ in found), sum(asked for _, asked in found)


def read_runs(runs: Sequence[str | os.PathLike[str]], *, different_data: bool) -> list[PlottedRun]:
    """The runs, each written as FOLDER, or as NAME=FOLDER to say what it is called.

    Raises:
        InputError: A folder holds no run.
        MismatchError: They were made on different questions, without names that tell these apart.
    """
    found: list[PlottedRun] = []
    for given in [os.fspath(run) for run in runs]:
        name, equals, path = given.partition("=")
        folder = Path(path if equals and not Path(given).exists() else given)
        for group in _groups(folder):
            summaries = tuple(summarize(read_rows(each), read_header(each)) for each in group)
            if any(not summary["metrics"] for summary in summaries):
                raise InputError(f"{group[0]} has no answered question to draw.")
            called = name.strip() if equals and folder != Path(given) else ""
            found.append(PlottedRun(called, read_header(group[0]), tuple(group), summaries))
    for run in found:
        if _data(run) != _data(found[0]) and not different_data and not (run.name and found[0].name):
            raise MismatchError(
                f"{found[0].folders[0]} and {run.folders[0]} were made on different questions, so their numbers cannot "
                "be compared; give the runs of each question set a name, as NAME=FOLDER."
            )
    return found


def measure_together(runs: Sequence[PlottedRun], metric: str) -> Interval:
    """One metric over runs that asked the same questions.

    Raises:
        InputError: One of them has not measured it.
    """
    for run in runs:
        for folder, summary in zip(run.folders, run.summaries, strict=True):
            if metric not in summary["metrics"]:
                raise InputError(f"{folder} has no {metric}; it has {', '.join(summary['metrics'])}.")
    if len(runs) == 1 and len(runs[0].folders) == 1:
        return runs[0].summaries[0]["metrics"][metric]
    columns = [Columns(read_rows(folder)) for run in runs for folder in run.folders]
    measured = [Numbered(each.ids, each["metrics", metric], each.unmeasured(metric)) for each in columns]
    mean = mean_of_repeats(measured)
    assert mean is not None  # each of them has the metric
    return {"mean": mean.mean, "low": mean.low, "high": mean.high}


def _groups(folder: Path) -> list[list[Path]]:
    """The repeats of a folder together, everything else alone."""
    runs = runs_in([folder])
    together = len(runs) > 1 and all(run.parent == folder and run.name.startswith("repeat-") for run in runs)
    return [runs] if together else [[run] for run in runs]


def _data(run: PlottedRun) -> object:
    return run.header["identity"].get("data", {}).get("fingerprint")
