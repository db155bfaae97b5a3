"""Speed of a model folder in this process: alone and together, with and without the beginnings that are kept.

    python benchmarks/model_folder.py FOLDER

Each row asks a planner's questions: one system message, and a history that grows by a step each time. A ratio says how
many times faster than the first row it is; seconds depend on the machine and on what else it does.
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

from dspy.lm15 import Config, Message, Request

from multihop.lms import folder_lm

SYSTEM = "Your input fields are a question and a history. Ask the next sub-question, short and without pronouns. " * 12
STEP = "Who directed the film of that name? The film was directed by somebody who was born in a town of Poland. "
QUESTIONS, STEPS, WRITTEN = 4, 3, 12
ROWS = {
    "one at a time, nothing kept": {"at_once": 1, "kept": 0},
    "one at a time, beginnings kept": {"at_once": 1, "kept": 8192},
    "together, nothing kept": {"at_once": 16, "kept": 0},
    "together, beginnings kept": {"at_once": 16, "kept": 8192},
}


def ask(engine, question: int, steps: int) -> int:
    """Ask for one step of one question; the tokens of its prompt."""
    prompt = f"question {question}: where was its director born? " + STEP * steps
    config = Config(max_tokens=WRITTEN)
    response = engine.complete(Request(model="m", system=SYSTEM, messages=(Message.user(prompt),), config=config))
    return response.usage.input_tokens


def main(folder: str) -> None:
    """Print a line for each row."""
    first = None
    for name, room in ROWS.items():
        engine = folder_lm(folder, **room).engine
        begun, tokens = time.perf_counter(), 0
        with ThreadPoolExecutor(QUESTIONS) as pool:
            for steps in range(STEPS):
                tokens += sum(pool.map(lambda question, steps=steps: ask(engine, question, steps), range(QUESTIONS)))
        seconds = time.perf_counter() - begun
        first = first or seconds
        calls = QUESTIONS * STEPS
        print(f"{name}: {seconds:.1f} s for {calls} calls of {tokens // calls} tokens, {first / seconds:.1f} x")


if __name__ == "__main__":
    main(sys.argv[1])
