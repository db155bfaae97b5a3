"""Measures the wait for a question of a tree search, alone and with calls made ahead, and the share of those in vain.

The LM is simulated and answers after 200 ms, so these numbers are about control flow, not quality.

    python benchmarks/mzqa_clock.py                          # by the wall clock
    python benchmarks/mzqa_clock.py --fair                   # as it passes where nothing else runs (fair_clock.py)
    python benchmarks/mzqa_clock.py --fair --plot waste.svg  # and the waste against the wait as a picture
"""

import argparse
import asyncio
from itertools import islice
from pathlib import Path

import dspy
from fair_clock import run_clocked

from multihop import BM25, World, create, simulated
from multihop.view.plots import write_plot
from multihop.view.plots.plot import ACROSS, DOWN, PlotMark, place_marks
from multihop.view.plots.scales import cost_scale, share_scale

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
    spent, trees, rows = {}, {}, []
    for label, settings in WAYS:
        program = create("mzqa", retriever, stops=(), **settings)
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
        if "speculate" in settings:
            rows.append((alone, settings["speculate"], spent[label], 100 * in_vain / calls))
        print(
            f"  {label:25} {spent[label]:6.2f} s  {spent['one call at a time'] / spent[label]:5.1f} x as fast  "
            f"calls {calls:.0f}, in vain {in_vain:.1f} = {100 * in_vain / calls:.0f} %  longest chain {chain:.0f}  "
            f"{'the same trees' if same else f'the trees of {alone}' if as_before else 'other trees'}",
            flush=True,
        )
    return rows


def draw(rows):
    """Draws the calls in vain over the seconds of a question, a line for each way to search, a mark for each N."""
    marks, lines = [], []
    for alone, sign, filled, dash in (("parallel=1", "circle", True, ""), ("parallel=8", "square", False, "7 3")):
        of_way = [row for row in rows if row[0] == alone]
        lines.append((range(len(marks), len(marks) + len(of_way)), dash))
        for _, early, seconds, share in of_way:
            name = f"{alone}, {early}" if early == of_way[0][1] else str(early)
            marks.append(PlotMark(name, seconds, share, share, share, sign=sign, filled=filled))
    seconds, shares = [row[2] for row in rows], [row[3] for row in rows]
    return place_marks(
        marks,
        lines,
        x=cost_scale([0.0, *seconds], *ACROSS),
        y=share_scale(0.0, max(shares), *DOWN),
        title="calls in vain over seconds a question, by speculate=N",
        x_title="seconds a question",
        y_title="calls in vain, in percent",
    )


async def rap(retriever, questions, latency=0.2):
    """`rap`, which searches the same way, alone and with calls made ahead."""
    lm = simulated(questions, iter(retriever), error_rate=0.1, known=0.0, latency=latency)
    now = asyncio.get_running_loop().time
    print(f"\nspeculate=16 against 0, {len(questions)} questions one by one")
    seconds, answers = {}, {}
    for early in (0, 16):
        program = create("rap", retriever, speculate=early, retrieval=True, stops=())
        started = now()
        with dspy.context(lm=lm, trace=None, disable_history=True):
            answers[early] = [await program.acall(question=question.question) for question in questions]
        seconds[early] = (now() - started) / len(questions)
    in_vain = sum(answer.cost.get("speculated", {"calls": 0})["calls"] for answer in answers[16])
    calls = sum(answer.cost["calls"] for answer in answers[0])
    same = all(a.trajectory == b.trajectory for a, b in zip(answers[0], answers[16], strict=True))
    print(
        f"  rap: {seconds[0]:5.2f} s to {seconds[16]:5.2f} s, {seconds[0] / seconds[16]:.1f} x as fast, "
        f"in vain {100 * in_vain / calls:.0f} %, {'the same' if same else 'other'} trajectories",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fair", action="store_true", help="time as it passes where nothing else runs (fair_clock.py)")
    parser.add_argument("--plot", type=Path, help="where the picture goes")
    given = parser.parse_args()
    world = World()
    retriever, questions = BM25.build(world.passages()), list(islice(world.questions(), 6))
    rows = run_clocked(clock(retriever, questions[:3]), fair=given.fair)
    if given.plot:
        write_plot(draw(rows), given.plot)
    run_clocked(rap(retriever, questions), fair=given.fair)


if __name__ == "__main__":
    main()
