"""Measures what a question costs each row of docs/board.md: time beside BM25's, CPU-seconds, and megabytes of index.

python benchmarks/board_cost.py --rows "bm25;hybrid;ranked-rag"     # on HotpotQA's dev questions

Questions are asked one at a time, each of all rows before the next, so that other work on the machine slows all alike;
"bm25" is always among them. CPU-seconds are of all cores together.
The rows' files in docs/board have these figures as times_bm25, cpu_seconds and index_mb.
"""

import argparse
import statistics
import time
from pathlib import Path

import dspy
from dev_sets import open_retriever_of

from multihop import create, open_lm, open_questions
from multihop.experiments import open_experiment

SET, BASE = "hotpotqa", "bm25"


def megabytes(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def ask(program, lm, question):
    """The seconds, and the processor's seconds, that a question takes."""
    started, worked = time.perf_counter(), time.process_time()
    with dspy.context(lm=lm):
        program(question=question.question)
    return time.perf_counter() - started, time.process_time() - worked


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default=BASE, help="names of the experiment zero-token, separated by semicolons")
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    parser.add_argument("--indexes", type=Path, default=Path("indexes/dev"), help="where indexes are kept")
    given = parser.parse_args()
    if not given.shared.is_dir():
        raise SystemExit(f"there are no question sets in {given.shared}; give their folder with --shared")
    given.weights = None
    given.indexes.mkdir(parents=True, exist_ok=True)
    experiment = open_experiment("zero-token")
    names = list(dict.fromkeys([BASE, *given.rows.split(";")]))
    rows = [row for row in experiment.rows if row.name in names]
    if len(rows) < len(names):
        raise SystemExit(f"the rows of {experiment.name} are {', '.join(row.name for row in experiment.rows)}")
    lms = {name: open_lm(name) for name in {row.lm or experiment.lm for row in rows}}
    made, sizes = {}, {}
    for row in rows:
        retriever = open_retriever_of(row.search, SET, given)
        made[row.name] = create(row.program, retriever, **row.settings), lms[row.lm or experiment.lm]
        sizes[row.name] = max(megabytes(each) for each in given.indexes.glob(f"{SET}-{row.search}*"))
    spent = {name: [] for name in made}
    for place, question in enumerate(open_questions(given.shared / f"{SET}.dev.jsonl.gz", limit=given.questions + 1)):
        for name, (program, lm) in made.items():
            taken = ask(program, lm, question)
            if place:  # the first loads what is loaded once
                spent[name].append(taken)
    print(
        f"| row, {given.questions} questions | time, x BM25's | CPU-seconds | index MB |\n| --- | ---: | ---: | ---: |"
    )
    base = statistics.median(seconds for seconds, _ in spent[BASE])
    for name, taken in spent.items():
        ratio = statistics.median(seconds for seconds, _ in taken) / base
        worked = statistics.fmean(seconds for _, seconds in taken)
        print(f"| {name} | {ratio:.1f} | {worked:.2f} | {sizes[name]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
