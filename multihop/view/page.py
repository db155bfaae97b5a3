"""The file: one HTML document that holds styles, scripts and data, and may load nothing else."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ..base import InputError, writing
from ..base.texts import say_count
from ..evaluation.comparison import short_run_names
from ..evaluation.journal import read_header
from ..evaluation.report import by_note
from ..experiments.rendered_table import TEST_HEADS, TEST_NOTE, label_of, render
from .comparison import describe_pair
from .figures import describe_each, shared_quality
from .folders import Folder, read_study, runs_in
from .headline import say_runs
from .look import SEARCH_SCRIPTS, open_template, page_script, page_style, source_of
from .questions import strip_of_pair, strip_of_run
from .run_page import Corpus, as_page_json, describe_whole_run

SHEETS = ("page", "figures", "table", "question", "pictures", "print")
SCRIPTS = (
    "elements",
    "data",
    "numbers",
    "highlight",
    "filters",
    "table",
    "strips",
    *SEARCH_SCRIPTS,
    "question",
    "routing",
    "start",
)
"""In the order in which they run: all of them see each other's functions."""
MOST_RUNS = 12
"""Runs that are legible side by side."""


def write_run_page(
    folders: Sequence[Folder],
    to: Folder,
    *,
    corpus: Corpus | None = None,
    different_data: bool = False,
) -> Path:
    """Write the page of a run, or of several side by side, and return its path.

    Args:
        folders: The runs' folders, or those that hold repeats of one; the others are compared with the first.
        to: The file.
        corpus: Gives the passages that were searched, for their texts; without it they are shown by title.
        different_data: Compare runs over different question sets by the questions that they share.

    Raises:
        InputError: A folder holds no run, or the runs cannot be compared.
    """
    folders = runs_in(folders)
    names = short_run_names([read_header(folder) for folder in folders], folders)
    return _write_runs(folders, names, to, corpus=corpus, different_data=different_data)


def write_study_page(folder: Folder, to: Folder, *, corpus: Corpus | None = None) -> Path:
    """Write the page of a reproduced table, and return its path.

    Where a paper shows the searches for its questions, the page has those of all rows too, two beside each other.

    Args:
        folder: The study's folder.
        to: The file.
        corpus: Gives the passages that were searched, for their texts, on a page with searches.

    Raises:
        InputError: A corpus is given, and the page has no searches.
    """
    record = read_study(folder)
    study = render(record)
    begun = dict.fromkeys((label_of(row), row["folder"]) for row in record["rows"] if row["n"] and row["folder"])
    values: dict[str, Any] = {
        "study": study,
        "begun": list(begun),
        "folder": os.fspath(folder),
        "test_heads": TEST_HEADS,
        "test_note": TEST_NOTE,
    }
    if begun and record.get("cases", False):  # a paper shows the searches for these questions, so the page shows ours
        named = [(row, run) for row, place in begun for run in runs_in([Path(folder) / place])]
        rows = [row for row, _ in named]
        names = [row if rows.count(row) == 1 else f"{row}, {run.name}" for row, run in named]
        return _write_runs([run for _, run in named], names, to, corpus=corpus, title=study.title, **values)
    if corpus is not None:
        raise InputError("--corpus goes with runs; the page of this study shows figures alone.")
    return _write(to, "study.html", title=study.title, scripts=(), **values)


def _write_runs(
    folders: Sequence[Path],
    names: Sequence[str],
    to: Folder,
    *,
    corpus: Corpus | None,
    different_data: bool = False,
    title: str = "",
    **values: Any,
) -> Path:
    """Write the page of runs with their names; a study's table is shown above them, if it is among the values."""
    if len(folders) > MOST_RUNS:
        raise InputError(f"{len(folders)} runs are too many for one page; give {MOST_RUNS} at most.")
    pairs = [describe_pair(folders, b, names, different_data=different_data) for b in range(1, len(folders))]
    runs = [describe_whole_run(folder, corpus) for folder in folders]
    summaries = [run["summary"] for run in runs]
    if pairs:
        strips = [strip_of_pair(runs[pair["b"]]["questions"], pair, place) for place, pair in enumerate(pairs)]
    else:
        strips = [strip_of_run(runs[0]["questions"]["outcome"])]
    flips = [{"b": pair["b"], "gained": pair["gained"], "lost": pair["lost"]} for pair in pairs]
    for run, name in zip(runs, names, strict=True):
        run["name"] = name
    tables = [{"name": run["name"], "questions": run["questions"], "sizes": run["chunk_sizes"]} for run in runs]
    return _write(
        to,
        "runs.html",
        title=title or " · ".join(names),
        runs=runs,
        names=names,
        sentence=say_runs(runs, pairs),
        warnings=[f"{whose}{note}" for note, whose in by_note({run["name"]: run["card"]["warnings"] for run in runs})],
        pairs=pairs,
        each=describe_each(names, summaries),
        quality=shared_quality([summary["metrics"] for summary in summaries]),
        strips=strips,
        data=as_page_json({"runs": tables, "pairs": flips, "strips": strips}),
        chunks=[
            (f"chunk-{run}-{place}", chunk)
            for run, page in enumerate(runs)
            for place, chunk in enumerate(page["chunks"])
        ],
        **values,
    )


def _write(to: Folder, template: str, *, scripts: Sequence[str] = SCRIPTS, **values: Any) -> Path:
    """Fill the template, part by part; the page may run its own script and use its own styles, and nothing else."""
    style, script = page_style(*SHEETS), page_script(*scripts, after_paint=scripts == SCRIPTS)
    policy = (
        f"default-src 'none'; script-src {source_of(script)}; style-src {source_of(style)}; font-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    values |= {"style": Markup(style), "script": Markup(script), "policy": policy, "say_count": say_count}
    if "data" in values:
        values["data"] = Markup(values["data"])
    path = Path(to).expanduser()
    with writing(path) as file:
        for part in open_template(template).generate(values):
            file.write(part.encode("utf-8", "replace").decode("utf-8"))
    return path
