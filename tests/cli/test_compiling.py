import io

import pytest
from rich.console import Console

from multihop.cli.commands.compile import StageDisplay, counted_line
from multihop.optimize.spending import Spending
from multihop.optimize.study import Stage

ROW = {"id": "q1", "status": "ok", "metrics": {"em": 1.0, "f1": 1.0, "recall@5": 0.5}}
ROW["cost"] = {"calls": 3, "tokens": {"lm": {"in": 700, "out": 20}}, "parse_failures": 0}


def stage_of(calls, expected):
    spending = Spending()
    stage = Stage("simba: rules", "simba", expected=expected, _spending=spending)
    for _ in range(calls):
        spending.add_usage("lm", {})
    return stage


@pytest.mark.parametrize(
    ("calls", "expected", "line"),
    [
        (0, None, "0 LM calls  0:40"),
        (1200, None, "1,200 LM calls  0:40"),
        (0, 400, "0 of about 400 LM calls  0:40"),
        (100, 400, "100 of about 400 LM calls  0:40  about 2:00 left"),
        (500, 400, "500 of about 400 LM calls  0:40"),
    ],
)
def test_a_stage_counts_its_calls_and_says_what_is_left(calls, expected, line):
    assert counted_line(calls, expected, 40.0) == line


@pytest.mark.parametrize("terminal", [True, False])
def test_one_stage_is_shown_after_the_other_and_every_line_stays(terminal):
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=terminal, width=80)
    with StageDisplay(console) as stages:
        stages.tell("estimating")
        stages.watch(stage_of(0, None), None, False)
        stages.tell("zero-shot: scoring on 1 dev questions")
        stages.watch(Stage("zero-shot: scoring", "zero-shot", questions=1), None, False)
        stages.watch(Stage("zero-shot: scoring", "zero-shot", questions=1), ROW, False)
        stages.tell("zero-shot: f1 100.0, em 100.0")
    lines = [line.strip() for line in shown.getvalue().splitlines()]
    told = ["estimating", "zero-shot: scoring on 1 dev questions", "zero-shot: f1 100.0, em 100.0"]
    assert [line for line in lines if any(line.endswith(each) for each in told)] == [
        next(line for line in lines if line.endswith(each)) for each in told
    ]
    assert any("1/1" in line and "em 100" in line for line in lines)
