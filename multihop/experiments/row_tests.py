"""Rows of a study tested against each other: the difference on the same questions, its interval, and its p-value."""

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from ..evaluation.comparison import UNTESTED, Difference, find_difference
from ..evaluation.journal import read_rows
from ..evaluation.statistics import RunArrays, arrays_of, means_by_question, paired
from .experiment import Experiment, Measure
from .figures import head, is_share, values_of
from .planning import BegunRun, PlannedRun


class RowTest(TypedDict):
    """One measure of a row against that of another, on the questions that both answered."""

    row: str
    """The row."""
    label: NotRequired[str]
    """The same with the LM, where the table has an entry for each of several."""
    against: str
    """The row that it is tested against."""
    sets: list[str]
    """The question set; several where one was asked in the place of all."""
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
    low: float
    """2.5 % of the resamples of the questions have a smaller difference."""
    high: float
    """2.5 % of the resamples have a larger one."""
    p_value: float | None
    """The probability of a difference this large by chance alone, of this test alone however many there are; None where
    the metric failed on an answer."""
    n: int
    """The questions that both answered. One that was asked several times counts once, with the mean of its answers."""


def row_tests(experiment: Experiment, plan: Sequence[PlannedRun], begun: Mapping[str, BegunRun]) -> list[RowTest]:
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
                if measure not in other.measures or not is_share(measure.metric) or measure.metric == UNTESTED:
                    continue
                difference = _test(columns[other.folder], columns[planned.folder], measure)
                if difference is not None:
                    test = _as_record(experiment, pair, measure, difference)
                    if (label := planned.label(plan, test["lms"])) != planned.row.name:
                        test["label"] = label
                    found.append(test)
    return found


def _same_questions(one: PlannedRun, other: PlannedRun) -> bool:
    """True if both ask the same questions, in the place of the same LM where no row is of an LM of its own."""
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
        "low": round(100 * change.low, 4),
        "high": round(100 * change.high, 4),
        "p_value": difference.p_value,
        "n": change.n,
    }
