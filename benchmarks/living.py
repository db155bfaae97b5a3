"""An index that changes: how long additions and removals take, and how fast it is searched before it is one part again.

python benchmarks/living.py                         # a million generated passages, ten thousand added
python benchmarks/living.py --passages 100000 --added 1000
"""

import argparse
import resource
import shutil
import statistics
import tempfile
import time
from itertools import chain, islice
from pathlib import Path

from generated import generate_passages, generate_queries

from multihop import BM25
from multihop.retrieval import is_index


def seconds(work, clock=time.perf_counter):
    started = clock()
    result = work()
    return clock() - started, result


def new_passages(count):
    """Passages with ids that the index does not have."""
    made = islice(chain.from_iterable(generate_passages(count)), count)
    return [passage._replace(id=f"new-{passage.id}") for passage in made]


def side_by_side(indexes, queries, k=10):
    """The median processor time of a search in each index, asked in turn: a noisy machine disturbs them alike."""
    took = [[] for _ in indexes]
    for number, query in enumerate(queries):
        pairs = list(zip(took, indexes, strict=True))
        for times, index in pairs if number % 2 else reversed(pairs):
            times.append(seconds(lambda query=query, index=index: index.search([query], k), time.process_time)[0])
    return [statistics.median(times) for times in took]


def say_slower(what, indexes, queries):
    """The first time the words of a query are met since the change, and then again."""
    (_, first), (before, after) = side_by_side(indexes, queries), side_by_side(indexes, queries)
    print(
        f"  search {what}: p50 {after * 1e3:.2f} ms, {after / before:.2f} x that of the index before; "
        f"with words that are new to it {first / before:.2f} x"
    )


def measure(count, added, home):
    queries = generate_queries(300, count)
    built = home / f"built-{count}"
    if not is_index(built):
        took, _ = seconds(lambda: BM25.build(chain.from_iterable(generate_passages(count)), folder=built))
        print(f"  built in {took:.0f} s")
    folder = home / "changing"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(built, folder)
    before, index = BM25.load(built), BM25.load(folder)
    side_by_side([before, index], queries)  # what is read for the first time comes from the disk
    new = new_passages(added + 100)
    before_one = time.process_time()
    one = sorted(seconds(lambda passage=passage: index.add([passage]))[0] for passage in new[added:])
    worked = (time.process_time() - before_one) / len(one)
    spread = f"p50 {one[50] * 1e3:.0f} ms, p95 {one[95] * 1e3:.0f} ms"
    print(f"  one addition: {spread}, of the processor {worked * 1e3:.0f} ms")
    took, _ = seconds(lambda: index.add(new[:added]))
    print(f"  {added:,} additions at once: {took:.1f} s")
    say_slower("after them", [before, index], queries)
    took, _ = seconds(
        lambda: index.remove([passage.id for passage, _ in zip(before, range(added // 10), strict=False)])
    )
    print(f"  {added // 10:,} removals at once: {took:.1f} s")
    say_slower("after them", [before, index], queries)
    took, opened = seconds(lambda: BM25.load(folder))
    print(f"  open {took * 1e3:.0f} ms; fingerprint {seconds(lambda: opened.fingerprint)[0]:.1f} s")
    took, _ = seconds(index.compact)
    same = opened.search(queries, 10) == index.search(queries, 10)
    print(f"  one part again: {took:.0f} s; {'the same' if same else 'OTHER'} hits and scores as before it")
    say_slower("then", [before, index], queries)
    print(f"  peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passages", type=int, default=1_000_000, help="size of the generated corpus")
    parser.add_argument("--added", type=int, default=10_000, help="passages that are added")
    parser.add_argument("--home", type=Path, help="a folder to keep the index in, for another run")
    given = parser.parse_args()
    print(f"{given.passages:,} generated passages")
    if given.home:
        measure(given.passages, given.added, given.home)
    else:
        with tempfile.TemporaryDirectory() as home:
            measure(given.passages, given.added, Path(home))


if __name__ == "__main__":
    main()
