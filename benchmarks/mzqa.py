"""MZQA's calls and what each saving is worth, its score by iterations, MCTS beside BFS and DFS, and the wall clock,
alone and with calls made ahead.

The LM is simulated: it knows the gold and errs at a given rate, so these numbers are about control flow, not quality.

    python benchmarks/mzqa.py                     # the generated world, and the real sets in --shared
    python benchmarks/mzqa.py --questions 10      # a quick look
"""

import asyncio

import dspy
from fair_clock import run_clocked
from simulation import ask_sets, asks_for_fair_clock, run

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
        ("tot-bfs", {"thought": "sentence"}),
        ("tot-dfs", {"thought": "sentence"}),
        ("mzqa-bc", {}),
        ("rap", {"retrieval": True}),
        ("lats-mzqa", {}),
        ("lats", {}),
    ):
        written = ", ".join(f"{key}={value}" for key, value in settings.items())
        line(f"{program} {written}", run(program, retriever, questions, lm, **settings))


WAYS = [
    ("one call at a time", {"concurrency": 1}),
    *((f"parallel={number}", {"parallel": number}) for number in (1, 4, 8)),
    *((f"parallel=1 speculate={number}", {"speculate": number}) for number in (1, 2, 4, 8, 16, 32, 64)),
    *((f"parallel=8 speculate={number}", {"parallel": 8, "speculate": number}) for number in (4, 16, 32, 64)),
]


def mean(values):
    values = list(values)
    return sum(values) / len(values)


async def clock(retriever, questions, latency=0.2):
    """Seconds a question against the same tree built by one call after the other, and what was speculated in vain."""
    lm = simulated(questions, iter(retriever), error_rate=0.1, known=0.0, latency=latency)
    now = asyncio.get_running_loop().time
    print(f"\nwall clock, LM of {latency * 1e3:.0f} ms, {len(questions)} questions one by one")
    spent, trees = {}, {}
    for label, settings in WAYS:
        program = create("mzqa", retriever, **settings)
        started = now()
        with dspy.context(lm=lm, trace=None, disable_history=True):
            answers = [await program.acall(question=question.question) for question in questions]
        spent[label] = (now() - started) / len(questions)
        alone = f"parallel={settings.get('parallel', 1)}"
        trees[label] = [next(step["tree"] for step in a.trajectory if step["step"] == "tree") for a in answers]
        calls, chain = (mean(answer.cost[what] for answer in answers) for what in ("calls", "chain"))
        in_vain = mean(answer.cost.get("speculated", {"calls": 0})["calls"] for answer in answers)
        as_before = alone != label and trees[label] == trees.get(alone)
        same = trees[label] == trees["one call at a time"]
        print(
            f"  {label:25} {spent[label]:6.2f} s  {spent['one call at a time'] / spent[label]:5.1f} x as fast  "
            f"calls {calls:.0f}, in vain {in_vain:.1f} = {100 * in_vain / calls:.0f} %  longest chain {chain:.0f}  "
            f"{'the same trees' if same else f'the trees of {alone}' if as_before else 'other trees'}",
            flush=True,
        )


async def others(retriever, questions, latency=0.2):
    """The other methods that can be told to speculate, alone and so."""
    lm = simulated(questions, iter(retriever), error_rate=0.1, known=0.0, latency=latency)
    now = asyncio.get_running_loop().time
    print(f"\nspeculate=16 against 0, {len(questions)} questions one by one")
    for name in ("rap", "lats-mzqa", "lats", "tot-bfs", "tot-dfs", "resp"):
        seconds, answers = {}, {}
        for early in (0, 16):
            program = create(name, retriever, speculate=early, **({"retrieval": True} if name == "rap" else {}))
            started = now()
            with dspy.context(lm=lm, trace=None, disable_history=True):
                answers[early] = [await program.acall(question=question.question) for question in questions]
            seconds[early] = (now() - started) / len(questions)
        in_vain = sum(answer.cost.get("speculated", {"calls": 0})["calls"] for answer in answers[16])
        calls = sum(answer.cost["calls"] for answer in answers[0])
        same = all(a.trajectory == b.trajectory for a, b in zip(answers[0], answers[16], strict=True))
        print(
            f"  {name:10} {seconds[0]:5.2f} s to {seconds[16]:5.2f} s, {seconds[0] / seconds[16]:.1f} x as fast, "
            f"in vain {100 * in_vain / calls:.0f} %, "
            f"{'the same' if same else 'other'} trajectories",
            flush=True,
        )


def main():
    for name, retriever, questions in ask_sets(__doc__.splitlines()[0], 40):
        lm = simulated(questions, iter(retriever), error_rate=0.1, known=0.0)
        savings(name, retriever, questions, lm)
        iterations(name, retriever, questions, lm)
        searches(name, retriever, questions, lm)
        if name == "world":
            run_clocked(clock(retriever, questions[:3]), fair=asks_for_fair_clock())
            run_clocked(others(retriever, questions[:6]), fair=asks_for_fair_clock())


if __name__ == "__main__":
    main()
