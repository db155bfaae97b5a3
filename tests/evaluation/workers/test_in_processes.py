import multiprocessing

import dspy
import pytest
from near_workers import values

from multihop import BM25, InputError, OneStep, open_corpus, open_questions, simulated
from multihop.__main__ import main
from multihop.evaluation import evaluate
from multihop.evaluation.journal.journal import read_header
from multihop.evaluation.workers.in_processes import ProcessWorkers
from multihop.runtime import total_paid

pytestmark = pytest.mark.seconds


def workers_alive():
    return [process for process in multiprocessing.active_children() if process.name == "multihop-worker"]


def test_a_process_killed_in_mid_run_loses_nothing_and_changes_no_value(tmp_path):
    corpus, questions = list(open_corpus("world")), open_questions("world", limit=40)
    program, done = OneStep(BM25.build(corpus)), []

    def watch(row, before):
        done.append(row["id"])
        if len(done) == 10:
            workers_alive()[0].kill()

    with dspy.context(lm=simulated(questions, corpus, latency=0.1)):
        evaluate(program, questions, out=tmp_path / "here", progress=False)
        with ProcessWorkers(2) as workers:
            options = {"concurrency": 2, "progress": False, "workers": workers}
            evaluate(program, questions, out=tmp_path / "there", watch=watch, **options)
            assert values(tmp_path / "there") == values(tmp_path / "here")
            assert total_paid(tmp_path / "there")["tokens"] == total_paid(tmp_path / "here")["tokens"]
    assert len(done) == 40
    assert workers_alive() == []


def test_the_command_line_starts_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    asked = ["evaluate", "one-step", "--lm", "lexical", "--limit", "9"]
    assert main([*asked, "--processes", "1", "--out", "there"]) == 0
    assert main([*asked, "--out", "here"]) == 0
    assert values(tmp_path / "there") == values(tmp_path / "here")
    assert read_header(tmp_path / "there")["limits"]["workers"] == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--processes", "2", "--ray", "auto"], "--ray and --processes both say who answers; give one of them."),
        (["--workers", "2"], "--workers is for a Ray cluster; give --ray ADDRESS, or --processes for this machine."),
        (["--processes", "0"], "Must be >= 1"),
    ],
)
def test_who_answers_is_said_once(options, said, tmp_path, capsys):
    assert main(["evaluate", "direct", "--out", str(tmp_path / "run"), *options]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_there_is_one_process_at_least():
    with pytest.raises(InputError, match="the number of processes is a whole number from 1 on, not 0"):
        ProcessWorkers(0)
