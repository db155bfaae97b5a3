"""Measures the wait for a question of a tree search: one call at a time, and with iterations side by side.

The LM is simulated and answers after 200 ms, so these numbers are about control flow, not quality.

    python benchmarks/mzqa_clock.py         # by the wall clock
    python benchmarks/mzqa_clock.py --fair  # as it passes where nothing else runs (fair_clock.py)
"""

import argparse
import asyncio
from itertools import islice

import dspy
from fair_clock import run_clocked
from simulation import simulated

from multihop import BM25, Little, create

WAYS = [
    ("one call at a time", {"concurrency": 1}),
    *((f"parallel={number}", {"parallel": number}) for number in (1, 4, 8)),
]


def mean(values):
    values = list(values)
    return sum(values) / len(values)


async def clock(retriever, questions, latency=0.2):
    """Prints the seconds a question against the same tree built by one call after the other."""
    lm = simulated(questions, iter(retriever), error_rate=0.1, known=0.0, latency=latency)
    now = asyncio.get_running_loop().time
    print(f"\nLM of {latency * 1e3:.0f} ms, {len(questions)} questions one by one")
    spent, trees = {}, {}
    for label, settings in WAYS:
        program = create("mzqa", retriever, stops=(), **settings)
        started = now()
        with dspy.context(lm=lm, trace=None, disable_history=True):
            answers = [await program.acall(question=question.question) for question in questions]
        spent[label] = (now() - started) / len(questions)
        trees[label] = [next(step["tree"] for step in a.trajectory if step["step"] == "tree") for a in answers]
        calls, chain = (mean(answer.cost[what] for answer in answers) for what in ("calls", "chain"))
        same = trees[label] == trees["one call at a time"]
        print(
            f"  {label:20} {spent[label]:6.2f} s  {spent['one call at a time'] / spent[label]:5.1f} x as fast  "
            f"calls {calls:.0f}  longest chain {chain:.0f}  {'the same trees' if same else 'other trees'}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fair", action="store_true", help="time as it passes where nothing else runs (fair_clock.py)")
    little = Little()
    retriever, questions = BM25.build(little.passages()), list(islice(little.questions(), 3))
    run_clocked(clock(retriever, questions), fair=parser.parse_args().fair)


if __name__ == "__main__":
    main()
