"""Few-shot against zero-shot, steps alone against whole runs, and how long a saved program takes to load.

The LM is simulated: it knows the gold, errs at a given rate, and less with good demonstrations of the step at hand.
This shows that the right demonstrations reach the right steps; it says nothing about any model's quality.

    python benchmarks/compiling.py
"""

import logging
import os
import statistics
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import dspy
from simulation import sets

from multihop import compare, compile_variants, create, save, simulated

LOADING = """
import sys, time
import multihop, dspy
from multihop import create, load, BM25
from multihop.programs import PROGRAMS
from multihop.retrieval import open_index
retriever = open_index(sys.argv[2])
times = []
for _ in range(20):
    started = time.perf_counter()
    load(sys.argv[1], retriever)
    times.append(1e3 * (time.perf_counter() - started))
print(times[0], sorted(times)[10])
"""


def hush(*arguments, **options):
    """`compile_variants` without what the optimizers print on their way."""
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        return compile_variants(*arguments, **options)


def few_shot(retriever, train, dev, lm, folder):
    print(f"few-shot against zero-shot, {len(train)} training and {len(dev)} dev questions, error rate 0.3")
    for name in ("tor", "resp", "mzqa"):
        to = folder / f"{name}.json"
        with dspy.context(lm=lm):
            study = hush(
                create(name, retriever), ["zero-shot", "labeled-3", "bootstrapped"], train=train, dev=dev, to=to
            )
        zero, *others = study.outcomes
        print(f"  {name:5} zero-shot     F1 {100 * zero.f1['mean']:5.1f}")
        for outcome in others:
            runs = [Path(f"{to}.work") / "dev" / variant for variant in ("zero-shot", outcome.variant)]
            change = compare(*runs).metrics["f1"].change
            print(
                f"  {'':5} {outcome.variant:13} F1 {100 * outcome.f1['mean']:5.1f}  paired difference "
                f"{100 * change.mean:+.1f} [{100 * change.low:+.1f}, {100 * change.high:+.1f}]  "
                f"{outcome.compile_calls} calls to compile",
                flush=True,
            )


def steps_alone(retriever, train, dev, lm, folder):
    print(f"\nrandom-search: runs of the whole program, small, against each step alone; {len(dev)} dev questions")
    for name in ("tor", "resp", "mzqa"):
        spent = {}
        for label, settings in (("whole runs", {"steps": False}), ("steps alone", {"steps": True})):
            to = folder / f"{name}-{settings['steps']}.json"
            with dspy.context(lm=lm):
                study = hush(create(name, retriever), ["random-search"], train=train, dev=dev, to=to, **settings)
            (outcome,) = study.outcomes
            spent[label] = outcome.compile_calls
            print(
                f"  {name:5} {label:12} F1 {100 * outcome.f1['mean']:5.1f}  {outcome.compile_calls:5} calls to compile"
            )
        print(f"  {name:5} steps alone takes {spent['steps alone'] / spent['whole runs']:.2f} x the calls", flush=True)


def loading(retriever, folder):
    index = folder / "index"
    type(retriever).build(iter(retriever), folder=index)
    program = create("tor", retriever)
    for predictor in program.predictors():
        predictor.demos = [dict.fromkeys(predictor.signature.fields, "some text " * 50)] * 5
    save(program, folder / "load.json")
    firsts, later = [], []
    for _ in range(5):
        command = [sys.executable, "-c", LOADING, str(folder / "load.json"), str(index)]
        first, middle = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        firsts.append(float(first))
        later.append(float(middle))
    size = (folder / "load.json").stat().st_size
    print(
        f"\nloading tor with 5 demonstrations a step ({size / 1e3:.0f} kB): {statistics.median(firsts):.1f} ms the "
        f"first time in a process, {statistics.median(later):.1f} ms after that; the aim is 50 ms beyond the import"
    )


def main():
    logging.getLogger("dspy").setLevel(logging.ERROR)
    _, retriever, questions = next(sets(Path("no real sets"), 200))
    train, dev = questions[:60], questions[60:]
    lm = simulated(questions, iter(retriever), error_rate=0.3, known=0.0, learns=0.8)
    with tempfile.TemporaryDirectory() as scratch:
        few_shot(retriever, train, dev, lm, Path(scratch))
        steps_alone(retriever, train, dev[:60], lm, Path(scratch))
        loading(retriever, Path(scratch))


if __name__ == "__main__":
    main()
