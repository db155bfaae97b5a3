"""Questions a second with more and more workers on a Ray cluster of this machine, and rankings of shards.

python benchmarks/ray_scaling.py
python benchmarks/ray_scaling.py --rounds 6 --workers 1 2       # a quick look
python benchmarks/ray_scaling.py --processes                    # processes of this machine in the place of Ray's

Each worker has four questions in flight, and the LM takes 200 ms without using a core. Ideal is that each round of
questions takes 200 ms.
"""

import argparse
import contextlib
import os
import pickle
import tempfile
import time
from itertools import islice

import dspy

from multihop import Direct, Hybrid, Question, open_corpus, open_questions, scripted
from multihop.evaluation import evaluate
from multihop.evaluation.workers.in_processes import ProcessWorkers
from multihop.retrieval import Sharded

LATENCY, AT_ONCE = 0.2, 4


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--rounds", type=int, default=40, help="questions that each place answers")
    parser.add_argument("--processes", action="store_true", help="processes of this machine, without Ray")
    parser.add_argument("--passages", type=int, default=2100, help="of the world, for the rankings")
    given = parser.parse_args()
    cluster = contextlib.nullcontext() if given.processes else nodes(max(given.workers))
    with cluster as joined:
        one = None
        for count in given.workers:
            rate = throughput(joined, count, given.rounds)
            one = one or rate / count
            ideal = count * AT_ONCE / LATENCY
            print(
                f"{count} workers: {rate:.1f} questions/s, {rate / (one * count):.1%} of linear, "
                f"{rate / ideal:.1%} of the ideal {ideal:.0f}"
            )
        if joined is not None:
            compare_rankings(joined, given.passages, max(given.workers))


@contextlib.contextmanager
def nodes(count):
    """A cluster of so many nodes with a CPU each, on this machine."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    from multihop.retrieval.sharded.ray_cluster import join_cluster

    small = {"num_cpus": 1, "object_store_memory": 80 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False})
    try:
        for _ in range(count - 1):
            cluster.add_node(**small)
        with join_cluster(cluster.address) as joined:
            yield joined
    finally:
        cluster.shutdown()


def throughput(cluster, count, rounds):
    """Questions a second, once all workers are there."""
    with contextlib.ExitStack() as stack:
        if cluster is None:
            workers = stack.enter_context(ProcessWorkers(count))
        else:
            from multihop.evaluation.workers.on_ray import RayWorkers

            workers = RayWorkers(cluster, count)
        lm = scripted(lambda prompt: {"answer": "x"}, latency=LATENCY)
        with dspy.context(lm=lm):
            ask(
                workers,
                [Question(id=f"w{n}", question="?", answers=("x",)) for n in range(count * AT_ONCE * 60)],
                count,
            )
            started = time.perf_counter()
            questions = [
                Question(id=f"q{n}", question=f"{n}?", answers=("x",)) for n in range(count * AT_ONCE * rounds)
            ]
            ask(workers, questions, count)
            return len(questions) / (time.perf_counter() - started)


def ask(workers, questions, count):
    evaluate(Direct(), questions, workers=workers, concurrency=AT_ONCE, progress=False)


def compare_rankings(cluster, passages, shards):
    """The first ten of every query, from shards on the cluster and from one index: bytes compared with bytes."""
    from multihop.retrieval.sharded.index import open_shards_with
    from multihop.retrieval.sharded.on_ray import builders_on, shards_on

    corpus = list(islice(open_corpus("world"), passages))
    queries = [question.question for question in open_questions("world")]
    whole = Hybrid.build(corpus)
    with tempfile.TemporaryDirectory() as folder, open_shards_with(shards_on(cluster)):
        options = {"shards": shards, "retriever": "hybrid", "builders": builders_on(cluster)}
        parts = Sharded.build(corpus, folder=f"{folder}/index", **options)
        pairs = {
            "bm25": (parts._words, whole._words),
            "dense": (parts._meanings, whole._meanings),
            "hybrid": (parts, whole),
        }
        for name, (some, one) in pairs.items():
            found = zip(some.search(queries, 10), one.search(queries, 10), strict=True)
            same = sum(pickle.dumps(ours) == pickle.dumps(theirs) for ours, theirs in found)
            print(f"{name}: {same} of {len(queries)} rankings are the same, byte for byte", flush=True)


if __name__ == "__main__":
    main()
