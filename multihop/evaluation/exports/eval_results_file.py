"""A run's result as the hub's model repositories hold it: a file in .eval_results, which a benchmark gathers."""

from __future__ import annotations

import os
import re
from pathlib import Path

import ujson

from ...base import InputError, MismatchError, unknown, writing
from ..journal.header import Header
from ..journal.journal import read_rows
from ..report.columns import Columns
from ..report.report import lm_names, program_name, unit_of
from .run import check_export_folder, check_header, measured_columns, read_run


def write_eval_results(
    folder: str | os.PathLike[str],
    to: str | os.PathLike[str],
    *,
    dataset: str,
    task: str,
    metric: str = "em",
    source: str | None = None,
) -> tuple[Path]:
    """Write .eval_results/DATASET-TASK.yaml, and return its path.

    The hub shows it on the model's page and, where the data set is a registered benchmark, on its leaderboard, as not
    verified: a token that verifies it is only given to what ran on the hub. The value is the metric's mean over the
    questions that were answered, in percent; the notes say which program and LM it is of, and what failed.

    Args:
        folder: The run's folder.
        to: The folder to write to: a copy of the model's repository.
        dataset: The data set on the hub, OWNER/NAME, in which the benchmark is registered.
        task: The id of the benchmark's task, as the data set's eval.yaml has it.
        metric: The metric of the run that the task is about.
        source: The address of what the result can be checked with, such as the run's files.

    Raises:
        InputError: The folder holds no run, a damaged or an unfinished one, one without that metric, or one whose LM
            knew the gold; or the data set has no such name.
    """
    header, questions = read_run(folder)
    check_header(header, folder)
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", dataset):
        raise InputError(f"a data set on the hub is OWNER/NAME, such as cais/hle, not '{dataset}'.")
    if header.get("simulated", False):
        raise MismatchError(f"{folder} was made with an LM that knew the gold; its numbers are no results.")
    if header["status"] != "finished":
        raise MismatchError(f"{folder} is not finished ({header['status']}); issue its command again, then export it.")
    target, metrics = check_export_folder(to), measured_columns(Columns(read_rows(folder)))
    if metric not in metrics:
        raise unknown("metric of the run", metric, metrics)
    values = [float(value) for value in metrics[metric] if value == value]
    scale, _ = unit_of(metric)
    failed = sum(question.answer is None for question in questions)
    name = re.sub(r"[^\w.-]", "-", f"{dataset}-{task}")
    path = target / ".eval_results" / f"{name}.yaml"
    lines = [
        "- dataset:",
        f"    id: {_text(dataset)}",
        f"    task_id: {_text(task)}",
        f"  value: {round(scale * sum(values) / len(values), 2)}",
        f"  date: {_text(header['started'])}",
        *([] if source is None else ["  source:", f"    url: {_text(source)}"]),
        f"  notes: {_text(_notes(header, metric, len(values), failed))}",
    ]
    with writing(path) as file:
        file.writelines(f"{line}\n" for line in lines)
    return (path,)


def _notes(header: Header, metric: str, counted: int, failed: int) -> str:
    made = f"{program_name(header)} of multihop {header['packages']['multihop']} on {lm_names(header)}"
    asked = f"{counted:,} of the set's {header['identity']['data']['questions']:,} questions"
    return f"{made}; {metric} over {asked}{f'; failed and left out: {failed:,}' if failed else ''}"


def _text(value: str) -> str:
    """The text in quotes: those of JSON are YAML's too."""
    return ujson.dumps(value, ensure_ascii=False, escape_forward_slashes=False)
