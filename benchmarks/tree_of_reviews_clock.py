"""Measures the wait for a question of Tree of Reviews against its longest chain of calls, alone and with 32 at once.

The LM is simulated and answers after 200 ms, so these numbers are about control flow, not quality.

    python benchmarks/tree_of_reviews_clock.py            # by the wall clock
    python benchmarks/tree_of_reviews_clock.py --fair     # as it passes where nothing else runs (fair_clock.py)
"""

import argparse
from itertools import islice

from fair_clock import run_clocked
from simulation import simulated, time_run

from multihop import BM25, Little, create


async def clock(retriever, questions, latency=0.2):
    """Seconds against the longest chain of dependent calls, question by question and 32 at once, in both orders."""
    lm = simulated(questions, iter(retriever), error_rate=0.1, known=0.0, latency=latency)
    print(f"\nwall clock, LM of {latency * 1e3:.0f} ms")
    spent = {}
    for order in ("by-level", "depth-first"):
        program = create("tor", retriever, order=order, concurrency=256, stops=())
        spent[order] = took = await time_run(program, questions, lm, latency)
        print(
            f"  {order:12} one by one: {took.alone_ratio:.2f} x the longest chain, {took.alone:.2f} s a question; "
            f"32 at once: {took.crowd:.2f} s, {took.crowd_ratio:.2f} x the longest chain of all; "
            f"{took.calls:.1f} calls; {took.processor:.2f} ms of processor a call",
            flush=True,
        )
    level, deep = spent["by-level"], spent["depth-first"]
    print(
        f"  by level: {deep.alone / level.alone:.1f} x as fast one by one, {deep.crowd / level.crowd:.1f} x with 32 at "
        f"once, {level.calls / deep.calls:.2f} x the calls"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fair", action="store_true", help="time as it passes where nothing else runs (fair_clock.py)")
    parser.add_argument("--questions", type=int, default=40)
    given = parser.parse_args()
    little = Little()
    retriever, questions = BM25.build(little.passages()), list(islice(little.questions(), given.questions))
    run_clocked(clock(retriever, questions), fair=given.fair)


if __name__ == "__main__":
    main()
