"""What each patch of docs/proposal-to-dspy.md gains a bare `Predict.acall`, one after the other.

python benchmarks/dspy_patches.py
"""

import re
import subprocess
import sys
from pathlib import Path

PATCHES = re.findall(r"```python\n(.*?)```", (Path(__file__).parents[1] / "docs/proposal-to-dspy.md").read_text(), re.S)
CALLS = """
import asyncio, time, dspy
from program_overhead import Forget, bare
from multihop import scripted
lm = scripted(lambda prompt: {"answer": "x"})
lm.engine.prompts = Forget()
with dspy.context(lm=lm, disable_history=True, max_trace_size=0):
    print(min(asyncio.run(bare(200)) for _ in range(12)) / 200 * 1e3)
"""


def milliseconds(patches):
    """Of processor time that a call takes with these patches, at best."""
    command = [sys.executable, "-c", "\n".join([*patches, CALLS])]
    done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, check=True, text=True)
    return float(done.stdout)


def main(rounds=3):
    best = [float("inf")] * (len(PATCHES) + 1)
    for _ in range(rounds):
        for count in range(len(best)):
            best[count] = min(best[count], milliseconds(PATCHES[:count]))
    for count, taken in enumerate(best):
        print(f"with {count} patches: {taken:.3f} ms a call, {taken / best[0]:.2f} of what it takes today")


if __name__ == "__main__":
    main()
