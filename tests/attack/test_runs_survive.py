"""Full disks, other writers and clocks that jump: the same command goes on, and all that was paid is on record."""

import random
import subprocess
import sys
import time
from unittest import mock

import dspy
import pytest
from faulty_disk import FaultyDisk
from full_disk import no_room_for

from multihop import InputError, Question, scripted
from multihop.base import RunFailed, files
from multihop.evaluation import evaluate
from multihop.evaluation.journal import read_rows
from multihop.programs import Direct
from multihop.runtime import total_paid

QUESTIONS = [Question(id=f"q{i:02}", question=f"word{i}?", answers=(f"word{i}",)) for i in range(12)]


def echo(prompt):
    return {"answer": prompt.inputs["question"].rstrip("?")}


def attempt(lm, folder, concurrency):
    """The run's result, or the sentence with which it was stopped."""
    with dspy.context(lm=lm):
        try:
            return evaluate(Direct(retries=0), QUESTIONS, out=folder, concurrency=concurrency, cache="run")
        except (InputError, RunFailed) as error:
            return str(error)


def check_run(folder, full):
    """Run on a disk that is full, then on one that is not."""
    lm = scripted(echo)
    with full():
        for _ in range(2):  # given at once again, the command says the same and harms nothing
            said = attempt(lm, folder, concurrency=random.choice([1, 4]))
            assert not isinstance(said, str) or ("cannot" in said and "\n" not in said)
            paid = total_paid(folder)
            assert (paid["calls"] if paid else 0) == len(lm.engine.prompts)
    before = [row for row in read_rows(folder) if row["status"] == "ok"]
    done = attempt(lm, folder, concurrency=4)
    assert (done.summary["n_ok"], done.summary["n_error"]) == (12, 0)
    assert [row for row in read_rows(folder) if row["status"] == "ok"][: len(before)] == before
    assert total_paid(folder)["calls"] == len(lm.engine.prompts)


def full_after(seed):
    """A disk that takes so many bytes, in pieces, and then refuses, or cannot even be cut."""
    some = random.Random(seed)
    reserve = some.choice([0, 70_000])  # the bill takes its reserve, or is refused it
    disk = FaultyDisk(reserve + some.randrange(20_000), piece=some.choice([50, 1 << 20]), stuck=some.random() < 0.3)
    return mock.patch.object(files, "os", disk)


@pytest.mark.parametrize("part", range(4))
def test_runs_on_disks_that_fill_up_go_on_by_the_same_command(tmp_path, part, how_many):
    for seed in range(part, how_many(4, 40, 200), 4):
        check_run(tmp_path / f"{seed}", lambda seed=seed: full_after(seed))


@pytest.mark.parametrize("room", [1, 1_000, 5_000, 70_000, 75_000])
def test_a_run_goes_on_once_the_system_lets_its_files_grow(tmp_path, room):
    check_run(tmp_path / "run", lambda: no_room_for(room))


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
    with dspy.context(lm=scripted(echo)):
        run, again = (evaluate(Direct(), QUESTIONS, out=tmp_path / "run", concurrency=4) for _ in range(2))
    assert run.summary["metrics"]["em"]["mean"] == again.summary["metrics"]["em"]["mean"] == 1.0
    rows = list(read_rows(tmp_path / "run"))
    assert [row["status"] for row in rows] == ["ok"] * 12
    assert all(row["cost"]["seconds"] >= 0 for row in rows)
