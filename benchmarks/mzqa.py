"""MZQA's calls and what each saving is worth, its score by iterations, and MCTS beside BFS and DFS.

The LM is simulated: it knows the gold and errs at a given rate, so these numbers are about control flow, not quality.

    python benchmarks/mzqa.py                     # the little encyclopedia, and the real sets in --shared
    python benchmarks/mzqa.py --questions 10      # a quick look
"""

from simulation import ask_sets, run, simulated

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
        ("tot-bfs", {"thought": "sentence"}),
        ("tot-dfs", {"thought": "sentence"}),
        ("mzqa-bc", {}),
        ("rap", {"retrieval": True}),
        ("lats-mzqa", {}),
        ("lats", {}),
    ):
        written = ", ".join(f"{key}={value}" for key, value in settings.items())
        line(f"{program} {written}", run(program, retriever, questions, lm, **settings))


def main():
    for name, retriever, questions in ask_sets(__doc__.splitlines()[0], 40):
        lm = simulated(questions, iter(retriever), error_rate=0.1, known=0.0)
        savings(name, retriever, questions, lm)
        iterations(name, retriever, questions, lm)
        searches(name, retriever, questions, lm)


if __name__ == "__main__":
    main()
