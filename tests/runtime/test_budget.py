import asyncio
import random

import dspy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from never_ending import never_ending
from time_limit import in_script
from toys import FakeRetriever, Steps, ask, echo
from virtual_clock import run_on_virtual_clock

from multihop import InputError, OneStep, caching
from multihop.lms import AsyncEngine, Scripted, as_lm, scripted
from multihop.runtime import Budget, together

pytestmark = pytest.mark.at_once


@pytest.mark.parametrize(("limit", "guesses"), [(1, 0), (2, 1), (3, 2), (4, 3), (9, 3)])
def test_a_budget_of_calls_ends_the_search_and_leaves_one_to_read(limit, guesses):
    prediction = ask(Steps(budget=Budget(calls=limit)), scripted(echo))
    assert prediction.cost["calls"] == guesses + 1
    assert prediction.cost["calls_by_role"]["read"] == 1
    assert prediction.over_budget == (guesses < 3)
    if guesses < 3:
        assert {"step": "over budget", "limit": f"{limit} calls"} in prediction.trajectory


@pytest.mark.parametrize(
    ("limit", "wanted"),
    [
        ({"calls": "3"}, "a budget's calls are a whole number, not '3'."),
        ({"tokens": True}, "a budget's tokens are a whole number, not True."),
        ({"seconds": "1"}, "a budget's seconds are a number, not '1'."),
        ({"usd": False}, "a budget's usd are a number, not False."),
        ({"calls": -1}, "a budget's calls are 0 or more, not -1."),
        ({"seconds": float("nan")}, "a budget's seconds are 0 or more, not nan."),
    ],
)
def test_a_budget_that_is_no_number_from_zero_on_is_refused(limit, wanted):
    with pytest.raises(InputError, match=wanted):
        Budget(**limit)


def test_a_budget_of_tokens_ends_the_search_once_they_are_spent():
    whole = ask(Steps(rounds=50), scripted(echo)).cost["tokens_by_role"]["guess"]
    a_guess = (whole["in"] + whole["out"]) // 50
    for limit, guesses in ((0, 0), (1, 1), (10 * a_guess, 10), (10 * a_guess + 1, 11), (50 * a_guess + 1, 50)):
        prediction = ask(Steps(rounds=50, budget=Budget(tokens=limit)), scripted(echo))
        assert prediction.cost["calls"] == guesses + 1, "the reading is made in any case"
        assert prediction.over_budget == (guesses < 50)


class Uneven(AsyncEngine):
    """An engine's asynchronous half that draws from the seed how long each call takes."""

    def __init__(self, engine, seed):
        super().__init__(engine)
        self.random = random.Random(seed)

    async def complete(self, request):
        await asyncio.sleep(self.random.choice((0.01, 0.1, 0.5, 3.0)))
        return self.engine.complete(request)


class Branching(Steps):
    """Lines of guesses side by side, each as long as its number says."""

    lengths: list[int]

    async def line(self, number, length):
        for step in range(length):
            if await self.attempt(self.ask(self.guess, question=f"{number} {step}")) is None:
                break

    async def aforward(self, question):
        await together(*(self.line(number, length) for number, length in enumerate(self.lengths)))
        return await self.ask(self.read, passages=[question])


@settings(max_examples=20)
@given(
    limit=st.integers(0, 20),
    lengths=st.lists(st.integers(0, 6), min_size=1, max_size=4),
    concurrency=st.integers(1, 8),
    seed=st.integers(0, 99),
)
def test_calls_that_are_made_at_once_never_exceed_a_budget_together(limit, lengths, concurrency, seed):
    engine = Scripted(lambda prompt: {"answer": "so"})
    program = Branching(lengths=lengths, budget=Budget(calls=limit), concurrency=concurrency)

    async def once():
        with dspy.context(lm=as_lm(engine, "uneven", twin=Uneven(engine, seed))), caching("off"):
            return await program.acall(question="q")

    prediction, _ = run_on_virtual_clock(once())
    assert prediction.cost["calls"] == min(max(limit, 1), sum(lengths) + 1)
    assert prediction.cost["calls_by_role"]["read"] == 1


def test_a_budget_of_seconds_ends_even_a_call_in_flight():
    lm, _ = never_ending(lambda prompt: {"answer": "x"} if "passages" in prompt.inputs else "")
    prediction = in_script(lambda: ask(Steps(rounds=1, budget=Budget(seconds=0.15)), lm))
    assert prediction.cost["calls_by_role"] == {"guess": 1, "read": 1}
    assert prediction.over_budget
    assert prediction.trajectory[0]["error"] == "OverBudget"
    prediction = ask(Steps(budget=Budget(seconds=0)), scripted(echo))
    assert prediction.cost["calls_by_role"] == {"read": 1}, "where no time is left no call begins"
    assert {"step": "over budget", "limit": "0 seconds"} in prediction.trajectory


def test_a_budget_of_seconds_ends_a_search_that_only_retrieves():
    class Wanderer(OneStep):
        async def aforward(self, question):
            while await self.attempt(self.find(question, 1)) is not None:
                pass
            return await self.ask(self.answer, passages=[], question=question)

    prediction = ask(Wanderer(FakeRetriever(), budget=Budget(seconds=0.05)), scripted(echo))
    assert prediction.over_budget
    assert prediction.cost["calls"] == 1


def test_an_lm_that_times_out_by_itself_is_not_mistaken_for_the_budget():
    with pytest.raises(Exception, match="slow") as failure:
        ask(Steps(budget=Budget(seconds=60)), scripted([TimeoutError("slow")]))
    assert "OverBudget" not in type(failure.value).__name__


def test_an_attempt_gives_what_its_work_gives_and_leaves_the_calls_it_is_told_to():
    class Spender(Steps):
        async def aforward(self, question):
            before = self.over_budget
            guesses = []
            while guess := await self.attempt(self.twice(question), reserve=self.rounds):
                guesses += guess
            assert (before, self.over_budget) == (False, True)
            return dspy.Prediction(answer=" ".join(guesses))

        async def twice(self, question):
            return [(await self.ask(self.guess, question=question)).answer for _ in range(2)]

    for reserve, pairs, calls in ((0, 2, 5), (2, 1, 3), (5, 0, 0)):
        prediction = ask(Spender(rounds=reserve, budget=Budget(calls=5)), scripted(echo))
        assert (prediction.answer, prediction.cost["calls"]) == (" ".join(["q"] * 2 * pairs), calls)
        assert prediction.trajectory[-1] == {"step": "over budget", "limit": "5 calls"}


def test_an_attempt_at_what_cannot_be_understood_gives_nothing_and_is_no_end_of_the_budget():
    class Once(Steps):
        async def aforward(self, question):
            guess = await self.attempt(self.ask(self.guess, question=question))
            return dspy.Prediction(answer=str(guess))

    prediction = ask(Once(retries=0), scripted(["no fields at all"]))
    assert (prediction.answer, prediction.over_budget, prediction.cost["parse_failures"]) == ("None", False, 1)
