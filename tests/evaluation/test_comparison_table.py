import csv
import io
import json
from dataclasses import replace

import pytest

from multihop import InputError
from multihop.evaluation.comparison import Comparison, Difference
from multihop.evaluation.comparison_table import comparison_rows, comparison_table, surely_differs
from multihop.evaluation.statistics import Mean


def compared(name, em, recall, calls):
    """With a first run that has 50 % EM, 80 % recall at K of 4, and takes 1 call."""
    metrics = {
        "em": Difference(0.5, em, Mean(em - 0.5, em - 0.6, em - 0.4, 20), 0.01),
        "recall@5": Difference(0.8, recall, Mean(recall - 0.8, recall - 0.81, recall - 0.79, 20), 0.5),
        "K": Difference(4.0, 5.0, Mean(1.0, 1.0, 1.0, 20), None),
    }
    cost = {"calls": (1.0, calls), "tokens": (100.0, 1234.4), "seconds": (0.5, 0.25)}
    timing = {"seconds": {}, "run_seconds": 60.0, "per_minute": 20.0}
    return Comparison(
        names=("cot_1 50%", name),
        n=20,
        only=(0, 0),
        errors=(0, 0),
        metrics=metrics,
        unlike=(),
        gained=(),
        lost=(),
        cost=cost,
        paid=(None, None),
        recall=("", ""),
        simulated=False,
        unmeasured=({}, {}),
        over_budget=(0, 0),
        timing=(timing, timing),
    )


RUNS = [compared("tor & more", 0.75, 0.8, 9.5), compared("resp", 0.55, 0.9, 3.0)]


def test_a_row_for_each_run_the_first_without_differences():
    first, second, third = comparison_rows(RUNS)
    assert first == {
        "run": "cot_1 50%",
        "questions": 20,
        "em": 0.5,
        "recall@5": 0.8,
        "K": 4.0,
        "calls": 1.0,
        "tokens": 100.0,
        "seconds": 0.5,
    }
    assert (second["run"], second["em"], second["em difference"], second["em p"]) == ("tor & more", 0.75, 0.25, 0.01)
    assert (second["em low"], second["em high"]) == pytest.approx((0.15, 0.35))
    assert (third["recall@5"], third["K p"], third["calls"]) == (0.9, None, 3.0)


def test_csv_has_a_column_for_all_that_any_row_has():
    rows = list(csv.DictReader(io.StringIO(comparison_table(RUNS, "csv"))))
    assert [row["run"] for row in rows] == ["cot_1 50%", "tor & more", "resp"]
    assert [row["em difference"] for row in rows] == ["", "0.25", "0.050000000000000044"]
    assert [row["K p"] for row in rows] == ["", "", ""]
    assert list(rows[0])[:7] == ["run", "questions", "em", "em difference", "em low", "em high", "em p"]


def test_json_has_the_rows():
    assert json.loads(comparison_table(RUNS, "json")) == comparison_rows(RUNS)


def test_dollars_are_shown_where_an_lm_is_paid_in_them_and_unknown_ones_as_such():
    priced = [
        replace(run, cost={**run.cost, "usd": usd}) for run, usd in zip(RUNS, [(0.0, 0.0125), (0.0, None)], strict=True)
    ]
    lines = comparison_table(priced, "latex").splitlines()
    assert lines[3].endswith(r"Seconds & USD \\")
    assert [line.split(" & ")[-1] for line in lines[5:8]] == [r"0.000000 \\", r"0.012500 \\", r"-- \\"]
    free = [replace(run, cost={**run.cost, "usd": (0.0, 0.0)}) for run in RUNS]
    assert comparison_table(free, "latex") == comparison_table(RUNS, "latex")


def test_latex_is_bold_where_the_difference_is_sure():
    assert comparison_table(RUNS, "latex").splitlines() == [
        "% 20 questions; bold: the 95 % interval of the difference to the first row excludes 0",
        r"\begin{tabular}{lrrrrrr}",
        r"\toprule",
        r" & EM & recall@5 & K & Calls & Tokens & Seconds \\",
        r"\midrule",
        r"cot\_1 50\% & 50.0 & 80.0 & 4.00 & 1.00 & 100 & 0.50 \\",
        r"tor \& more & \textbf{75.0} & 80.0 & 5.00 & 9.50 & 1234 & 0.25 \\",
        r"resp & 55.0 & \textbf{90.0} & 5.00 & 3.00 & 1234 & 0.25 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    assert [surely_differs(RUNS[0], name) for name in ("em", "recall@5", "K")] == [True, False, False]


def test_another_format_is_refused():
    with pytest.raises(InputError, match=r"unknown format of a table 'html'.*csv"):
        comparison_table(RUNS, "html")
