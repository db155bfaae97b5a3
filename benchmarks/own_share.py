"""Measures the part of a question's time that is not the model's: prompts, parsing, searches, choosing tokens.

Needs the extra [llama]. Each program answers questions of the little encyclopedia one after the other; the time within
llama.cpp's computing is the model's, all other time is the library's.

    python benchmarks/own_share.py MODEL.gguf --questions 5
"""

import argparse
import time
from typing import Any

import dspy

from multihop import Budget, create
from multihop.data import Little
from multihop.lms import gguf
from multihop.retrieval import BM25

PROGRAMS = {
    "one-step": {},
    "ircot": {},
    "resp": {},
    "tor": {"depth": 2, "widths": [3, 2]},
    "mzqa": {"iterations": 2, "depth": 3, "candidates": 2},
}


class Timed:
    """llama.cpp's functions, with the seconds that computing has taken."""

    def __init__(self, library: Any) -> None:
        self._library, self.seconds = library, 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)

    def llama_decode(self, *arguments: Any) -> Any:
        started = time.perf_counter()
        try:
            return self._library.llama_decode(*arguments)
        finally:
            self.seconds += time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", help="a GGUF file")
    parser.add_argument("--questions", type=int, default=5, help="questions a program")
    arguments = parser.parse_args()
    lm = gguf(arguments.path, cache=False)
    timed = lm.engine.worker._llama = Timed(lm.engine.worker._llama)
    little = Little()
    retriever = BM25.build(list(little.passages()))
    questions = [question.question for question in little.questions()][: arguments.questions]
    print(f"{'':10}{'s a question':>14}{'of it ours':>12}")
    with dspy.context(lm=lm):
        create("one-step", retriever)(question=questions[0])  # what is opened once is no question's
        for name, settings in PROGRAMS.items():
            program = create(name, retriever, budget=Budget(calls=40), **settings)
            timed.seconds, started = 0.0, time.perf_counter()
            for question in questions:
                program(question=question)
            whole = time.perf_counter() - started
            print(f"{name:10}{whole / len(questions):14.2f}{(whole - timed.seconds) / whole:12.1%}", flush=True)


if __name__ == "__main__":
    main()
