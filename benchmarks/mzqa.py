"""MZQA's calls and what each saving is worth, its score by iterations, MCTS beside BFS and DFS, and the wall clock.

The LM is simulated: it knows the gold and errs at a given rate, so these numbers are about control flow, not quality.

    python benchmarks/mzqa.py                     # the generated world, and the real sets in --shared
    python benchmarks/mzqa.py --questions 10      # a quick look
"""

import time

import dspy
from simulation import ask_sets, run

from multihop import create, simulated

PAPER = {"hotpotqa": 171.9, "2wikimultihopqa": 139.4, "musique": 161.5}
SAVINGS = {
    "every call made": {"reuse": "none"},
    "same call after same history": {},
    "self-contained answers shared": {"reuse": "self-contained"},
    "exploration 0.2, every call": {"exploration": 0.2, "reuse": "none"},
    "exploration 0.2": {"exploration": 0.2},
}


def line(label, summary, note=""):
    f1 = summary["metrics"]["f1"]
    low, high = 100 * f1["low"], 100 * f1["high"]
    print(
        f"  {label:32} calls {summary['cost']['calls']['mean']:6.1f}  F1 {100 * f1['mean']:5.1f} "
        f"[{low:.1f}, {high:.1f}]  R@15 {100 * summary['metrics']['recall@15']['mean']:5.1f}  {note}",
        flush=True,
    )


def savings(name, retriever, questions, lm):
    print(f"\n{name}: calls a question at 20 iterations, depth 4, 5 candidates; paper {PAPER.get(name, '-')}")
    for label, settings in SAVINGS.items():
        line(label, run("mzqa", retriever, questions, lm, **settings))


def iterations(name, retriever, questions, lm):
    print(f"\n{name}: by iterations (the paper's figure 3)")
    for count in (1, 2, 5, 10, 20):
        line(f"{count} iterations", run("mzqa", retriever, questions, lm, iterations=count))


def searches(name, retriever, questions, lm):
    print(f"\n{name}: other searches with the same prompts (the paper's table 2), and the others")
    for program, settings in (
        ("tot-bfs", {}),
        ("tot-bfs", {"breadth": 5}),
        ("tot-dfs", {}),
        ("mzqa-bc", {}),
        ("rap", {"retrieval": True}),
        ("lats", {}),
    ):
        written = ", ".join(f"{key}={value}" for key, value in settings.items())
        line(f"{program} {written}", run(program, retriever, questions, lm, **settings))


def clock(retriever, questions, latency=0.2):
    """Seconds a question against the same tree built by one call after the other."""
    lm = simulated(questions, iter(retriever), error_rate=0.1, known=0.0, latency=latency)
    print(f"\nwall clock, LM of {latency * 1e3:.0f} ms, {len(questions)} questions one by one")
    spent, trees = {}, {}
    for label, settings in (
        ("one call at a time", {"concurrency": 1}),
        ("parallel=1", {}),
        ("parallel=4", {"parallel": 4}),
        ("parallel=8", {"parallel": 8}),
    ):
        program = create("mzqa", retriever, **settings)
        started = time.perf_counter()
        with dspy.context(lm=lm, trace=None, disable_history=True):
            answers = [program(question=question.question) for question in questions]
        spent[label] = (time.perf_counter() - started) / len(questions)
        trees[label] = [next(step["tree"] for step in a.trajectory if step["step"] == "tree") for a in answers]
        calls, chain = (sum(answer.cost[what] for answer in answers) / len(answers) for what in ("calls", "chain"))
        same = trees[label] == trees["one call at a time"]
        print(
            f"  {label:20} {spent[label]:6.2f} s  {spent['one call at a time'] / spent[label]:5.1f} x as fast  "
            f"calls {calls:.0f}  longest chain {chain:.0f} ({spent[label] / (chain * latency):.2f} x its time)  "
            f"{'the same trees' if same else 'other trees'}",
            flush=True,
        )


def main():
    for name, retriever, questions in ask_sets(__doc__.splitlines()[0], 40):
        lm = simulated(questions, iter(retriever), error_rate=0.1, known=0.0)
        savings(name, retriever, questions, lm)
        iterations(name, retriever, questions, lm)
        searches(name, retriever, questions, lm)
        if name == "world":
            clock(retriever, questions[:3])


if __name__ == "__main__":
    main()
