"""Measures how hard the generated world is for one-step retrieval, and how fast and lean a large one streams.

python benchmarks/world.py
"""

import argparse
import resource
import time

from multihop import BM25, World


def recall(world, k=5):
    retriever, questions = BM25.build(world.passages()), list(world.questions())
    ranked = retriever.search([question.question for question in questions], k)
    found = [
        len({hit.passage.id for hit in hits} & set(question.supporting)) / len(set(question.supporting))
        for hits, question in zip(ranked, questions, strict=True)
    ]
    return sum(found) / len(found), len(retriever)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passages", type=int, default=1_000_000, help="size of the world that is streamed")
    given = parser.parse_args()
    started, count = time.perf_counter(), 0
    for _ in World(questions=10, passages=given.passages, seed=1).passages():
        count += 1
    seconds, peak = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{count:,} passages streamed at {count / seconds:,.0f} a second, peak memory {peak:.0f} MB")
    worlds = [World(seed=seed) for seed in range(5)] + [World(questions=1000, passages=20_000, seed=7)]
    for world in worlds:
        share, size = recall(world)
        print(f"{world!r:55} {size:,} passages, one-step BM25 recall@5 {100 * share:.1f}")


if __name__ == "__main__":
    main()
