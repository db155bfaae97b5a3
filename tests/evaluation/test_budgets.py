"""Runs of one budget make the same calls, and none passes it by more than an answer."""

import dspy
import pytest
from uneven import Uneven
from virtual_clock import run_on_virtual_clock

from multihop import BM25, World
from multihop.evaluation import aevaluate
from multihop.lms import as_lm, simulated
from multihop.programs import create
from multihop.runtime import Budget, token_count

WORLD = World(questions=8, seed=5)
PAGES, QUESTIONS = list(WORLD.passages()), list(WORLD.questions())
RETRIEVER = BM25.build(PAGES)
pytestmark = [pytest.mark.at_once, pytest.mark.grid]


def rows_of(name, budget, seed, concurrency):
    engine = simulated(QUESTIONS, PAGES, error_rate=0.2).engine
    lm = as_lm(engine, "simulated", twin=Uneven(engine, seed))
    program = create(name, RETRIEVER, budget=budget, concurrency=concurrency)

    async def run():
        with dspy.context(lm=lm):
            return await aevaluate(program, QUESTIONS, concurrency=concurrency, progress=False, cache="off")

    done, _ = run_on_virtual_clock(run())
    return {row["id"]: row for row in done.rows()}


@pytest.mark.parametrize("budget", [{"tokens": 3000}, {"tokens": 900}, {"calls": 2}], ids=str)
@pytest.mark.parametrize("name", ["tor", "mzqa", "resp", "ircot"])
def test_six_runs_of_one_budget_make_the_same_calls(name, budget):
    runs = [
        rows_of(name, Budget(**budget), seed, concurrency)
        for seed, concurrency in ((0, 32), (1, 32), (2, 8), (3, 2), (4, 1), (5, 3))
    ]
    what = ("calls", "calls_by_role", "tokens", "retrievals")
    first, *others = [
        {name: ({each: row["cost"][each] for each in what}, row["answer"]) for name, row in run.items()} for run in runs
    ]
    assert all(other == first for other in others)
    assert any(row["status"] == "over_budget" for row in runs[0].values())
    for row in runs[0].values():
        assert row["cost"]["calls"] <= budget.get("calls", 99)
        if "tokens" in budget:
            assert token_count(row["cost"]["tokens"]) <= budget["tokens"] + 60  # the longest answer
