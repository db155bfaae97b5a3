"""Several processes that write to one run at once, and clocks that jump while it goes on."""

import random
import subprocess
import sys
import time

import dspy
import pytest

from multihop import Direct, evaluate, scripted
from multihop.data import Question
from multihop.evaluation.journal import read_rows

EVALUATE = [sys.executable, "-m", "multihop", "evaluate", "one-step", "-q", "little", "-c", "little", "--lm", "local"]


@pytest.mark.seconds
def test_of_four_writers_one_works_and_three_are_refused(tmp_path):
    command = [*EVALUATE, "--out", str(tmp_path / "run"), "--quiet"]
    started = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    ends = [(process.communicate()[1], process.returncode) for process in started]
    # who comes when another has finished finds all done
    assert {code for _, code in ends} <= {0, 2}
    assert [code for _, code in ends].count(0) >= 1
    for said, code in ends:
        assert code == 0 or said.startswith("multihop: another process is working on "), said
    ids = [row["id"] for row in read_rows(tmp_path / "run")]
    assert len(ids) == len(set(ids)) == 40


def test_a_clock_that_jumps_changes_no_row(tmp_path, monkeypatch):
    draw, real = random.Random(5), time.time
    monkeypatch.setattr(time, "time", lambda: real() + draw.choice((-86_400, 0, 86_400, 10**9)))
    questions = [Question(id=f"q{n}", question=f"Who was number {n}?", answers=("Ada",)) for n in range(20)]
    with dspy.context(lm=scripted(lambda prompt: {"answer": "Ada"})):
        run = evaluate(Direct(), questions, out=tmp_path / "run", concurrency=4)
        again = evaluate(Direct(), questions, out=tmp_path / "run", concurrency=4)
    assert run.summary["metrics"]["em"]["mean"] == again.summary["metrics"]["em"]["mean"] == 1.0
    rows = list(read_rows(tmp_path / "run"))
    assert [row["status"] for row in rows] == ["ok"] * 20
    assert all(row["cost"]["seconds"] >= 0 for row in rows)
