"""Steps, judges and metrics that fail in all ways: what is shown is what the rows say, and says of how many."""

import asyncio
import io
import math
import re
from collections import defaultdict
from itertools import product
from random import Random
from statistics import fmean

import dspy
import pytest
from rich.console import Console
from virtual_clock import run_on_virtual_clock

from multihop import Question, scripted
from multihop.cli.show_comparison import show_comparison
from multihop.cli.show_results import show_results
from multihop.evaluation import aevaluate, open_run
from multihop.evaluation.comparison import compare_with_first
from multihop.evaluation.comparison_table import comparison_rows, comparison_table
from multihop.evaluation.intervals import FEWEST
from multihop.evaluation.journal import read_header, read_rows
from multihop.evaluation.metrics import Judged
from multihop.evaluation.report import as_markdown
from multihop.lms import AsyncEngine, Scripted, as_lm
from multihop.programs import Direct

STEPS = {
    "right": {"answer": "Po"},
    "wrong": {"answer": "Rhine"},
    "empty": {"answer": ""},
    "raises": ValueError("the step broke"),
    "unreadable": "no fields",
}
JUDGES = {
    "yes": {"correct": True},
    "no": {"correct": False},
    "raises": ConnectionError("the judge is gone"),
    "unreadable": "hm",
    "slow": None,
}
METRICS = {"number": 0.25, "none": None, "raises": None, "nan": math.nan, "infinite": math.inf, "text": "much"}
EVERY_CASE = list(product(STEPS, JUDGES, METRICS, (True, False)))


def case_of(what, question):
    return re.search(rf"{what}: (\w+)", question)[1]


class SlowJudge(AsyncEngine):
    """Some verdicts never come."""

    async def complete(self, request):
        if "slow" in str(request.messages):
            await asyncio.Event().wait()
        return self.engine.complete(request)


def own(question, prediction):
    if case_of("metric", question.question) == "raises":
        raise LookupError("no such table")
    return METRICS[case_of("metric", question.question)]


def run_of(cases, folder):
    questions = [
        Question(
            id=f"q{number:02}",
            question=f"{number} step: {step}, judge: {judge}, metric: {metric}",
            answers=("Po",) if has_gold else (),
        )
        for number, (step, judge, metric, has_gold) in enumerate(cases)
    ]
    engine = Scripted(lambda prompt: JUDGES[case_of("judge", prompt.inputs["question"])])
    judge = Judged(as_lm(engine, "judge", twin=SlowJudge(engine)))
    with dspy.context(lm=scripted(lambda prompt: STEPS[case_of("step", prompt.inputs["question"])])):
        run = aevaluate(Direct(retries=0), questions, out=folder, metrics=["em", own, judge], timeout=9.0)
        return run_on_virtual_clock(run)[0], {row["id"]: row for row in read_rows(folder)}


def means(rows):
    """Each metric's mean and n, from the rows alone."""
    values = defaultdict(list)
    for row in rows:
        for name, value in row["metrics"].items():
            if value is not None:
                values[name].append(value)
    return {name: (fmean(each), len(each)) for name, each in values.items()}


def check_shown(text, found, total):
    """Wherever a mean is printed, its n is beside it if it is not over all that was asked."""
    for name, (mean, n) in found.items():
        shown = re.escape(f"{100 * mean:.1f}")
        if n < total and name in text:
            assert re.search(rf"{shown}[^|\n]*\(n=|{shown}.*\| {n} \|", text), (name, text)


def test_what_is_shown_is_what_the_rows_say_and_says_of_how_many(tmp_path):
    cases = Random(0).sample(EVERY_CASE, 60)
    run, rows = run_of(cases, tmp_path)
    for (step, judge, metric, has_gold), row in zip(cases, map(rows.get, sorted(rows)), strict=True):
        answered = step in ("right", "wrong", "empty")
        assert row["status"] == ("ok" if answered else "error")
        if answered:
            assert row["answer"] == STEPS[step]["answer"]
            assert row["metrics"]["em"] == (float(step == "right") if has_gold else None)
            judged = {"yes": 1.0, "no": 0.0}.get(judge) if step != "empty" else 0.0
            assert row["metrics"]["judged"] == (judged if has_gold else None)
            assert row["metrics"]["own"] == (0.25 if metric == "number" else None)
            failed = {"own"} if metric not in ("number", "none") else set()
            failed |= {"judged"} if has_gold and judged is None else set()
            assert set(row.get("unmeasured", {})) == failed
    found, summary = means(rows.values()), run.summary
    assert {name: (each["mean"], each["n"]) for name, each in summary["metrics"].items()} == {
        name: (pytest.approx(mean, abs=1e-6), n) for name, (mean, n) in found.items()
    }
    for each in summary["metrics"].values():
        assert each["low"] - 1e-6 <= each["mean"] <= each["high"] + 1e-6
    assert open_run(tmp_path).summary["metrics"] == summary["metrics"]
    screen = io.StringIO()
    show_results({"direct": run}, Console(file=screen, width=100), further=["own", "judged"])
    check_shown(screen.getvalue(), found, len(cases))
    check_shown(as_markdown(summary, read_header(tmp_path)), found, len(cases))
    lead = screen.getvalue().partition("program")[0]
    for name, count in summary["unmeasured"].items():
        assert re.search(rf"^{name}: .*\b{count}\b", lead, re.M), lead


def test_a_comparison_shows_what_the_rows_say_and_of_how_many(tmp_path):
    """Both runs ask as many questions, which differ in how their steps, judges and metrics go."""
    rows = [run_of(Random(seed).sample(EVERY_CASE, 40), tmp_path / str(seed))[1] for seed in (1, 2)]
    common = [name for name in rows[0] if "error" not in (rows[0][name]["status"], rows[1][name]["status"])]
    comparisons = compare_with_first([tmp_path / "1", tmp_path / "2"], different_data=True)
    assert comparisons[0].n == len(common)
    screen = io.StringIO()
    show_comparison(comparisons, Console(file=screen, width=100))
    latex = comparison_table(comparisons, "latex")
    for name, difference in comparisons[0].metrics.items():
        pairs = [(rows[0][each]["metrics"][name], rows[1][each]["metrics"][name]) for each in common]
        pairs = [pair for pair in pairs if None not in pair]
        assert 0 < difference.change.n == len(pairs) < len(common)
        assert difference.a == pytest.approx(fmean(a for a, _ in pairs))
        assert difference.b == pytest.approx(fmean(b for _, b in pairs))
        if len(pairs) >= FEWEST:
            assert difference.change.low - 1e-9 <= difference.change.mean <= difference.change.high + 1e-9
        assert {row[f"{name} n"] for row in comparison_rows(comparisons)} == {len(pairs)}
        assert f"n={len(pairs)}" in screen.getvalue()
        assert f"(n={len(pairs)})" in latex
