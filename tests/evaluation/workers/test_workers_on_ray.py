"""Runs on a Ray cluster of three nodes, one of which is killed: find_spec("ray") says whether they can be tested."""

import threading

import dspy
import pytest
from near_workers import values
from ray_nodes import SMALL, needs_ray, start_nodes
from time_limit import LIMIT

from multihop import BM25, OneStep, open_corpus, open_questions, simulated
from multihop.__main__ import main
from multihop.evaluation import evaluate
from multihop.evaluation.journal.journal import read_header
from multihop.evaluation.workers.on_ray import RayWorker, RayWorkers
from multihop.retrieval.sharded.ray_cluster import join_cluster
from multihop.runtime import total_paid

pytestmark = [needs_ray, pytest.mark.seconds]


@pytest.fixture(scope="module")
def nodes():
    with start_nodes(2) as started:
        yield started


@pytest.fixture(scope="module")
def cluster(nodes):
    with join_cluster(nodes.address) as joined:
        yield joined


def test_a_node_killed_in_mid_run_loses_nothing_and_changes_no_value(nodes, cluster, tmp_path, monkeypatch):
    died, stop = [], RayWorker.stop
    monkeypatch.setattr(RayWorker, "stop", lambda worker: (died.append(worker), stop(worker)))
    doomed = nodes.add_node(**SMALL)
    nodes.wait_for_nodes()
    corpus, questions = list(open_corpus("world")), open_questions("world", limit=90)
    program, done = OneStep(BM25.build(corpus)), []
    killing = threading.Thread(target=nodes.remove_node, args=(doomed,), kwargs={"allow_graceful": False})

    def watch(row, before):
        done.append(row["id"])
        if len(done) == 20:
            killing.start()

    with dspy.context(lm=simulated(questions, corpus, latency=0.2)):
        evaluate(program, questions, out=tmp_path / "here", progress=False)
        workers = RayWorkers(cluster, 3)
        options = {"concurrency": 3, "progress": False, "watch": watch}
        evaluate(program, questions, out=tmp_path / "there", workers=workers, **options)
    killing.join()
    nodes.wait_for_nodes(timeout=LIMIT)  # else the next test may be given the dead one
    assert len(died) == 1
    assert len(done) == 90
    assert values(tmp_path / "there") == values(tmp_path / "here")
    assert total_paid(tmp_path / "there")["tokens"] == total_paid(tmp_path / "here")["tokens"]
    assert read_header(tmp_path / "there")["limits"]["workers"] == 3


def test_the_command_line_spreads_questions_and_shards(nodes, cluster, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ray = ["--ray", nodes.address]
    assert main(["index", "world", *ray, "--shards", "2", "--to", "parts"]) == 0
    assert main(["index", "world", "--to", "whole"]) == 0
    said = capsys.readouterr().out.split()
    assert said.count("3,060") == 2
    assert len({word for word in said if word.startswith("bm25-")}) == 1
    asked = ["evaluate", "one-step", "--lm", "lexical", "--limit", "12"]
    assert main([*asked, "-c", "parts", *ray, "--workers", "1", "--out", "there"]) == 0
    assert main([*asked, "-c", "whole", "--out", "here"]) == 0
    assert values(tmp_path / "there") == values(tmp_path / "here")
    assert read_header(tmp_path / "there")["identity"] == read_header(tmp_path / "here")["identity"]
