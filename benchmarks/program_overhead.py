"""Measures a call through `ask` beside `Predict.acall` of DSPy, and how near questions at once come to the ideal.

python benchmarks/program_overhead.py
"""

import asyncio
import statistics
import time

import dspy

from multihop.cli.process import heap_at_rest
from multihop.lms import Scripted, as_lm, scripted
from multihop.programs import OneStep
from multihop.retrieval import Hit, Passage
from multihop.runtime import Program
from multihop.signatures import AnswerFromPassages

PASSAGES = [Passage(f"p{i}", f"Title {i}", f"Sentence {i} of a paragraph of ordinary length. " * 8) for i in range(5)]


class FixedRetriever:
    def search(self, queries, k):
        return [[Hit(passage, 1.0) for passage in PASSAGES[:k]] for _ in queries]


class Forget(list):
    """The scripted engine keeps its prompts; a benchmark must not."""

    def append(self, _):
        pass


class Constant(Scripted):
    """Reads no prompt: what an LM does with it elsewhere costs nothing here."""

    response_to_all = None

    def respond(self, request):
        if self.response_to_all is None:
            self.response_to_all = super().respond(request)
        return self.response_to_all


class Repeat(Program):
    """Asks the same thing `times` times; only the calls are timed."""

    retrieves = False

    def __init__(self, *, times: int = 1, **limits):
        super().__init__(**limits)
        self.times = times
        self.answer = dspy.Predict(AnswerFromPassages)

    async def aforward(self, question):
        started = time.process_time()
        for _ in range(self.times):
            await self.ask(self.answer, passages=PASSAGES, question=question)
        return dspy.Prediction(answer="", seconds=time.process_time() - started)


async def bare(times):
    predictor = dspy.Predict(AnswerFromPassages)
    passages = [str(passage) for passage in PASSAGES]
    started = time.process_time()
    for _ in range(times):
        await predictor.acall(passages=passages, question="Who?")
    return time.process_time() - started


async def overhead(adapter, times=200, rounds=15):
    """Processor time of a call, bare and through `ask`, in turn, as a noisy machine disturbs both alike."""
    program, plain, asked = Repeat(times=times), [], []
    with dspy.context(adapter=adapter):
        for _ in range(rounds):
            plain.append(await bare(times) / times * 1e3)
            asked.append((await program.acall(question="Who?")).seconds / times * 1e3)
    ratio = statistics.median(a / p for a, p in zip(asked, plain, strict=True))
    print(f"\nprocessor time of a call, {type(adapter).__name__}, LM without latency, {times} calls in {rounds} rounds")
    print(f"bare Predict.acall         {min(plain):.3f} ms at best, {statistics.median(plain):.3f} as a rule")
    print(f"the same through ask       {min(asked):.3f} ms at best, {statistics.median(asked):.3f} as a rule")
    print(f"ask takes                  {ratio:.2f} of it as a rule; the aim is 1.5")


async def throughput(questions=500, at_once=64, latency=0.2, rounds=3):
    """Prints how near `one-step` comes to the fewest rounds of `at_once` questions, and DSPy alone, in turn."""
    program, predictor = OneStep(FixedRetriever(), concurrency=at_once), dspy.Predict(AnswerFromPassages)
    passages, slots = [str(passage) for passage in PASSAGES], asyncio.Semaphore(at_once)
    ideal = -(-questions // at_once) * latency

    async def share(call):
        async def answer(number):
            async with slots:
                await call(f"Who is number {number}?")

        started = time.perf_counter()
        await asyncio.gather(*(answer(number) for number in range(questions)))
        return ideal / (time.perf_counter() - started)

    print(f"\n{questions} one-step questions, {at_once} at once, {latency * 1e3:.0f} ms an LM call")
    with dspy.context(lm=as_lm(Constant([{"answer": "x"}], latency=latency), "constant")), heap_at_rest():
        for _ in range(rounds):
            alone = await share(lambda question: predictor.acall(passages=passages, question=question))
            asked = await share(lambda question: program.acall(question=question))
            print(f"{asked:.1%} of the ideal throughput, DSPy alone {alone:.1%}, {asked / alone:.2f} of it; aim 0.85")


def main():
    lm = scripted(lambda prompt: {"answer": "x"})
    lm.engine.prompts = Forget()
    with dspy.context(lm=lm, disable_history=True, max_trace_size=0):
        for adapter in (dspy.ChatAdapter(), dspy.JSONAdapter()):
            asyncio.run(overhead(adapter))
        asyncio.run(throughput())


if __name__ == "__main__":
    main()
