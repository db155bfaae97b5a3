"""Runs, comparisons, repeats, studies and reproduced tables as they look in a terminal of 80 columns."""

import io
import re
from pathlib import Path

import dspy
import pytest
from golden import check_picture
from rich.console import Console
from written_runs import ABOUT, COST, IDENTITY

from multihop import Direct, Question, scripted
from multihop.cli.output import print_table
from multihop.cli.show_comparison import show_comparison
from multihop.cli.show_experiments import show_reproduction
from multihop.cli.show_results import show_repeats, show_results, show_run, show_study
from multihop.evaluation import Repeats, compare_with_first, evaluate, open_run
from multihop.evaluation.journal import Journal
from multihop.evaluation.metrics import Judged
from multihop.evaluation.metrics.passages import NO_PASSAGES
from multihop.evaluation.repeats import write_repeats
from multihop.optimize import Study
from multihop.optimize.outcomes import Outcome

FAILURE = {"type": "Unmeasured", "message": "the judge gave no verdict that can be read, twice."}
METRICS = {"em": 1, "f1": 1, "recall@5": 1, "judged": {"version": 2}, "recall@20": 1}


def answered(place, *, right, judged=1.0, status="ok", gold=True):
    """A question with an id as HotpotQA has them; a verdict of None is one that failed."""
    found = {"em": float(right), "f1": 0.5 + 0.5 * right} if gold else {"em": None, "f1": None}
    row = {
        "id": f"5a8b57f25542995d1e6f{1371 + place}", "question": f"Question {place}?", "type": "", "hops": 2,
        "answers": ["Łódź"] if gold else [], "supporting": ["p1", "p2"], "status": status, "error": None,
        "answer": "Łódź" if right else "Warsaw", "matched_by": "id", "passages": [["p1", 9.0]], "evidence": [],
        "metrics": {**found, "recall@5": 0.5, "recall@K": 0.5, "recall@20": 1.0, "judged": judged},
        "trajectory": [], "cost": {**COST, "seconds": 2.4, "cached": 0}, "counts": {}, "run_seconds": 5.5 * (place + 1),
    }  # fmt: skip
    if judged is None:
        row |= {"unmeasured": {"judged": FAILURE}, "returned": {"passages": [], "fields": {}}}
    return row


def error(place):
    nothing = {"answer": None, "error": {"type": "TimeoutError", "message": "slow"}, "metrics": {}, "passages": []}
    return {**answered(place, right=False), **nothing, "status": "error"}


def closed_book(place):
    """A question without gold that nothing was retrieved for, and one of whose completions could not be parsed."""
    row = {**answered(place, right=False, gold=False), "passages": [], "matched_by": NO_PASSAGES}
    row["metrics"] = {"em": None, "f1": None, "judged": 1.0}
    return {**row, "cost": {**row["cost"], "parse_failures": 1}}


def write(folder, rows, *, prices=None, **settings):
    program = {**IDENTITY["program"], "settings": {**IDENTITY["program"]["settings"], **settings}}
    with Journal(
        folder, {**IDENTITY, "program": program, "metrics": METRICS}, {**ABOUT, "prices": prices or {}}
    ) as journal:
        journal.append(rows)
    return open_run(folder)


@pytest.fixture
def runs(tmp_path):
    """One whole, one whose judge failed on 8 of 20 answers, and one that was cut short, has errors and no price."""
    whole = [answered(place, right=place % 2 == 0) for place in range(20)]
    gaps = [answered(place, right=place % 3 == 0, judged=None if place < 8 else 1.0) for place in range(20)]
    short = [answered(place, right=place % 5 == 0, status="over_budget", gold=place > 3) for place in range(18)]
    prices = {"m": {"input": 2.0, "output": 8.0}}
    return {
        "tor": write(tmp_path / "tor", whole, prices=prices),
        "tor-judged": write(tmp_path / "judged", gaps, prices=prices, depth=3),
        "no search, answered from the gold passages": write(
            tmp_path / "short", [*short, error(18), error(19)], depth=4
        ),
    }


def check(name, show, folder):
    console = Console(file=io.StringIO(), width=80)
    show(console)
    text = re.sub(re.escape(str(folder)), "runs", console.file.getvalue())
    for line in text.splitlines():
        assert len(line) <= 80 or "runs/" in line or "…" not in line
    check_picture(name, text)
    return text


def test_finished_runs(runs, tmp_path):
    text = check("results", lambda on: show_results(runs, on, further=["judged", "recall@20"]), tmp_path)
    assert text.startswith("tor-judged: judged: 8 of 20 answers have no verdict; the interval")
    assert "100.0 [38.7, 100.0] (n=12)" in text


def test_what_nobody_knows_is_a_dash_and_why_it_is_one_is_said(runs, tmp_path):
    runs = {"tor": runs["tor"], "closed-book": write(tmp_path / "closed", map(closed_book, range(20)))}
    text = check("results-unknown", lambda on: show_results(runs, on), tmp_path)
    assert "closed-book: em: no question has an accepted answer, or none was read" in text
    assert "closed-book: no recall: the program returned no passages" in text


def test_one_finished_run(runs, tmp_path):
    check("show-run", lambda on: show_run(runs["tor-judged"].folder, on), tmp_path)


def test_two_runs_compared(runs, tmp_path):
    found = compare_with_first([runs["tor"].folder, runs["tor-judged"].folder])
    check("compare-two", lambda on: show_comparison(found, on), tmp_path)


def test_three_runs_compared(runs, tmp_path):
    found = compare_with_first([run.folder for run in runs.values()])
    check("compare-three", lambda on: show_comparison(found, on), tmp_path)


def test_repeats_of_a_run(tmp_path):
    rows = [
        [answered(place, right=place % 2 == seed, judged=None if place < seed else 1.0) for place in range(6)]
        for seed in (0, 1)
    ]
    made = [write(tmp_path / f"repeat-{place}", each) for place, each in enumerate(rows, 1)]
    summary = write_repeats(tmp_path, [run.folder for run in made], [run.summary for run in made])
    found = {"tor": Repeats(tmp_path, tuple(made), summary)}
    text = check("repeats", lambda on: show_repeats(found, on), tmp_path)
    assert re.search(r"judged +100.0 +100.0 +100.0 .*11 *$", text, re.M)


def test_variants_of_a_compiled_program(tmp_path):
    score = {"mean": 0.412, "low": 0.33, "high": 0.5}
    names = ("zero-shot", "demonstrations from gold", "instructions proposed by the LM, with demonstrations")
    outcomes = [
        Outcome(name, score, score, 12.5, 12_345.0, 300, usd=0.00123, n=98 + place) for place, name in enumerate(names)
    ]
    study = Study(outcomes, names[1], Path("tor.json"), False, 900, 900, [], highest=names[2])
    check("study", lambda on: show_study(study, 100, on), tmp_path)


def figure(measure, ours, n, *, several=False):
    low, high = (ours, ours) if ours < 10 else (ours - 7.5, ours + 7.5)
    runs = {"lowest": ours - 1, "highest": ours + 1} if several else {}
    return {
        "measure": measure, "metric": "em", "published": 41.25, "published_lm": "gpt-4o", "ours": ours, "low": low,
        "high": high, "n": n, "asked": 20, "difference": round(ours - 41.25, 4), **runs,
    }  # fmt: skip


def test_a_reproduced_table(tmp_path):
    def row(name, set_, cells):
        return {
            "row": name, "set": set_, "note": "", "calls": 12.5, "tokens": 12_345.0, "paid_calls": 250,
            "paid_usd": 0.25, "folder": name, "n": 20, "repeats": 1, "cells": cells,
        }  # fmt: skip

    table = {
        "title": "Answers", "paper": "A paper (2026)", "place": "Table 1", "caveats": ["20 questions, not 500"],
        "differs": ["The paper does not say which questions it asks."], "stopped": False,
        "rows": [
            row("Tree of Reviews, pruned", "HotpotQA", [figure("EM", 0.0, 20), figure("F1", 48.2, 12)]),
            row("Chain", "HotpotQA", [figure("EM", 31.5, 20, several=True), figure("supporting F1", 48.2, 20)]),
        ],
    }  # fmt: skip
    text = check("reproduction", lambda on: show_reproduction(table, "runs/t", on), tmp_path)
    assert "0.00±0.00" in text
    assert "48.2±7.5 (n=12)" in text


def test_that_no_answer_has_a_verdict_is_told_in_the_first_line(tmp_path):
    def reply(prompt):
        return "no fields" if "accepted" in prompt.inputs else {"answer": "word"}

    lm, console = scripted(reply), Console(file=io.StringIO(), width=140)
    questions = [Question(id=f"q{i}", question="word?", answers=("word",)) for i in range(4)]
    with dspy.context(lm=lm):
        asked = evaluate(Direct(), questions, out=tmp_path, metrics=["em", Judged(lm)], progress=False)
    show_results({"direct": asked}, console, further=["judged"])
    first = "judged: the judge failed on all 4 answers (the judge gave no verdict that can be read, twice); "
    first += "the same command asks for those alone"
    assert " ".join(console.file.getvalue().split()).startswith(first)
    assert (tmp_path / "summary.md").read_text().splitlines()[0] == f"**{first}**"


HEADS = ["program", "em", "f1", "recall@5", "judged", "calls", "tokens", "usd", "errors"]
FIGURES = ["41.2±2.7", "52.0±2.5", "61.3±2.1", "100.0 (n=12)", "12.25", "~12,345", "$0.001234", "0"]


@pytest.mark.parametrize("width", [160, 80, 40])
def test_columns_that_do_not_fit_come_below_with_the_names_of_the_rows_and_no_cell_is_cut(width):
    console = Console(file=io.StringIO(), width=width)
    print_table(HEADS, 2 * [["a program that has a name of many words", *FIGURES]], console)
    text = console.file.getvalue()
    heads = [line.split() for line in text.splitlines() if line.split()[:1] == ["program"]]
    assert [head for each in heads for head in each[1:]] == HEADS[1:]
    assert (len(heads) == 1) == (width == 160)
    assert " ".join(text.split()).count("a program that") == 2 * len(heads)
    assert max(map(len, text.splitlines())) <= width
    assert [figure for figure in FIGURES if text.count(figure) < 2] == []
