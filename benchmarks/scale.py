"""Indexes of millions of passages: how long they take to build, what memory and disk, and how fast they answer.

python benchmarks/scale.py --passages 1000000,5000000             # BM25
python benchmarks/scale.py --passages 100000 --dense              # vectors
python benchmarks/scale.py --passages 5000000 --keep indexes      # what is in the folder is not built again

Passages, queries and vectors are generated, the same every time (generated.py). Each size is built in one process and
searched in another, one query at a time, and what generates passages is a third. Wall time, processor time (all cores
together, which hardly depends on what else the machine does) and memory are the library's alone; memory is the most
after any query and includes what was read of mapped files, which the system takes back when it is short.
"""

import argparse
import json
import statistics
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

from apart import memory, percentile, run_apart
from generated import Meanings, ask_near, generate_numbers, generate_queries, streaming

from multihop import BM25, Dense, open_index
from multihop.retrieval import dense

K = 10
QUERIES = 1000
COLUMNS = {
    "index": "",
    "passages": ",",
    "build s": ",.0f",
    "of processors s": ",.0f",
    "us a passage": ".1f",
    "peak MiB": ",.0f",
    "disk MB": ",.0f",
    "open ms": ".1f",
    "p50 ms": ".2f",
    "p95 ms": ".2f",
    "of processors p50 ms": ".2f",
    "p95 of them": ".2f",
    "searching MiB": ",.0f",
}
"""The columns of a row, each with the format that it is shown in."""


def build_words(count, home):
    with streaming(count) as passages:
        BM25.build(passages, folder=home)


def search_words(count, home):
    queries = generate_queries(QUERIES, count)
    before = memory()
    started = time.perf_counter()
    retriever = open_index(home)
    opened = time.perf_counter() - started
    return _ask(retriever, queries, opened, before)


def build_vectors(count, home):
    open_generated_encoders()
    Dense.build(generate_numbers(count), folder=home, encoder=Meanings())


def open_generated_encoders():
    """The index folder names an encoder that only this script has."""
    dense.open_encoder = lambda *_, **__: Meanings()


def search_vectors(count, home):
    open_generated_encoders()
    queries = ask_near(QUERIES, count)
    before = memory()
    started = time.perf_counter()
    retriever = open_index(home)
    opened = time.perf_counter() - started
    return _ask(retriever, queries, opened, before)


def _ask(retriever, queries, opened, before):
    """Each query alone, once to have been read from disk, and once more to be timed."""
    held = 0.0
    for query in queries:
        retriever.search([query], K)
        held = max(held, memory())
    seconds, processor = [], []
    for query in queries:
        started, worked = time.perf_counter(), time.process_time()
        retriever.search([query], K)
        seconds.append(time.perf_counter() - started)
        processor.append(time.process_time() - worked)
    return {
        "open ms": 1e3 * opened,
        "p50 ms": 1e3 * statistics.median(seconds),
        "p95 ms": 1e3 * percentile(seconds, 0.95),
        "of processors p50 ms": 1e3 * statistics.median(processor),
        "p95 of them": 1e3 * percentile(processor, 0.95),
        "searching MiB": held - before,
    }


WORK = {"bm25": (build_words, search_words), "dense": (build_vectors, search_vectors)}


def measure(kind, count, folder):
    """A row of the table; an index that is already in the folder is not built again."""
    build, search = WORK[kind]
    home, figures = folder / f"{kind}-{count}", folder / f"{kind}-{count}.json"
    if not figures.exists():
        built = run_apart(build, count, home)
        row = {"index": kind, "passages": count, "build s": built.wall, "of processors s": built.processor}
        row |= {"us a passage": 1e6 * built.processor / count, "peak MiB": built.peak}
        row["disk MB"] = sum(file.stat().st_size for file in home.rglob("*") if file.is_file()) / 1e6
        figures.write_text(json.dumps(row))
    return {**json.loads(figures.read_text()), **run_apart(search, count, home).result}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passages", default="200000,1000000", help="sizes, with commas")
    parser.add_argument("--dense", action="store_true", help="vectors instead of words")
    parser.add_argument("--keep", type=Path, help="where indexes are left, so that a second run only searches them")
    given = parser.parse_args()
    print("| " + " | ".join(COLUMNS) + " |")
    print("| --- " + "| ---: " * (len(COLUMNS) - 1) + "|", flush=True)
    for count in map(int, given.passages.split(",")):
        with tempfile.TemporaryDirectory() if given.keep is None else nullcontext(given.keep) as folder:
            row = measure("dense" if given.dense else "bm25", count, Path(folder))
        shown = [format(row[name], style) if name in row else "" for name, style in COLUMNS.items()]
        print("| " + " | ".join(shown) + " |", flush=True)


if __name__ == "__main__":
    main()
