"""Workers may make what is made of runs: compiled programs, and the tables of papers."""

from itertools import islice

import dspy
from near_workers import NearWorkers

from multihop import BM25, OneStep, World, compile_variants, simulated
from multihop.experiments import reproduce


def test_variants_are_scored_by_workers_as_in_one_process(tmp_path):
    world = World(questions=20, seed=4)
    pages, questions = list(world.passages()), list(islice(world.questions(), 20))
    workers = NearWorkers(2)
    studies = {}
    for name, others in (("here", None), ("there", workers)):
        with dspy.context(lm=simulated(questions, pages)):
            studies[name] = compile_variants(
                OneStep(BM25.build(pages)),
                ["zero-shot", "bootstrapped"],
                train=questions[:8],
                dev=questions[8:],
                to=tmp_path / name / "best.json",
                concurrency=4,
                workers=others,
            )
    assert studies["there"].outcomes == studies["here"].outcomes
    assert studies["there"].best == studies["here"].best
    assert studies["there"].calls == studies["here"].calls
    assert sum(worker.rows for worker in workers.started) == 2 * 12


def test_the_rows_of_a_table_are_asked_by_workers_as_in_one_process(tmp_path):
    workers = NearWorkers(2)
    tables = {
        name: reproduce(
            "resp-table-1",
            out=tmp_path / name,
            lm=simulated,
            rows=["Standard RAG", "ReSP"],
            questions="world",
            limit=4,
            workers=others,
        )
        for name, others in (("here", None), ("there", workers))
    }
    assert tables["there"]["rows"] == tables["here"]["rows"]
    assert len(workers.started) == 2
    assert sum(worker.rows for worker in workers.started) == 8
