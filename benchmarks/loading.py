"""Measures the time that a saved program takes to load.

python benchmarks/loading.py
"""

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from multihop import BM25, Little, create, save

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
    with tempfile.TemporaryDirectory() as scratch:
        loading(BM25.build(Little().passages()), Path(scratch))


if __name__ == "__main__":
    main()
