import csv
import io
import json
from dataclasses import replace

import pytest

from multihop import InputError
from multihop.evaluation.comparison import Comparison, Difference
from multihop.evaluation.comparison_table import (
    comparable_metrics,
    comparison_rows,
    comparison_table,
    is_sure,
    main_metrics,
)
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
        unmeasured=({}, {}),
        over_budget=(0, 0),
        timing=(timing, timing),
    )


RUNS = [compared("tor & more", 0.75, 0.8, 9.5), compared("resp", 0.55, 0.9, 3.0)]


def test_a_row_for_each_run_the_first_without_differences():
    first, second, third = comparison_rows(RUNS)
    assert {name: value for name, value in first.items() if " n" not in name and name not in ("seconds", "tokens")} == {
        "run": "cot_1 50%", "questions": 20, "em": 0.5, "recall@5": 0.8, "K": 4.0, "calls": 1.0, "cut short": 0,
        "run time seconds": 60.0, "questions a minute": 20.0,
    }  # fmt: skip
    assert (second["run"], second["em"], second["em difference"], second["em p"]) == ("tor & more", 0.75, 0.25, 0.01)
    assert (second["em low"], second["em high"]) == pytest.approx((0.15, 0.35))
    assert (third["recall@5"], third["K p"], third["calls"], third["em n"]) == (0.9, None, 3.0, 20)
    assert json.loads(comparison_table(RUNS, "json")) == comparison_rows(RUNS)


def test_csv_has_a_column_for_all_that_any_row_has():
    rows = list(csv.DictReader(io.StringIO(comparison_table(RUNS, "csv"))))
    assert [row["run"] for row in rows] == ["cot_1 50%", "tor & more", "resp"]
    assert [row["em difference"] for row in rows] == ["", "0.25", "0.050000000000000044"]
    assert [row["K p"] for row in rows] == ["", "", ""]
    assert list(rows[0])[:8] == ["run", "questions", "em", "em n", "em difference", "em low", "em high", "em p"]
    assert [(row["seconds"], row["run time seconds"]) for row in rows] == [("0.5", "60.0"), *2 * [("0.25", "60.0")]]


def test_dollars_are_shown_where_an_lm_is_paid_in_them_and_unknown_ones_as_such():
    def paid(*dollars):
        return [replace(run, cost={**run.cost, "usd": usd}) for run, usd in zip(RUNS, dollars, strict=True)]

    table = comparison_table(paid((0.0, 0.0125), (0.0, None)), "latex")
    lines = [line for line in table.splitlines() if not line.startswith("%")]
    assert lines[2].endswith(r"Seconds & USD \\")
    assert [line.split(" & ")[-1] for line in lines[4:7]] == [r"0.000000 \\", r"0.012500 \\", r"-- \\"]
    assert comparison_table(paid((0.0, 0.0), (0.0, 0.0)), "latex") == comparison_table(RUNS, "latex")


def test_latex_is_bold_where_the_difference_is_sure():
    assert comparison_table(RUNS, "latex", ["em", "recall@5", "K"]).splitlines() == [
        "% 20 questions; in brackets the 95 % interval; bold: that of the difference to the first row excludes 0",
        "% calls, tokens and seconds a question",
        "% cot_1 50%: run time 1:00, 20 questions a minute",
        "% tor & more: run time 1:00, 20 questions a minute",
        "% resp: run time 1:00, 20 questions a minute",
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
    assert [is_sure(RUNS[0].metrics[name]) for name in ("em", "recall@5", "K")] == [True, False, False]


def test_latex_has_each_mean_with_its_interval_and_its_n_where_that_is_not_all():
    em = replace(RUNS[0].metrics["em"], intervals=((0.4, 0.6), (0.7, 0.8)))
    judged = Difference(0.5, 0.75, Mean(0.25, -0.2, 0.6, 12), None, ((0.3, 0.7), (0.4, 0.9)))
    run = replace(RUNS[0], metrics={"em": em, "judged": judged}, unmeasured=({}, {"judged": 8}), over_budget=(3, 0))
    lines = comparison_table([run], "latex").splitlines()
    assert lines[:2] == [
        "% cot_1 50%: 3 of 20 questions were cut short by the budget",
        "% tor & more: judged: 8 of 20 answers have no verdict; the interval counts them against it; the run's command "
        "asks for those alone",
    ]
    assert r" & EM & judged & Calls & Tokens & Seconds \\" in lines
    second = r"tor \& more & \textbf{75.0} {\scriptsize [70.0, 80.0]} & 75.0 {\scriptsize [40.0, 90.0]} (n=12) & "
    assert next(line for line in lines if line.startswith("tor")).startswith(second)
    row = comparison_rows([run])[1]
    assert (row["judged n"], row["judged failed"], row["judged p"], row["cut short"]) == (12, 8, None, 0)


def test_metrics_are_the_main_ones_unless_they_are_chosen_and_one_that_failed_everywhere_keeps_its_column():
    run = replace(RUNS[0], unmeasured=({}, {"judged": 20}))
    assert comparable_metrics([run]) == ["em", "recall@5", "K", "judged"]
    assert comparison_rows([run], ["judged"])[1]["judged"] is None
    assert "& -- &" in comparison_table([run], "latex", ["judged"])
    assert main_metrics(RUNS) == ["em", "recall@5"]
    with pytest.raises(InputError, match=r"unknown metric of all these runs 'f1'. Valid: K, em, recall@5"):
        comparison_table(RUNS, "latex", ["f1"])
    with pytest.raises(InputError, match=r"unknown format of a table 'html'.*csv"):
        comparison_table(RUNS, "html")
