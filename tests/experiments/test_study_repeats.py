"""Rows of a study that are asked several times, of questions that are drawn."""

from collections import Counter
from pathlib import Path

import pytest
import ujson
from misfits import misfits
from rich.console import Console

from multihop import MismatchError, scripted
from multihop.cli.show_experiments import show_reproduction
from multihop.experiments import open_experiment, reproduce
from multihop.experiments.plan import plan_runs, price
from multihop.experiments.study_table import StudyTable

MINE = """
title = "Heads or tails"
sets.small = { title = "Small", questions = "questions.jsonl", offset = 2, sample = 4, sample_seed = 3, size = 12 }
columns = [
  { set = "small", metric = "em" },
  { set = "small", metric = "em", hops = 3 },
  { set = "small", metric = "calls" },
  { set = "small", metric = "count:rounds/calls" },
]
rows = [
  { name = "three times", program = "direct", repeats = 3, published = [40.0, "–", "–", "–"] },
  { name = "once", program = "direct", published = [40.0, "–", "–", "–"] },
]
"""
ASKED = [{"id": f"q{i}", "question": f"Throw {i}?", "answers": ["heads"], "hops": 2 + i % 2} for i in range(12)]


@pytest.fixture
def mine(write_study):
    return write_study(MINE, ASKED)


def coin(asked):
    """Tails the first time that it is asked a question, then heads; it counts what it is asked."""

    def throw(prompt):
        asked[prompt.inputs["question"]] += 1
        return {"answer": "tails" if asked[prompt.inputs["question"]] == 1 else "heads"}

    return scripted(throw)


def made(**options):
    return reproduce("mine.toml", out="out", lm=coin(Counter()), **options)


def refused(said, **options):
    """What is there is not made with these options, and no LM is asked."""
    with pytest.raises(MismatchError, match=said):
        reproduce("mine.toml", out="out", lm=scripted([]), **options)


def test_a_row_shows_its_mean_with_the_lowest_and_the_highest_run(mine, tmp_path):
    asked = Counter()
    table = reproduce(mine, out="out", lm=coin(asked))
    several, once = table["rows"]
    em, of_three_hops, calls, ratio = several["cells"]
    assert [em[name] for name in ("ours", "lowest", "highest", "low", "high")] == [66.6667, 0, 100, None, None]
    assert (em["n"], em["difference"]) == (4, 26.6667)
    assert 0 < of_three_hops["n"] < 4
    assert (calls["ours"], calls["lowest"], calls["highest"], ratio["ours"]) == (1.0, 1.0, 1.0, None)
    assert (several["repeats"], several["n"], several["paid_calls"]) == (3, 4, 12)
    assert (once["repeats"], once["cells"][0]["ours"], once["cells"][0]["lowest"]) == (1, 100.0, None)
    assert len(asked) == 4
    assert min(int(question[6:-1]) for question in asked) >= 2
    assert misfits(table, StudyTable, "table.json") == set()
    page = (tmp_path / "out" / "table.md").read_text()
    assert "| three times | EM | 40.0 | 66.7 [0.00, 100.0] | – | +26.7 | 1.0 |" in page
    assert "show the mean [lowest run, highest run]" in page
    runs = tmp_path / "out" / "three-times" / "small"
    draws = [ujson.loads((runs / f"repeat-{n}" / "run.json").read_text())["identity"].get("draw", 0) for n in (1, 2, 3)]
    assert draws == [0, 1, 2]
    assert ujson.loads((runs / "summary.json").read_text())["repeats"] == 3
    console = Console(width=100, record=True)
    show_reproduction(table, "out", console)
    text = console.export_text()
    assert ("66.7±" in text, "[0.00, 100.0]" in text) == (False, True)


def test_what_is_there_is_not_asked_again_and_other_questions_or_repeats_are_refused(mine, tmp_path):
    made()
    reproduce(mine, out="out", lm=scripted([]))
    refused(r"repeat-1 was made with data.sample_seed = 3, and now it is 4", rows=["once"], sample_seed=4)
    refused(r"out/three-times/small holds repeats; .* ask as often \(--repeats\)", repeats=1)
    refused(r"out/once/small holds a single run; .* ask once \(--repeats 1\)", repeats=3)
    (tmp_path / "mine.toml").write_text(MINE.replace("sample = 4", "sample = 5"))
    refused(r"data.sample = 4, and now it is 5")


def test_calls_that_run_out_leave_a_mean_over_the_runs_there_are(mine):
    table = made(max_calls=6, concurrency=1)
    row = table["rows"][0]
    assert (table["stopped"], row["repeats"], row["n"]) == (True, 2, 1)
    assert (row["cells"][0]["lowest"], row["cells"][0]["highest"]) == (0.0, 100.0)
    assert [row["n"] for row in made()["rows"]] == [4, 4]


def test_a_price_counts_every_time(mine):
    experiment = open_experiment(mine)
    prices = [price(run) for run in plan_runs(experiment, experiment.sets)]
    assert [(each.questions, each.most_calls) for each in prices] == [(12, 12), (4, 4)]
    assert price(plan_runs(experiment, experiment.sets, repeats=2)[1], counts=False).questions == 8
    made(limit=3)
    found = [price(run, Path("out")) for run in plan_runs(experiment, experiment.sets)]
    assert [each.finished for each in found] == [9, 3]
