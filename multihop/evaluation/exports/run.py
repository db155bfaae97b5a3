"""A run as other tools have a place for it: the last row of each question, without its steps."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...base import DamagedFileError, InputError
from ..journal.header import Header
from ..journal.journal import read_header, read_rows
from ..journal.row import Row
from ..report.columns import Columns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ABOUT = ("started", "limits", "git", "seed", "packages", "status")


class ExportedQuestion(NamedTuple):
    """One question, its gold, and what came."""

    id: str
    """Its id."""
    question: str
    """The question."""
    answers: tuple[str, ...]
    """The accepted answers."""
    supporting: tuple[str, ...]
    """The ids of its gold passages."""
    type: str
    """Its type in its set."""
    hops: int
    """Its number of hops; 0 where unknown."""
    answer: str | None
    """The program's answer; None in an error."""
    passages: tuple[str, ...]
    """The ids of the passages that came, best first, each once."""
    metrics: dict[str, float]
    """The metrics that apply to it, by name."""
    tokens: tuple[int, int]
    """Tokens of all its prompts, and of all completions."""
    seconds: float
    """The seconds that it takes alone."""


def read_run(folder: str | os.PathLike[str]) -> tuple[Header, list[ExportedQuestion]]:
    """The run's header and its questions, in the order of their ids.

    Raises:
        InputError: The folder holds no run, an empty or a damaged one.
    """
    header, questions = read_header(folder), dict[str, ExportedQuestion]()
    for row in read_rows(folder):
        try:
            questions[row["id"]] = _of_row(row)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DamagedFileError(f"{folder}: the row of question '{row['id']}' is damaged ({error!r}).") from error
    if not questions:
        raise InputError(f"{folder} is a run without a finished question; there is nothing to export.")
    return header, [questions[name] for name in sorted(questions)]


def check_header(header: Header, folder: str | os.PathLike[str]) -> None:
    """Refuse a header that does not say how the run was made."""
    if missing := [field for field in _ABOUT if field not in header]:
        raise DamagedFileError(f"{folder}: the run's header is damaged: it lacks {', '.join(missing)}.")


def measured_columns(columns: Columns) -> dict[str, NDArray[np.float64]]:
    """Each metric that has a number for any question, with a value a question in the order of their ids, or NaN."""
    metrics = {name: columns[kind, name] for kind, name in columns.of_kind("metrics")}
    return {name: values for name, values in metrics.items() if any(value == value for value in values)}


def check_export_folder(to: str | os.PathLike[str]) -> Path:
    """The folder, if files can be written to it."""
    folder = Path(to).expanduser()
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; give --to a folder.")
    return folder


def _of_row(row: Row) -> ExportedQuestion:
    spent = row["cost"].get("tokens", {}).values()
    return ExportedQuestion(
        id=str(row["id"]),
        question=str(row["question"]),
        answers=tuple(map(str, row["answers"])),
        supporting=tuple(map(str, row["supporting"])),
        type=str(row.get("type", "")),
        hops=int(row.get("hops", 0)),
        answer=None if row["status"] == "error" else str(row["answer"] or ""),
        passages=tuple(dict.fromkeys(str(name) for name, _ in row["passages"])),
        metrics={name: float(value) for name, value in row["metrics"].items() if value is not None},
        tokens=(sum(counts["in"] for counts in spent), sum(counts["out"] for counts in spent)),
        seconds=float(row["cost"]["seconds"]),
    )
