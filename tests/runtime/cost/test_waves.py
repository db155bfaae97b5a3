"""The same budget makes the same calls, however fast they are, and is passed by no more than one answer."""

import asyncio
import random

import dspy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys import Guess, Read
from uneven import Uneven
from virtual_clock import run_on_virtual_clock

from multihop import Passage, caching
from multihop.lms import Scripted, as_lm
from multihop.retrieval import as_retriever
from multihop.runtime import Budget, Program, together

pytestmark = pytest.mark.at_once


def wordy(prompt):
    asked = prompt.inputs.get("question", "")
    return {"answer": " ".join(["so"] * (30 + sum(map(ord, asked)) % 30))}


class Branching(Program):
    """Three lines of guesses side by side, each as long as its number says, and some of them searched for."""

    def __init__(self, retriever, *, lengths=(5, 3, 8), **limits):
        super().__init__(retriever, **limits)
        self.lengths = tuple(lengths)
        self.guess = dspy.Predict(Guess)
        self.read = dspy.Predict(Read)

    async def line(self, question, number, length):
        done = []
        for step in range(length):
            if step % 2:
                await self.attempt(self.find(f"{number} {step}", 1))
            guess = await self.attempt(self.ask(self.guess, question=f"{question} {number} {step} {'x' * step * 20}"))
            if guess is None:
                break
            done.append(step)
        return done

    async def aforward(self, question):
        lines = await together(*(self.line(question, number, length) for number, length in enumerate(self.lengths)))
        read = await self.ask(self.read, passages=[str(lines)])
        return dspy.Prediction(answer=read.answer, lines=lines)


def searching(seed):
    draw = random.Random(seed)

    class Slow:
        async def asearch(self, queries, k):
            await asyncio.sleep(draw.choice((0.01, 0.2, 1.0)))
            return [[Passage(query, query, query)] for query in queries]

        def search(self, queries, k):
            raise AssertionError("it is awaited")

    return as_retriever(Slow())


def asked(seed, budget, concurrency, lengths=(5, 3, 8)):
    """The lines of a question among several that are answered at once, and their cost."""
    engine = Scripted(wordy)
    lm = as_lm(engine, "uneven", twin=Uneven(engine, seed))
    program = Branching(searching(seed), lengths=lengths, budget=budget, concurrency=concurrency)

    async def all_at_once():
        with dspy.context(lm=lm), caching("off"):
            return await asyncio.gather(*(program.acall(question=f"q{number}") for number in range(3)))

    predictions, _ = run_on_virtual_clock(all_at_once())
    return predictions


@settings(max_examples=20)
@given(
    limit=st.one_of(
        st.builds(lambda calls: {"calls": calls}, st.integers(0, 20)),
        st.builds(lambda tokens: {"tokens": tokens}, st.integers(0, 6000)),
    ),
    lengths=st.lists(st.integers(0, 6), min_size=1, max_size=4),
)
def test_the_same_budget_makes_the_same_calls_however_fast_they_are(limit, lengths):
    runs = [
        asked(seed, Budget(**limit), concurrency, lengths)
        for seed, concurrency in ((0, 64), (1, 64), (2, 2), (3, 1), (4, 64), (5, 3))
    ]
    for number in range(3):
        made = [(run[number].lines, run[number].cost["calls"], run[number].cost["tokens"]) for run in runs]
        assert made == [made[0]] * 6


@settings(max_examples=20)
@given(tokens=st.integers(1000, 8000), lengths=st.lists(st.integers(0, 8), min_size=1, max_size=6))
def test_a_budget_of_tokens_is_passed_by_no_more_than_one_answer(tokens, lengths):
    for prediction in asked(7, Budget(tokens=tokens), 64, lengths):
        spent = prediction.cost["tokens"]["multihop/uneven"]
        assert spent["in"] + spent["out"] <= tokens + 80  # the longest answer has sixty words and its frame


def test_without_a_budget_nothing_waits_for_anything():
    def longest(budget):
        engine = Scripted(wordy)
        lm = as_lm(engine, "uneven", twin=Uneven(engine, 1))

        async def once():
            with dspy.context(lm=lm), caching("off"):
                return await Branching(searching(1), budget=budget).acall(question="q")

        return run_on_virtual_clock(once())

    (free, free_seconds), (waved, waved_seconds) = longest(None), longest(Budget(calls=100))
    assert free.lines == waved.lines == [[*range(5)], [*range(3)], [*range(8)]]
    assert free.cost["calls"] == waved.cost["calls"] == 17
    assert free_seconds <= waved_seconds
    assert free_seconds - 1 < free.cost["seconds"] <= free_seconds  # all but the waiting for other searches


def test_the_same_call_in_two_branches_that_cannot_be_parsed_waits_for_nobody():
    """A second attempt waits for its turn while the other branch waits for the outcome of the very same call."""

    class Twice(Branching):
        async def aforward(self, question):
            ask = lambda: self.attempt(self.ask(self.guess, question=question))  # noqa: E731
            both = await together(ask(), ask())
            return dspy.Prediction(answer=" ".join(each.answer for each in both))

    replies = []

    def once_unreadable(prompt):
        replies.append(prompt)
        return "no fields" if len(replies) == 1 else {"answer": "Po"}

    engine = Scripted(once_unreadable)
    lm = as_lm(engine, "scripted", twin=Uneven(engine, 1), cache=True)
    program = Twice(searching(0), budget=Budget(calls=10), concurrency=1)

    async def limited():
        with dspy.context(lm=lm), caching("run"):
            return await asyncio.wait_for(program.acall(question="q"), 1000)

    prediction, _ = run_on_virtual_clock(limited())
    assert prediction.answer == "Po Po"
    assert (prediction.cost["calls"], prediction.cost["parse_failures"], prediction.cost["cached"]) == (4, 2, 2)
    assert len(replies) == 2


def test_reading_is_given_as_many_passages_as_the_budget_has_room_for():
    class Reader(Program):
        def __init__(self, retriever, **limits):
            super().__init__(retriever, **limits)
            self.read = dspy.Predict(Read)

        async def aforward(self, question):
            hits = await self.find(question, 8)
            return await self.ask(self.read, passages=hits)

    pages = [Passage(f"p{number}", f"Page {number}", "word " * 100) for number in range(8)]
    retriever = as_retriever(lambda query, k: pages[:k])

    def read(**budget):
        engine = Scripted({"answer": "so"} for _ in range(1))
        with dspy.context(lm=as_lm(engine, "scripted")):
            prediction = Reader(retriever, budget=Budget(**budget) if budget else None)(question="q")
        shown = parse_prompt_of(engine)
        return prediction, shown

    def parse_prompt_of(engine):
        return [text.partition(" | ")[0] for text in engine.prompts[0].inputs["passages"]]

    whole, shown = read()
    assert (shown, whole.over_budget) == ([page.title for page in pages], False)
    spent = whole.cost["tokens"]["multihop/scripted"]["in"]
    part, shown = read(tokens=spent // 2)
    assert 2 <= len(shown) <= 4
    assert shown == [page.title for page in pages[: len(shown)]]
    assert part.over_budget
    asked, over = part.trajectory[-1], part.trajectory[-2]
    assert asked["inputs"]["passages"] == [page.id for page in pages[: len(shown)]]
    assert over == {"step": "over budget", "limit": f"{spent // 2} tokens"}
    assert part.cost["tokens"]["multihop/scripted"]["in"] <= spent // 2
    least, shown = read(tokens=1)
    assert (shown, least.over_budget) == (["Page 0"], True)
