"""The table of a study: published, ours with its interval, the difference, and what it cost; as a record."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from ..base.texts import say_count
from ..evaluation.report import budget_note
from ..evaluation.summary import Summary, total, total_unmeasured
from ..runtime import token_count
from .caveats import caveats
from .experiment import Experiment, TableColumn, TableRow
from .figures import Figure, figures_of, head
from .planning import BegunRun, PlannedRun
from .row_tests import RowTest, row_tests
from .study_options import StudyOptions

RECORD = "table.json"
_NUMBERS = ("mean", "low", "high", "lowest", "highest")


class StudyCell(TypedDict):
    """One figure beside the published one."""

    measure: str
    """Its title in the table, such as "F1" or "F1, 2 hops"."""
    metric: str
    """The measure taken here, as the experiment's file writes it."""
    published: float | None
    """The published figure; None where there is none."""
    published_lm: str | None
    """The LM behind it; None where it is not known."""
    ours: float | None
    """Ours, shares in percent as the published one; None where the row was not run, or the run has no such figure."""
    low: float | None
    """2.5 % of the resamples lie below; None where ours is None, or a count or ratio that has no interval."""
    high: float | None
    """2.5 % of the resamples lie above; likewise."""
    lowest: NotRequired[float | None]
    """The lowest figure of one run, where the row was asked several times; else None."""
    highest: NotRequired[float | None]
    """The highest figure of one run, likewise."""
    n: int
    """The questions that went in; 0 where ours is None."""
    asked: NotRequired[int]
    """The questions that were asked, of those that count for this figure; 0 where ours is None."""
    difference: float | None
    """Ours less the published figure; None where one of them is."""


class StudyRow(TypedDict):
    """One row of the published table on one question set."""

    row: str
    """The row's title in the table."""
    label: NotRequired[str]
    """The same with the LM, where the row has an entry for each of several LMs."""
    lm: NotRequired[str | None]
    """The LM behind the published figures; None where it is not known, and for ours of an LM that is none of those
    behind the row's figures, which then has cells without a published one."""
    set: str
    """The question set of the published figures."""
    asked: str
    """The source of the questions that were asked."""
    program: str
    """The program."""
    settings: dict[str, Any]
    """The settings that the experiment gives it."""
    folder: str
    """The run's folder, relative to the study's; if the row is asked several times, those runs are folders in it."""
    repeats: NotRequired[int]
    """The number of times the row was asked, each with another seed; ours are the means. 0 if the row was not run."""
    lms: list[str]
    """The LMs that answered; empty where the row was not run."""
    retriever: str | None
    """The fingerprint of the retriever; None if there was none."""
    n: int
    """Questions that are finished, the fewest of any time the row was asked; 0 where the row was not run."""
    errors: int
    """The number of questions that failed, over all times."""
    calls: float | None
    """LM calls a question, paid or from the cache; None where the row was not run."""
    tokens: float | None
    """Tokens a question; None where the row was not run."""
    paid_calls: int | None
    """LM calls that the run paid in all; None where nobody knows."""
    paid_usd: NotRequired[float | None]
    """Dollars that the run paid in all; None where a price is not known."""
    cells: list[StudyCell]
    """The figures, in the order of the columns."""
    note: str
    """Other remarks of the published table on the row, and the ways it is run otherwise here."""


class StudyTable(TypedDict):
    """The table of a study: table.json."""

    experiment: str
    """The experiment's name."""
    title: str
    """The subject of the table."""
    paper: str
    """The paper."""
    place: str
    """The table or figure of the paper."""
    caveats: list[str]
    """The differences of our setting from the published one; the first line of every print of the table."""
    differs: list[str]
    """The differences between what is run here and what the paper describes, as the experiment's file gives them."""
    stopped: bool
    """True if the LM calls were used up before all rows were done."""
    rows: list[StudyRow]
    """The rows, each with one entry a question set, or, where its columns are of several LMs, one for each of them."""
    tests: NotRequired[list[RowTest]]
    """Rows tested against each other; empty where the experiment names none, or they are not begun."""
    cases: NotRequired[bool]
    """True if the paper shows the searches for these very questions, so that a page shows ours beside each other."""
    curve: NotRequired[list[str]]
    """The two measures of the curves that the rows make, the one below first; empty for none."""


def make_table(
    experiment: Experiment,
    plan: Sequence[PlannedRun],
    begun: Iterable[BegunRun],
    options: StudyOptions,
    *,
    stopped: bool = False,
) -> StudyTable:
    """The table of the runs that there are; rows without one have published figures alone."""
    runs = {each.planned.folder: each for each in begun}
    rows = []
    for row in experiment.rows:
        for name in experiment.sets:
            entries = [
                each
                for each in plan
                if each.row is row and name in each.sets
                if each.folder in runs or each.lm in experiment.lms_behind(row)  # one that is beside, once it is begun
            ]
            for planned in entries:
                entry = _row(experiment, row, name, planned, runs.get(planned.folder))
                if (label := planned.label(entries, entry["lms"])) != row.name:
                    entry["label"] = label
                rows.append(entry)
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "paper": experiment.paper,
        "place": experiment.place,
        "caveats": [
            *caveats(experiment, plan, runs, options, stopped=stopped),
            *_left_out([summary for run in runs.values() for summary in run.summaries]),
        ],
        "differs": list(experiment.differs),
        "stopped": stopped,
        "rows": rows,
        "tests": row_tests(experiment, plan, runs),
        "cases": any(each.asking for each in experiment.sets.values()),
        "curve": list(experiment.curve),
    }


def _left_out(summaries: Sequence[Summary]) -> list[str]:
    """The answers that metrics failed on, and the questions that were cut short, over all runs."""
    cut_short, asked = sum(summary["n_over_budget"] for summary in summaries), sum(each["n"] for each in summaries)
    found = [
        f"{name} failed on {say_count(count, 'answer')}, which its intervals count against it"
        for name, count in total_unmeasured(summaries).items()
    ]
    return [*found, *([budget_note(cut_short, asked)] if cut_short else [])]


def _row(
    experiment: Experiment,
    row: TableRow,
    question_set: str,
    planned: PlannedRun,
    run: BegunRun | None,
) -> StudyRow:
    summaries = run.summaries if run else []
    bills = [summary.get("paid") for summary in summaries]
    figures = figures_of(run.folders, planned.measures) if run else {}
    lms = [lm["model"] for lm in run.header["identity"]["lm"].values()] if run else []
    return {
        "row": row.name,
        "lm": planned.lm,
        "set": experiment.sets[question_set].title,
        "asked": planned.asked.questions,
        "program": row.program,
        "settings": planned.settings,
        "folder": planned.folder,
        "repeats": len(summaries),
        "lms": sorted(set(lms)),
        "retriever": run.header["identity"]["retriever"] if run else None,
        "n": run.questions if run else 0,
        "errors": sum(summary["n_error"] for summary in summaries),
        "calls": _a_question(summaries, lambda summary: summary["cost"]["calls"]["total"]),
        "tokens": _a_question(summaries, lambda summary: token_count(summary["cost"]["tokens"])),
        "paid_calls": total(bill and bill["calls"] for bill in bills) if bills else None,
        "paid_usd": total(bill and bill.get("usd") for bill in bills) if bills else None,
        "cells": _cells(experiment, row, question_set, planned.lm, figures),
        "note": "; ".join(text for text in (row.note, row.differs) if text),
    }


def _cells(
    experiment: Experiment, row: TableRow, question_set: str, lm: str | None, figures: Mapping[Any, Figure | None]
) -> list[StudyCell]:
    """The cells of an LM's columns; of one beside them those of all measures, without a published figure."""
    columns = [column for column in experiment.columns if column.set == question_set]
    own = [column for column in columns if experiment.lm_behind(row, column) == lm]
    cells = [_cell(experiment, row, column, figures) for column in own]
    if lm is None:
        seen = [experiment.measure(row, column) for column in own]
        others = {experiment.measure(row, column): column for column in columns if column not in own}
        added = [column for measure, column in others.items() if measure not in seen]
        cells += [_cell(experiment, row, column, figures, beside=True) for column in added]
    return cells


def _cell(
    experiment: Experiment,
    row: TableRow,
    column: TableColumn,
    figures: Mapping[Any, Figure | None],
    *,
    beside: bool = False,
) -> StudyCell:
    measure = experiment.measure(row, column)
    published = None if beside else row.published[experiment.columns.index(column)]
    ours = figures.get(measure)
    numbers = {name: None if ours is None else _rounded(getattr(ours, name)) for name in _NUMBERS}
    return {
        "measure": column.title or head(measure._replace(metric=column.metric)),
        "metric": measure.metric,
        "published": published,
        "published_lm": None if beside else experiment.lm_behind(row, column),
        "ours": numbers["mean"],
        "low": numbers["low"],
        "high": numbers["high"],
        "lowest": numbers["lowest"],
        "highest": numbers["highest"],
        "n": 0 if ours is None else ours.n,
        "asked": 0 if ours is None else ours.asked,
        "difference": None if ours is None or published is None else round(ours.mean - published, 4),
    }


def _a_question(summaries: Sequence[Summary], count: Callable[[Summary], int]) -> float | None:
    asked = sum(summary["n"] for summary in summaries)
    return sum(map(count, summaries)) / max(1, asked) if summaries else None


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 4)
