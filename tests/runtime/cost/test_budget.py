import asyncio
from dataclasses import replace

import dspy
import pytest
from toys import FakeRetriever, Guess, Steps, ask, echo

from multihop import InputError
from multihop.lms import AsyncEngine, Scripted, as_lm, scripted
from multihop.lms.prompt import parse_prompt
from multihop.runtime import Budget, Cost, OverBudget, Program, Tokens
from multihop.runtime.cost.budget import Account
from multihop.runtime.cost.waves import PlannedCall

pytestmark = pytest.mark.at_once


@pytest.mark.parametrize(("limit", "guesses"), [(1, 0), (2, 1), (3, 2), (4, 3), (9, 3)])
def test_a_budget_of_calls_ends_the_search_and_leaves_one_to_read(limit, guesses):
    prediction = ask(Steps(budget=Budget(calls=limit)), scripted(echo))
    assert prediction.cost["calls"] == guesses + 1
    assert prediction.cost["calls_by_role"]["read"] == 1
    assert prediction.over_budget == (guesses < 3)
    if guesses < 3:
        assert {"step": "over budget", "limit": f"{limit} calls"} in prediction.trajectory


@pytest.mark.parametrize("limit", [{"calls": -1}, {"tokens": -1}, {"seconds": -0.5}, {"seconds": float("nan")}])
def test_a_budget_below_zero_is_refused(limit):
    ((name, value),) = limit.items()
    with pytest.raises(InputError, match=f"a budget's {name} are 0 or more, not {value!r}."):
        Budget(**limit)


@pytest.mark.parametrize(
    ("limit", "wanted"),
    [
        ({"calls": "3"}, "a budget's calls are a whole number, not '3'."),
        ({"calls": 2.0}, "a budget's calls are a whole number, not 2.0."),
        ({"tokens": True}, "a budget's tokens are a whole number, not True."),
        ({"seconds": "1"}, "a budget's seconds are a number, not '1'."),
        ({"usd": False}, "a budget's usd are a number, not False."),
        ({"usd": [1]}, r"a budget's usd are a number, not \[1\]."),
    ],
)
def test_a_budget_that_is_no_number_is_refused(limit, wanted):
    with pytest.raises(InputError, match=wanted):
        Budget(**limit)


def test_a_budget_of_tokens_ends_the_search_while_there_is_room_to_read():
    spent = ask(Steps(rounds=50), scripted(echo)).cost["tokens"]["multihop/scripted"]
    a_guess = (spent["in"] + spent["out"]) // 51
    prediction = ask(Steps(rounds=50, budget=Budget(tokens=10 * a_guess)), scripted(echo))
    assert prediction.over_budget
    assert 6 <= prediction.cost["calls_by_role"]["guess"] <= 9
    taken = prediction.cost["tokens"]["multihop/scripted"]
    reading = prediction.cost["tokens_by_role"]["read"]["out"]
    assert taken["in"] + taken["out"] - reading <= 10 * a_guess


def test_a_budget_that_not_even_reading_fits_leaves_the_reading_alone():
    prediction = ask(Steps(rounds=50, budget=Budget(tokens=1)), scripted(echo))
    assert prediction.cost["calls_by_role"] == {"read": 1}
    assert prediction.over_budget


def test_a_budget_of_seconds_ends_even_a_call_in_flight():
    class Endless(AsyncEngine):
        async def complete(self, request):
            if "question" in parse_prompt(request).inputs:  # the guess is cut short, the reading is not
                await asyncio.Event().wait()
            return self.engine.respond(request)

    engine = Scripted(echo)
    program = Steps(rounds=1, budget=Budget(seconds=0.15))

    async def limited():
        with dspy.context(lm=as_lm(engine, "endless", twin=Endless(engine))):
            return await asyncio.wait_for(program.acall(question="q"), 60)

    prediction = asyncio.run(limited())
    assert prediction.cost["calls_by_role"] == {"guess": 1, "read": 1}
    assert prediction.over_budget
    assert prediction.trajectory[0]["error"] == "OverBudget"


def test_an_lm_that_times_out_by_itself_is_not_mistaken_for_the_budget():
    with pytest.raises(Exception, match="slow") as failure:
        ask(Steps(budget=Budget(seconds=60)), scripted([TimeoutError("slow")]))
    assert "OverBudget" not in type(failure.value).__name__


def test_a_budget_of_seconds_ends_a_search_that_only_retrieves():
    class Wanderer(Program):
        def __init__(self, retriever, **limits):
            super().__init__(retriever, **limits)
            self.read = dspy.Predict(Guess)

        async def aforward(self, question):
            while await self.attempt(self.find(question, 1)) is not None:
                pass
            return await self.ask(self.read, question=question)

    prediction = ask(Wanderer(FakeRetriever(), budget=Budget(seconds=0.05)), scripted(echo))
    assert prediction.over_budget
    assert prediction.cost["calls"] == 1


def test_an_attempt_gives_what_its_work_gives_and_leaves_the_calls_it_is_told_to():
    class Spender(Program):
        retrieves = False

        def __init__(self, *, reserve: int, **limits):
            super().__init__(**limits)
            self.reserve = reserve
            self.guess = dspy.Predict(Guess)

        async def aforward(self, question):
            before = self.over_budget
            guesses = []
            while guess := await self.attempt(self.twice(question), reserve=self.reserve):
                guesses += guess
            assert (before, self.over_budget) == (False, True)
            return dspy.Prediction(answer=" ".join(guesses))

        async def twice(self, question):
            return [(await self.ask(self.guess, question=question)).answer for _ in range(2)]

    for reserve, pairs, calls in ((0, 2, 5), (1, 2, 4), (2, 1, 3), (5, 0, 0)):
        prediction = ask(Spender(reserve=reserve, budget=Budget(calls=5)), scripted(echo))
        assert (prediction.answer, prediction.cost["calls"]) == (" ".join(["q"] * 2 * pairs), calls)
        assert prediction.trajectory[-1] == {"step": "over budget", "limit": "5 calls"}


def test_an_attempt_at_what_cannot_be_understood_gives_nothing_and_is_no_end_of_the_budget():
    class Once(Steps):
        async def aforward(self, question):
            guess = await self.attempt(self.ask(self.guess, question=question))
            return dspy.Prediction(answer=str(guess))

    prediction = ask(Once(retries=0), scripted(["no fields at all"]))
    assert (prediction.answer, prediction.over_budget, prediction.cost["parse_failures"]) == ("None", False, 1)


def test_an_error_of_the_work_comes_out_of_an_attempt():
    class Broken(Steps):
        async def aforward(self, question):
            return await self.attempt(self.fail())

        async def fail(self):
            raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        ask(Broken(), scripted([]))


def test_an_account_knows_which_limit_a_call_would_pass():
    account = Account(Budget(calls=3, tokens=24))
    wish = PlannedCall("read", "m", reserve=2, prompt=6, answer=3)
    assert account.limit_reached(wish) is None  # 6 now, and 6 for each call after it with 3 for each answer before
    assert account.limit_reached(replace(wish, reserve=3)) == "3 calls"
    assert account.limit_reached(replace(wish, prompt=7)) == "24 tokens"
    assert account.limit_reached(replace(wish, answer=None)) == "24 tokens"
    account.cost.add("read", "m", Tokens(8, 2), paid=False)  # the cache changes no budget
    account.learn(replace(wish, prompt=4), Tokens(8, 2))  # a prompt was twice as long as estimated
    assert account.limit_reached(replace(wish, reserve=0, prompt=7)) is None
    assert account.limit_reached(replace(wish, reserve=0, prompt=8)) == "24 tokens"
    assert account.limit_reached(replace(wish, reserve=1, prompt=1)) is None  # 2 now, 3 for an answer, 8 for a prompt
    assert account.limit_reached(replace(wish, reserve=1, prompt=2)) == "24 tokens"
    with pytest.raises(OverBudget, match="0.0 seconds"):
        Account(Budget(seconds=0.0)).check_time()


def test_costs_are_plain_values():
    cost = Cost()
    cost.calls_by_role["read"] += 2
    cost.add("read", "m", Tokens.from_usage({"input_tokens": 5, "output_tokens": None}), paid=True)
    assert cost.to_dict()["calls_by_role"] == {"read": 2}
    assert cost.to_dict()["tokens"] == {"m": {"in": 5, "out": 0}} == {"m": cost.to_dict()["tokens_by_role"]["read"]}
