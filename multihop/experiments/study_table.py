"""The table of a study as a record: published, ours with its interval, the difference, the cost, and rows tested."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from ..base.texts import say_count
from ..evaluation.comparison import Difference, find_difference
from ..evaluation.journal import read_rows
from ..evaluation.report import budget_note
from ..evaluation.statistics import RunArrays, arrays_of, means_by_question, paired
from ..evaluation.summary import Summary, total, total_unmeasured
from ..runtime import token_count
from .caveats import caveats
from .experiment import MEAN, Experiment, Measure, TableColumn, TableRow
from .figures import Figure, figures_of, head, is_share, values_of
from .plan import BegunRun, PlannedRun
from .study_inputs import Coverage, StudyOptions, coverage_notes

RECORD = "table.json"


class StudyCell(TypedDict):
    """One figure beside the published one."""

    measure: str
    """The figure's title in the table, such as "F1" or "F1, 2 hops"."""
    metric: str
    """The measure taken here, as the experiment's file writes it."""
    published: float | None
    """The published figure; None where there is none."""
    published_lm: str | None
    """The LM behind the published figure; None where it is not known."""
    ours: float | None
    """Ours, shares in percent as the published one; None where the row was not run, or the run has no such figure."""
    low: float | None
    """The lower end of the 95 % interval; None where ours is None or a ratio, and for too few questions."""
    high: float | None
    """The upper end; None as for `low`."""
    lowest: NotRequired[float | None]
    """The lowest figure of one run, where the row was asked several times; else None."""
    highest: NotRequired[float | None]
    """The highest figure of one run, where the row was asked several times; else None."""
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
    """The row's title with the LM, where it has an entry for each of several LMs."""
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
    """LM calls that the run paid in all; None where that is not known."""
    paid_usd: NotRequired[float | None]
    """Dollars that the run paid in all; None where a price is not known."""
    cells: list[StudyCell]
    """The figures, in the order of the columns."""
    lacks: NotRequired[str]
    """What the corpus lacks of what the questions need, to be told beside every figure; missing where it lacks nothing,
    or the table names no corpus."""
    note: str
    """Other remarks of the published table on the row, and the ways it is run otherwise here."""


class RowTest(TypedDict):
    """One measure of a row against that of another, on the questions that both answered."""

    row: str
    """The row."""
    label: NotRequired[str]
    """The row's title with the LM, where the table has an entry for each of several."""
    against: str
    """The row that it is tested against."""
    sets: list[str]
    """The question set; several where one was asked for all of them."""
    lms: list[str]
    """The LMs that answered in the row."""
    measure: str
    """The measure's title in the table, such as "F1"."""
    metric: str
    """The measure, as the experiment's file writes it."""
    ours: float
    """The row's mean over these questions, in percent, as are the next four."""
    theirs: float
    """The other row's."""
    difference: float
    """The row's less the other's."""
    low: float | None
    """The lower end of the 95 % interval of the difference; None for too few questions."""
    high: float | None
    """The upper end."""
    p_value: float | None
    """The probability of a difference this large by chance alone, of this test alone however many there are; None where
    the metric failed on an answer."""
    n: int
    """The questions that both answered. One that was asked several times counts once, with the mean of its answers."""


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
    coverages: Mapping[str, Coverage],
    *,
    stopped: bool = False,
) -> StudyTable:
    """The table of the runs that there are; rows without one have published figures alone."""
    runs = {each.planned.folder: each for each in begun}
    told = caveats(experiment, plan, runs, options, stopped=stopped)
    told += coverage_notes((runs[name].planned.asked, each) for name, each in coverages.items())
    told += _left_out([summary for run in runs.values() for summary in run.summaries])
    rows: list[StudyRow] = []
    for row in experiment.rows:
        first = len(rows)
        behind = experiment.lms_behind(row)
        for name, asked in experiment.sets.items():
            if not row.program:  # nothing here runs it
                published = (PlannedRun(row=row, sets=(name,), asked=asked, lm=lm) for lm in behind)
                rows += [_row(experiment, name, each, None) for each in published]
            entries = [
                each
                for each in plan
                if each.row is row and name in each.sets
                if each.folder in runs or each.lm in behind  # one that is beside, once it is begun
            ]
            for planned in entries:
                entry = _row(experiment, name, planned, runs.get(planned.folder))
                if planned.folder in coverages and (note := coverages[planned.folder].note):
                    entry["lacks"] = note
                if (label := planned.label(entries, entry["lms"])) != row.name:
                    entry["label"] = label
                rows.append(entry)
        rows += _mean_rows(experiment, row, rows[first:])
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "paper": experiment.paper,
        "place": experiment.place,
        "caveats": told,
        "differs": list(experiment.differs),
        "stopped": stopped,
        "rows": rows,
        "tests": _row_tests(experiment, plan, runs),
        "cases": any(each.asking for each in experiment.sets.values()),
        "curve": list(experiment.curve),
    }


def _mean_rows(experiment: Experiment, row: TableRow, entries: Sequence[StudyRow]) -> Iterator[StudyRow]:
    """The means over all sets, where the table has such columns, with an entry for each LM of the row."""
    columns = [column for column in experiment.columns if column.set == MEAN]
    for lm in dict.fromkeys(entry.get("lm") for entry in entries if columns):
        own = [entry for entry in entries if entry.get("lm") == lm]
        cells = []
        for column in columns:
            measure = experiment.measure(row, column)
            of_sets = [cell for entry in own for cell in entry["cells"] if cell["metric"] == measure.metric]
            ours = [cell["ours"] for cell in of_sets if cell["ours"] is not None]
            n, asked = (sum(cell[key] for cell in of_sets) for key in ("n", "asked"))  # type: ignore[literal-required]
            whole = len(ours) == len(experiment.sets)
            figure = Figure(sum(ours) / len(ours), None, None, n, asked) if whole else None
            published = row.published[experiment.columns.index(column)] if lm in experiment.lms_behind(row) else None
            cells.append(_cell(measure, column, figure, published, lm))
        whole_row: StudyRow = {
            **own[0], "set": f"The mean of {say_count(len(experiment.sets), 'set')}", "asked": "", "folder": "", "n": 0,
            "errors": 0, "calls": None, "tokens": None, "paid_calls": None, "paid_usd": None, "cells": cells,
        }  # fmt: skip
        if len({entry.get("lacks") for entry in own}) > 1:
            whole_row.pop("lacks", None)
        yield whole_row


def _left_out(summaries: Sequence[Summary]) -> list[str]:
    """The answers that metrics failed on, and the questions that were cut short, over all runs."""
    cut_short, asked = sum(summary["n_over_budget"] for summary in summaries), sum(each["n"] for each in summaries)
    found = [
        f"{name} failed on {say_count(count, 'answer')}, which its intervals count against it"
        for name, count in total_unmeasured(summaries).items()
    ]
    return [*found, *([budget_note(cut_short, asked)] if cut_short else [])]


def _row(experiment: Experiment, question_set: str, planned: PlannedRun, run: BegunRun | None) -> StudyRow:
    row, summaries = planned.row, run.summaries if run else []
    bills = [summary["paid"] for summary in summaries]
    figures = figures_of(run.folders, planned.measures) if run else {}
    lms = {lm["model"] for lm in run.header["identity"]["lm"].values()} if run else set()
    return {
        "row": row.name,
        "lm": planned.lm,
        "set": experiment.sets[question_set].title,
        "asked": planned.asked.questions,
        "program": row.program,
        "settings": planned.settings,
        "folder": planned.folder,
        "repeats": len(summaries),
        "lms": sorted(lms),
        "retriever": run.header["identity"]["retriever"] if run else None,
        "n": run.questions if run else 0,
        "errors": sum(summary["n_error"] for summary in summaries),
        "calls": _a_question(summaries, lambda summary: summary["cost"]["calls"]["total"]),
        "tokens": _a_question(summaries, lambda summary: token_count(summary["cost"]["tokens"])),
        "paid_calls": total(bill and bill["calls"] for bill in bills) if bills else None,
        "paid_usd": total(bill and bill.get("usd") for bill in bills) if bills else None,
        "cells": _cells(experiment, question_set, planned, figures),
        "note": "; ".join(text for text in (row.note, row.differs) if text),
    }


def _cells(
    experiment: Experiment, question_set: str, planned: PlannedRun, figures: Mapping[Measure, Figure | None]
) -> list[StudyCell]:
    """The cells of an LM's columns; of one beside them those of all measures, without a published figure."""
    row = planned.row
    columns = [column for column in experiment.columns if column.set == question_set]
    cells = []
    own: set[Measure] = set()
    for column in columns:
        if experiment.lm_behind(row, column) == planned.lm:
            measure, published = experiment.measure(row, column), row.published[experiment.columns.index(column)]
            own.add(measure)
            cells.append(_cell(measure, column, figures.get(measure), published, planned.lm))
    if planned.lm is None:
        others = {experiment.measure(row, column): column for column in columns}
        cells += [_cell(each, others[each], figures.get(each), None, None) for each in others if each not in own]
    return cells


def _cell(
    measure: Measure, column: TableColumn, ours: Figure | None, published: float | None, published_lm: str | None
) -> StudyCell:
    return {
        "measure": column.title or head(measure._replace(metric=column.metric)),
        "metric": measure.metric,
        "published": published,
        "published_lm": published_lm,
        "ours": _rounded(ours and ours.mean),
        "low": _rounded(ours and ours.low),
        "high": _rounded(ours and ours.high),
        "lowest": _rounded(ours and ours.lowest),
        "highest": _rounded(ours and ours.highest),
        "n": 0 if ours is None else ours.n,
        "asked": 0 if ours is None else ours.asked,
        "difference": None if ours is None or published is None else round(ours.mean - published, 4),
    }


def _a_question(summaries: Sequence[Summary], count: Callable[[Summary], int]) -> float | None:
    asked = sum(summary["n"] for summary in summaries)
    return sum(map(count, summaries)) / max(1, asked) if summaries else None


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 4)


def _row_tests(experiment: Experiment, plan: Sequence[PlannedRun], begun: Mapping[str, BegunRun]) -> list[RowTest]:
    """The tests that the experiment names, of the rows that are begun, in the order of the table."""
    found: list[RowTest] = []
    columns: dict[str, list[RunArrays]] = {}
    for planned in plan:
        for other in (each for name in planned.row.against for each in plan if each.row.name == name):
            if planned.folder not in begun or other.folder not in begun or not _same_questions(planned, other):
                continue
            pair = begun[planned.folder], begun[other.folder]
            for each in pair:
                folder = each.planned.folder
                columns[folder] = columns.get(folder) or [arrays_of(read_rows(place)) for place in each.folders]
            for measure in planned.measures:
                if measure not in other.measures or not is_share(measure.metric):
                    continue
                difference = _test(columns[other.folder], columns[planned.folder], measure)
                if difference is not None:
                    test = _as_record(experiment, pair, measure, difference)
                    if (label := planned.label(plan, test["lms"])) != planned.row.name:
                        test["label"] = label
                    found.append(test)
    return found


def _same_questions(one: PlannedRun, other: PlannedRun) -> bool:
    """True if both ask the same questions, for the same published LM where no row is of an LM of its own."""
    same = one.asked.questions == other.asked.questions and one.asked.selection == other.asked.selection
    return same and (one.lm == other.lm or (one.row.lm or other.row.lm) is not None)


def _test(theirs: Sequence[RunArrays], ours: Sequence[RunArrays], measure: Measure) -> Difference | None:
    """The difference over the questions to which the measure applies in both rows; None where there are none."""
    sides = []
    for runs in (theirs, ours):
        values = [each for run in runs if (each := values_of(run, measure)) is not None]
        sides.append(means_by_question(values))
    return find_difference(*paired(sides), test=True)


def _as_record(
    experiment: Experiment, pair: tuple[BegunRun, BegunRun], measure: Measure, difference: Difference
) -> RowTest:
    run, other = pair
    change = difference.change
    return {
        "row": run.planned.row.name,
        "against": other.planned.row.name,
        "sets": [experiment.sets[name].title for name in run.planned.sets],
        "lms": sorted({lm["model"] for lm in run.header["identity"]["lm"].values()}),
        "measure": head(measure),
        "metric": measure.metric,
        "ours": round(100 * difference.b, 4),
        "theirs": round(100 * difference.a, 4),
        "difference": round(100 * change.mean, 4),
        "low": None if change.low is None else round(100 * change.low, 4),
        "high": None if change.high is None else round(100 * change.high, 4),
        "p_value": difference.p_value,
        "n": change.n,
    }
