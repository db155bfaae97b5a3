"""What `ask` adds to a bare `Predict.acall`, and how close concurrent questions come to the ideal throughput.

python benchmarks/program_overhead.py
"""

import asyncio
import statistics
import time

import dspy

from multihop.models import scripted
from multihop.programs import OneStep
from multihop.retrieval import Hit, Passage
from multihop.runtime import Program
from multihop.signatures import AnswerFromPassages

PASSAGES = [Passage(f"p{i}", f"Title {i}", f"Sentence {i} of a paragraph of ordinary length. " * 8) for i in range(5)]


class FixedRetriever:
    def search(self, queries, k):
        return [[Hit(passage, 1.0) for passage in PASSAGES[:k]] for _ in queries]


class Repeat(Program):
    """Asks the same thing `times` times; only the calls are timed."""

    retrieves = False

    def __init__(self, *, times: int = 1, **limits):
        super().__init__(**limits)
        self.times = times
        self.answer = dspy.Predict(AnswerFromPassages)

    async def aforward(self, question):
        started = time.perf_counter()
        for _ in range(self.times):
            await self.ask(self.answer, passages=PASSAGES, question=question)
        return dspy.Prediction(answer="", seconds=time.perf_counter() - started)


async def bare(times):
    predictor = dspy.Predict(AnswerFromPassages)
    passages = [str(passage) for passage in PASSAGES]
    started = time.perf_counter()
    for _ in range(times):
        await predictor.acall(passages=passages, question="Who?")
    return time.perf_counter() - started


async def overhead(times=300, rounds=11):
    """Milliseconds a call, bare and through `ask`, alternating so that a noisy machine disturbs both alike."""
    program, plain, asked = Repeat(times=times), [], []
    for _ in range(rounds):
        plain.append(await bare(times) / times * 1e3)
        asked.append((await program.acall(question="Who?")).seconds / times * 1e3)
    added = statistics.median(a - p for a, p in zip(asked, plain, strict=True))
    print(f"bare Predict.acall         {statistics.median(plain):.3f} ms a call")
    print(f"the same through ask       {statistics.median(asked):.3f} ms a call")
    print(f"ask adds                   {added:.3f} ms a call ({added / statistics.median(plain):.0%}); the aim is 0.3")


async def throughput(questions=500, at_once=64, latency=0.2):
    """How near `one-step` comes to the fewest rounds of `at_once` questions, when the LM takes 200 ms."""
    program, seats = OneStep(FixedRetriever(), concurrency=at_once), asyncio.Semaphore(at_once)

    async def answer(number):
        async with seats:
            await program.acall(question=f"Who is number {number}?")

    with dspy.context(lm=scripted(lambda prompt: {"answer": "x"}, latency=latency)):
        started = time.perf_counter()
        await asyncio.gather(*(answer(number) for number in range(questions)))
        seconds = time.perf_counter() - started
    ideal = -(-questions // at_once) * latency
    print(f"\n{questions} one-step questions, {at_once} at once, {latency * 1e3:.0f} ms an LM call")
    print(f"ideal {ideal:.2f} s, took {seconds:.2f} s: {ideal / seconds:.1%} of the ideal throughput; the aim is 90 %")


def main():
    with dspy.context(lm=scripted(lambda prompt: {"answer": "x"}), disable_history=True, max_trace_size=0):
        asyncio.run(overhead())
        asyncio.run(throughput())


if __name__ == "__main__":
    main()
