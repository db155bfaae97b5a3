"""Measures the cost of importing the library beside DSPy, and how soon commands answer, each in fresh processes.

python benchmarks/import_cost.py
"""

import statistics
import subprocess
import sys
import tempfile
import time

from multihop import BM25, Little

SNIPPET = """
import time; started = time.perf_counter()
{statement}
seconds = time.perf_counter() - started
import resource
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
CASES = {
    "import dspy": "import dspy",
    "import multihop": "import multihop",
    "from multihop import OneStep": "from multihop import OneStep",
}
COMMANDS = {
    "multihop --help": ["--help"],
    "multihop programs": ["programs"],
    "multihop ask --help": ["ask", "--help"],
    "multihop ask, one-step, local": ["ask", "Who?", "--program", "one-step", "--lm", "local", "--corpus"],
}


def measure(statement):
    done = subprocess.run([sys.executable, "-c", SNIPPET.format(statement=statement)], capture_output=True, check=True)
    seconds, megabytes = done.stdout.split()
    return float(seconds), float(megabytes)


def run(arguments):
    """Seconds from start to end."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "multihop", *arguments], capture_output=True, check=True)
    return time.perf_counter() - started


def main(rounds=9):
    runs, waits = {case: [] for case in CASES}, {command: [] for command in COMMANDS}
    with tempfile.TemporaryDirectory() as index:
        BM25.build(Little().passages()).save(index)
        for _ in range(rounds):
            for case, statement in CASES.items():
                runs[case].append(measure(statement))
            for command, arguments in COMMANDS.items():
                waits[command].append(run([*arguments, index] if "--corpus" in arguments else arguments))
    base = [statistics.median(column) for column in zip(*runs["import dspy"], strict=True)]
    for case, measured in runs.items():
        seconds, megabytes = (statistics.median(column) for column in zip(*measured, strict=True))
        print(
            f"{case:32} {seconds:.3f} s ({seconds / base[0]:.2f} x dspy)   "
            f"{megabytes:.0f} MB ({megabytes / base[1]:.2f} x dspy)"
        )
    for command, seconds in waits.items():
        median = statistics.median(seconds)
        print(f"{command:32} {median:.3f} s ({median / base[0]:.2f} x dspy), at best {min(seconds):.3f} s")


if __name__ == "__main__":
    main()
