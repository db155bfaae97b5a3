"""The file: one HTML document that holds styles, scripts and data, and may load nothing else.

It begins with one sentence that names what was run, on what, what it came to, and what it cost.
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ..base import InputError, writing
from ..base.texts import say_count
from ..data import known_sets
from ..data.little import TITLE, is_little
from ..evaluation.comparison import short_run_names
from ..evaluation.header import selection_of
from ..evaluation.journal import read_header
from ..evaluation.report import by_note, show_n, show_number, unit_of
from ..evaluation.summary import Interval
from ..experiments.rendered_table import TEST_HEADS, TEST_NOTE, label_of, render
from .comparison import ComparedPair, describe_pair
from .figures import describe_each, shared_quality
from .folders import Folder, read_study, runs_in
from .look import SEARCH_SCRIPTS, open_template, page_script, page_style, source_of
from .questions import strip_of_pair, strip_of_run
from .run_page import Corpus, RunPage, as_page_json, describe_whole_run

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
SPLITS = ("train", "dev", "validation", "test")
NARROW = 0.04
"""An interval that is narrower is told with a digit behind the point."""


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


def say_run(run: RunPage) -> str:
    """A run in a sentence."""
    told = [_quality(run), f"{_calls(run)} calls a question", *_caveats(run)]
    return f"{run['name']}{_on([run])}, {_questions(run)}: {', '.join(told)}"


def say_runs(runs: Sequence[RunPage], pairs: Sequence[ComparedPair]) -> str:
    """Runs in a sentence, with the comparison of each with the first: two with the difference, more with the range."""
    if len(runs) == 1:
        return say_run(runs[0])
    if len(runs) == 2:
        first, second = runs
        asked = f"{say_count(pairs[0]['n'], 'question')} that both answered"
        cost = f"{_calls(second)} calls a question against {_calls(first)}"
        return f"{second['name']} against {first['name']}{_on(runs)}, {asked}: {_difference(pairs[0])}{cost}"
    fewest, *_, most = sorted(runs, key=lambda run: run["summary"]["cost"]["calls"]["mean"])
    return f"{len(runs)} runs{_on(runs)}: {_range(runs)}{_calls(fewest)} to {_calls(most)} calls a question"


def name_source(source: str) -> str:
    """A question set as a reader names it, by what its questions were read from."""
    if is_little(source):
        part = source.partition(":")[2]
        return TITLE + (f" ({part})" if part else "")
    parts = re.split(r"[/:.]", source.lower())
    split = next((part for part in parts if part in SPLITS), "")
    if title := next((known_sets()[part].title for part in parts if part in known_sets()), ""):
        return f"{title} {split}".strip()
    if source.startswith("hub:"):
        return source.removeprefix("hub:").replace(":", " ")
    return source.rpartition("/")[2]


def _on(runs: Sequence[RunPage]) -> str:
    """The question set, where the records name one and the same for all."""
    sources = {run["header"].get("source", "") for run in runs}
    (source,) = sources if len(sources) == 1 else [""]
    return f" on {name_source(source)}" if source else ""


def _questions(run: RunPage) -> str:
    there = run["header"]["identity"].get("data", {}).get("questions", run["summary"]["n"])
    n = run["summary"]["n"]
    return say_count(n, "question") if n >= there else f"{n:,} of {say_count(there, 'question')}"


def _quality(run: RunPage) -> str:
    metrics = run["summary"]["metrics"]
    name = next((each for each in ("f1", "em", *metrics) if each in metrics and unit_of(each)[0] == 100), None)
    if name is None:
        return "nothing could be measured"
    found = metrics[name]
    n = show_n(found["n"], run["summary"]["n"] - run["summary"]["n_error"])
    return f"{_named(name)} {show_number(name, found['mean'])}{_interval(found)}{n}"


def _interval(found: Interval) -> str:
    low, high = found["low"], found["high"]
    if low is None or high is None:
        return ""
    digits = 1 if high - low < NARROW else 0
    return f", {100 * low:.{digits}f} to {100 * high:.{digits}f}"


def _named(metric: str) -> str:
    return metric.upper() if metric in ("f1", "em") else metric


def _calls(run: RunPage) -> str:
    return f"{run['summary']['cost']['calls']['mean']:,.1f}"


def _caveats(run: RunPage) -> Iterator[str]:
    """Reasons to be careful: failures, what was cut short, a run that is not whole."""
    summary, chosen = run["summary"], selection_of(run["header"]["identity"].get("data", {}))
    if summary["n_error"]:
        yield f"{summary['n_error']:,} failed"
    if summary["n_over_budget"]:
        yield f"{summary['n_over_budget']:,} cut short by the budget"
    if chosen.sample is not None:
        yield "drawn at random"
    if (status := run["header"].get("status", "finished")) != "finished":
        yield "not whole: interrupted" if status == "interrupted" else "not whole: it goes on, or was killed"


def _difference(pair: ComparedPair) -> str:
    """The metric, the difference and its interval: of F1 before all others."""
    lines = {line["name"].partition(" ")[0]: line for line in pair["lines"] if "place" in line}
    name = next((each for each in ("f1", "em", *lines) if each in lines), None)
    return "" if name is None else f"{_named(name)} {lines[name]['change']}, {lines[name]['interval']}, "


def _range(runs: Sequence[RunPage]) -> str:
    """The lowest and the highest of the runs."""
    name = shared_quality([run["summary"]["metrics"] for run in runs])
    if name is None:
        return ""
    means = sorted((run["summary"]["metrics"][name]["mean"], run["name"]) for run in runs)
    low, high = [f"{show_number(name, mean)} of {run}" for mean, run in (means[0], means[-1])]
    return f"{_named(name)} from {low} to {high}, "
