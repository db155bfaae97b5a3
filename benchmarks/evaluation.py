"""The runner's throughput, its memory, and how long it takes to find a finished run finished.

python benchmarks/evaluation.py
python benchmarks/evaluation.py --questions 200 --finished 2000     # a quick look
"""

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
import time

import dspy

from multihop import BM25, Little, Program, Question, scripted
from multihop.evaluation import evaluate
from multihop.evaluation.journal import Journal, read_header
from multihop.signatures import AnswerFromPassages

PASSAGES = [f"Title {i} | " + "A sentence of ordinary length about nothing much. " * 8 for i in range(3)]


class Chain(Program):
    """So many calls a question, one after the other."""

    retrieves = False

    def __init__(self, *, turns: int = 17, **limits):
        super().__init__(**limits)
        self.turns = turns
        self.answer = dspy.Predict(AnswerFromPassages)

    async def aforward(self, question):
        for _ in range(self.turns):
            prediction = await self.ask(self.answer, passages=PASSAGES, question=question)
        return prediction


def questions(count):
    return [Question(id=f"q{i}", question=f"Who is number {i}?", answers=("x",)) for i in range(count)]


async def bare_calls(calls, at_once):
    """So many calls of DSPy itself, at the same concurrency."""
    predictor, slots = dspy.Predict(AnswerFromPassages), asyncio.Semaphore(at_once)

    async def call(number):
        async with slots:
            await predictor.acall(passages=PASSAGES, question=f"Who is number {number}?")

    await asyncio.gather(*(call(number) for number in range(calls)))


def scripted_lm(latency=0.0):
    lm = scripted(lambda prompt: {"answer": "x"}, latency=latency)
    lm.engine.prompts = Forget()
    return lm


def rates(calls, work):
    """Calls a second of wall-clock time and of processor time."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return calls / (time.perf_counter() - wall), calls / (time.process_time() - processor)


def throughput(count, rounds=3, calls=17, at_once=256):
    """The runner beside DSPy alone, in turn, as a noisy machine disturbs both alike."""
    program, ratios = Chain(turns=calls, concurrency=at_once), []
    for _ in range(rounds):
        with dspy.context(lm=scripted_lm(), disable_history=True, trace=None):
            alone = rates(3000, lambda: asyncio.run(bare_calls(3000, at_once)))
        with dspy.context(lm=scripted_lm()), tempfile.TemporaryDirectory() as folder:
            run = rates(count * calls, lambda: evaluate(program, questions(count), out=folder, concurrency=at_once))
        ratios.append((run[0] / alone[0], run[1] / alone[1]))
        print(f"{count:,} questions x {calls} calls, LM without latency, {at_once} at once: {run[0]:,.0f} calls/s")
        print(f"  DSPy alone: {alone[0]:,.0f}; {ratios[-1][0]:.2f} times that, {ratios[-1][1]:.2f} by processor time")
    wall, processor = map(statistics.median, zip(*ratios, strict=True))
    print(f"  median: {wall:.2f} times DSPy's calls, {processor:.2f} by processor time; the aim is 0.6")


def latency(count, seconds=0.05, calls=17, at_once=256):
    program, ideal = Chain(turns=calls, concurrency=at_once), at_once / seconds
    with dspy.context(lm=scripted_lm(seconds)), tempfile.TemporaryDirectory() as folder:
        rate, _ = rates(count * calls, lambda: evaluate(program, questions(count), out=folder, concurrency=at_once))
    print(f"the same with an LM of {seconds * 1e3:.0f} ms: {rate:,.0f} calls/s ({rate / ideal:.0%} of {ideal:,.0f})")


RESIDENT = """
import sys, tempfile

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6

asked = range(int(sys.argv[2]))
import dspy
"""

ALONE = (
    RESIDENT
    + """
held = [resident()]
from multihop.retrieval import BM25
index = BM25.load(sys.argv[1])
for i in asked:
    index.search([f"Who is number {i}?"], 5)
print(*held, resident())
"""
)

RUN = (
    RESIDENT
    + """
from multihop import BM25, OneStep, Question, scripted
from multihop.evaluation import evaluate
program = OneStep(BM25.load(sys.argv[1]))
lm = scripted(lambda prompt: {"answer": "x"})
lm.engine.prompts = type("Forget", (list,), {"append": lambda self, prompt: None})()
questions = (Question(id=f"q{i}", question=f"Who is number {i}?", answers=("x",)) for i in asked)
with dspy.context(lm=lm), tempfile.TemporaryDirectory() as folder:
    held = []
    evaluate(program, questions, out=folder, concurrency=64, watch=lambda row, earlier: held.append(resident()))
print(held[len(held) // 4], held[-1], max(held))
"""
)


def memory(count):
    """The MB of a process that answers so many questions, and of one that only searches the same index for them."""
    with tempfile.TemporaryDirectory() as index:
        BM25.build(Little().passages(), folder=index)

        def printed(script):
            command = [sys.executable, "-c", script, index, str(count)]
            return map(float, subprocess.run(command, capture_output=True, check=True, text=True).stdout.split())

        (alone, searching), (quarter, end, most) = printed(ALONE), printed(RUN)
    print(f"one-step, {count:,} questions: {quarter:.0f} MB after a quarter, {end:.0f} at the end, {most:.0f} at most;")
    print(f"  import dspy {alone:.0f}, with the index in use {searching:.0f}: {most / searching:.2f} times that")


class Forget(list):
    """The scripted engine keeps its prompts; a benchmark of memory must not."""

    def append(self, _):
        pass


def resume(count):
    """Seconds that `evaluate` takes to see that a run is finished and to sum it up again."""
    asked, program = questions(count), Chain(turns=1)
    with dspy.context(lm=scripted_lm()), tempfile.TemporaryDirectory() as folder:
        evaluate(program, asked, out=folder, limit=1)
        row = next(evaluate(program, asked, out=folder, limit=1).rows())
        with Journal(folder, read_header(folder)["identity"]) as journal:
            journal.append({**row, "id": question.id} for question in asked[1:])
        started = time.perf_counter()
        evaluate(program, asked, out=folder)
        seconds = time.perf_counter() - started
        print(f"a finished run of {count:,} questions: found finished and summed up in {seconds:.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--finished", type=int, default=10_000)
    given = parser.parse_args()
    throughput(given.questions)
    latency(given.questions)
    resume(given.finished)
    memory(given.finished)


if __name__ == "__main__":
    main()
