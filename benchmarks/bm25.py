"""BM25 beside raw bm25s: building, searching in batches and through `find`, recall on real questions, and size.

python benchmarks/bm25.py                          # speed and recall, on the real corpora in --shared
python benchmarks/bm25.py --passages 1000000       # a generated corpus: time, memory, disk, latency
"""

import argparse
import asyncio
import gzip
import json
import resource
import statistics
import tempfile
import time
from itertools import chain
from pathlib import Path

import bm25s
from generated import generate_passages, generate_queries
from Stemmer import Stemmer

from multihop import BM25, Passage
from multihop.retrieval import find

SETS = {"hotpotqa": True, "2wikimultihopqa": True, "musique": False}
"""Set by set, whether titles are indexed: MuSiQue's are partly guessed."""


def seconds(work):
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def rows(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def raw_build(texts):
    index = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    tokens = bm25s.tokenize(texts, stopwords="en", stemmer=Stemmer("english"), show_progress=False)
    index.index(tokens, show_progress=False)
    return index


def raw_search(index, queries, k, corpus=None):
    tokens = bm25s.tokenize(queries, stopwords="en", stemmer=Stemmer("english"), show_progress=False)
    return index.retrieve(tokens, k=k, corpus=corpus, show_progress=False)


async def through_find(retriever, queries, k, tasks=256):
    """So many tasks, each asking one query after the other, as concurrent questions do."""
    waiting = iter(queries)

    async def ask():
        for query in waiting:
            await find(retriever, query, k)

    await asyncio.gather(*(ask() for _ in range(tasks)))


def recall(ranked, gold, k):
    return statistics.mean(
        len(set(ids[:k]) & set(wanted)) / len(wanted) for ids, wanted in zip(ranked, gold, strict=True)
    )


def compare(shared, rounds=7, k=5):
    for name, titles in SETS.items():
        passages = [Passage(row["id"], row["title"], row["text"]) for row in rows(shared / f"{name}.corpus.jsonl.gz")]
        dev = rows(shared / f"{name}.dev.jsonl.gz")
        queries, gold = [row["question"] for row in dev], [row["supporting"] for row in dev]
        documents = [passage._asdict() for passage in passages]
        texts = [f"{p.title} {p.text}" if titles else p.text for p in passages]
        times = {label: [] for label in ("raw build", "build", "raw", "raw with documents", "search", "find")}
        for _ in range(rounds):  # all in turn, so that a noisy machine disturbs them alike
            took, raw = seconds(lambda: raw_build(texts))
            times["raw build"].append(took)
            took, ours = seconds(lambda: BM25.build(passages, titles=titles))
            times["build"].append(took)
            many = queries * 4
            times["raw"].append(seconds(lambda: raw_search(raw, many, k))[0])
            times["raw with documents"].append(seconds(lambda: raw_search(raw, many, k, documents))[0])
            times["search"].append(seconds(lambda: ours.search(many, k))[0])
            distinct = [f"{query} {turn}" for turn in range(4) for query in queries]  # `find` asks nothing twice
            times["find"].append(seconds(lambda: asyncio.run(through_find(ours, distinct, k)))[0])
        took = {label: statistics.median(measured) for label, measured in times.items()}
        found = [[hit.passage.id for hit in hits] for hits in ours.search(queries, k)]
        by_hand = [[passages[i].id for i in ids] for ids in raw_search(raw, queries, k).documents.tolist()]
        print(f"\n{name}: {len(passages):,} passages, {len(many):,} queries, k={k}")
        print(f"  build   {took['raw build'] / took['build']:.2f} x the speed of raw bm25s ({took['build']:.2f} s)")
        for label in ("search", "find"):
            print(
                f"  {label:7} {took['raw'] / took[label]:.2f} x the throughput of raw bm25s, "
                f"{took['raw with documents'] / took[label]:.2f} x with its documents "
                f"({len(many) / took[label]:,.0f} queries/s)"
            )
        for depth in (2, 5):
            ours_at, theirs_at = recall(found, gold, depth), recall(by_hand, gold, depth)
            print(f"  recall@{depth} {100 * ours_at:.1f}, bm25s by hand {100 * theirs_at:.1f}")


def scale(count, queries=500, k=10):
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder) / "index"
        made = chain.from_iterable(generate_passages(count))
        took, retriever = seconds(lambda: BM25.build(made, folder=index))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        size = sum(path.stat().st_size for path in index.iterdir()) / 2**20
        print(f"\n{len(retriever):,} generated passages, generating them included")
        print(f"  build and save {took:.1f} s, peak memory {peak:.2f} GiB, index with passages {size:,.0f} MiB")
        took, retriever = seconds(lambda: BM25.load(index))
        print(f"  open {took * 1e3:.0f} ms")
        asked = generate_queries(queries, count)
        first, _ = seconds(lambda: retriever.search(asked[:1], k))
        each = sorted(seconds(lambda query=query: retriever.search([query], k))[0] for query in asked)
        print(
            f"  search, k={k}: first {first * 1e3:.1f} ms, then p50 {each[len(each) // 2] * 1e3:.2f} ms, "
            f"p95 {each[int(len(each) * 0.95)] * 1e3:.2f} ms, {len(each) / sum(each):,.0f} queries/s"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real corpora")
    parser.add_argument("--passages", type=int, help="size of a generated corpus to measure instead")
    given = parser.parse_args()
    if given.passages:
        scale(given.passages)
    elif given.shared.is_dir():
        compare(given.shared)
    else:
        print(f"{given.shared} is not there; give the folder of real corpora with --shared, or a size with --passages")


if __name__ == "__main__":
    main()
