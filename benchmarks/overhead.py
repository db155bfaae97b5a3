"""What the library itself costs: a call beside DSPy's own, a run of questions, imports, commands, loading a program.

python benchmarks/overhead.py                 # all of it, ten minutes of an idle core
python benchmarks/overhead.py calls run       # some of it
"""

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import dspy

from multihop import BM25, Little, Program, Question, create, save
from multihop.cli.process import heap_at_rest
from multihop.evaluation import evaluate
from multihop.evaluation.journal import Journal, read_header
from multihop.lms import Scripted, as_lm
from multihop.signatures import AnswerFromPassages

PASSAGES = [f"Title {i} | " + f"Sentence {i} of a paragraph of ordinary length. " * 8 for i in range(5)]


class Constant(Scripted):
    """Reads no prompt: what an LM does with it elsewhere costs nothing here."""

    response_to_all = None

    def complete(self, request):
        if self.response_to_all is None:
            self.response_to_all = super().complete(request)
        return self.response_to_all


def constant():
    return as_lm(Constant([{"answer": "x"}]), "constant")


class Repeat(Program):
    """Asks the same thing `turns` times, one call after the other."""

    retrieves = False
    turns: int = 17

    def set_up(self):
        self.answer = dspy.Predict(AnswerFromPassages)

    async def aforward(self, question):
        started = time.process_time()
        for _ in range(self.turns):
            prediction = await self.ask(self.answer, passages=PASSAGES, question=question)
        return dspy.Prediction(answer=prediction.answer, seconds=time.process_time() - started)


async def bare(calls, at_once):
    """So many calls of DSPy itself."""
    predictor, slots = dspy.Predict(AnswerFromPassages), asyncio.Semaphore(at_once)

    async def call(number):
        async with slots:
            await predictor.acall(passages=PASSAGES, question=f"Who is number {number}?")

    await asyncio.gather(*(call(number) for number in range(calls)))


def questions(count):
    return [Question(id=f"q{i}", question=f"Who is number {i}?", answers=("x",)) for i in range(count)]


def calls(turns=200, rounds=15):
    """Processor time of a call, bare and through `ask`, in turn, as a noisy machine disturbs both alike."""

    async def alone():
        started = time.process_time()
        await bare(turns, 1)
        return 1e3 * (time.process_time() - started) / turns

    async def asked():
        return 1e3 * (await Repeat(turns=turns).acall(question="Who?")).seconds / turns

    print("| adapter | DSPy alone, ms at best | through ask | ratio, median |\n| --- | ---: | ---: | ---: |")
    for adapter in (dspy.ChatAdapter(), dspy.JSONAdapter()):
        with dspy.context(lm=constant(), adapter=adapter, disable_history=True, max_trace_size=0):
            both = [(asyncio.run(alone()), asyncio.run(asked())) for _ in range(rounds)]
        plain, through = (min(column) for column in zip(*both, strict=True))
        ratio = statistics.median(theirs / ours for ours, theirs in both)
        print(f"| {type(adapter).__name__} | {plain:.2f} | {through:.2f} | {ratio:.2f} |", flush=True)


def rates(calls, work):
    """Calls a second of wall-clock time and of processor time."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return calls / (time.perf_counter() - wall), calls / (time.process_time() - processor)


def run(count=300, turns=17, at_once=256, rounds=3):
    """A run's calls a second beside DSPy's own, in turn, with an LM that answers at once."""
    program, ratios, number = Repeat(turns=turns), [], count * turns
    for _ in range(rounds):
        with dspy.context(lm=constant(), disable_history=True, trace=None), heap_at_rest():
            alone = rates(number, lambda: asyncio.run(bare(number, at_once)))
            with tempfile.TemporaryDirectory() as out:
                made = rates(number, lambda: evaluate(program, questions(count), out=out, concurrency=at_once))
        ratios.append((made[0] / alone[0], made[1] / alone[1]))
    wall, processor = (statistics.median(column) for column in zip(*ratios, strict=True))
    print(f"{count} questions x {turns} calls, {at_once} at once: {wall:.2f} times DSPy's calls,", end=" ")
    print(f"{processor:.2f} by processor time", flush=True)


def resume(count=10_000):
    """Seconds until a finished run is found finished and summed up again."""
    asked, program = questions(count), Repeat(turns=1)
    with dspy.context(lm=constant()), tempfile.TemporaryDirectory() as folder:
        row = next(evaluate(program, asked, out=folder, limit=1).rows())
        with Journal(folder, read_header(folder)["identity"]) as journal:
            journal.append({**row, "id": question.id} for question in asked[1:])
        started = time.perf_counter()
        evaluate(program, asked, out=folder)
        print(f"a finished run of {count:,} questions, issued again: {time.perf_counter() - started:.2f} s", flush=True)


RESIDENT = """
import sys, tempfile
import dspy
asked = range(int(sys.argv[2]))

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6
"""
SEARCHING = """
from multihop.retrieval import BM25
index = BM25.load(sys.argv[1])
for i in asked:
    index.search([f"Who is number {i}?"], 5)
print(resident())
"""
ANSWERING = """
from multihop import BM25, OneStep, Question, scripted
from multihop.evaluation import evaluate
lm = scripted(lambda prompt: {"answer": "x"})
lm.engine.prompts = type("Forget", (list,), {"append": lambda self, prompt: None})()
questions = (Question(id=f"q{i}", question=f"Who is number {i}?", answers=("x",)) for i in asked)
with dspy.context(lm=lm), tempfile.TemporaryDirectory() as folder:
    held = []
    program = OneStep(BM25.load(sys.argv[1]))
    evaluate(program, questions, out=folder, concurrency=64, watch=lambda row, earlier: held.append(resident()))
print(held[len(held) // 4], held[-1])
"""


def printed(script, *arguments):
    """The numbers that a script prints in a process of its own."""
    done = subprocess.run([sys.executable, "-c", script, *map(str, arguments)], capture_output=True, check=True)
    return map(float, done.stdout.split())


def memory(count=10_000):
    """The MB of a process that answers so many questions, and of one that only searches the same index for them."""
    with tempfile.TemporaryDirectory() as index:
        BM25.build(Little().passages(), folder=index)
        (searching,), (quarter, end) = (printed(RESIDENT + each, index, count) for each in (SEARCHING, ANSWERING))
    print(f"one-step, {count:,} questions: {quarter:.0f} MB after a quarter, {end:.0f} at the end;", end=" ")
    print(f"DSPy imported and the same searches made: {searching:.0f}", flush=True)


IMPORT = """
import time; started = time.perf_counter()
{statement}
seconds = time.perf_counter() - started
lines = open("/proc/self/status").read().splitlines()
print(seconds, next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")))
"""
STATEMENTS = ("import dspy", "import multihop", "from multihop import OneStep")
COMMANDS = ("--help", "programs", "ask --help")


def start(rounds=9):
    """Imports beside DSPy's, and commands from start to end, each in fresh processes and in turn."""
    runs, waits = {each: [] for each in STATEMENTS}, {each: [] for each in COMMANDS}
    for _ in range(rounds):
        for statement in STATEMENTS:
            runs[statement].append(tuple(printed(IMPORT.format(statement=statement))))
        for command in COMMANDS:
            started = time.perf_counter()
            subprocess.run([sys.executable, "-m", "multihop", *command.split()], capture_output=True, check=True)
            waits[command].append(time.perf_counter() - started)
    base = [statistics.median(column) for column in zip(*runs[STATEMENTS[0]], strict=True)]
    print(
        "| statement or command | seconds | x import dspy | MB | x import dspy |\n| --- | ---: | ---: | ---: | ---: |"
    )
    for statement, taken in runs.items():
        seconds, megabytes = (statistics.median(column) for column in zip(*taken, strict=True))
        print(
            f"| {statement} | {seconds:.2f} | {seconds / base[0]:.2f} | {megabytes:.0f} | {megabytes / base[1]:.2f} |"
        )
    for command, taken in waits.items():
        seconds = statistics.median(taken)
        print(f"| multihop {command} | {seconds:.2f} | {seconds / base[0]:.2f} | | |", flush=True)


LOADING = """
import sys, time
from multihop import load
from multihop.retrieval import open_index
retriever, times = open_index(sys.argv[2]), []
for _ in range(20):
    started = time.perf_counter()
    load(sys.argv[1], retriever)
    times.append(1e3 * (time.perf_counter() - started))
print(times[0], sorted(times)[10])
"""


def loading(rounds=5):
    """Milliseconds to load a saved program with five demonstrations a step."""
    with tempfile.TemporaryDirectory() as scratch:
        index, saved = Path(scratch) / "index", Path(scratch) / "tor.json"
        program = create("tor", BM25.build(Little().passages(), folder=index))
        for predictor in program.predictors():
            predictor.demos = [dict.fromkeys(predictor.signature.fields, "some text " * 50)] * 5
        save(program, saved)
        taken = [tuple(printed(LOADING, saved, index)) for _ in range(rounds)]
        first, later = (statistics.median(column) for column in zip(*taken, strict=True))
        size = saved.stat().st_size / 1e3
    print(f"loading tor, {size:.0f} kB: {first:.1f} ms the first time in a process, {later:.1f} ms after that")


PARTS = {each.__name__: each for each in (calls, run, resume, memory, start, loading)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all unless told")
    for name in parser.parse_args().parts or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main()
