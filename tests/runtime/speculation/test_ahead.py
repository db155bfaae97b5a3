import asyncio

import dspy
import pytest
from shelf import GARBAGE, by_field

from multihop import Budget
from multihop.runtime import Ahead, Gate, Program
from multihop.runtime.speculation.task import NEVER, NOW, SpeculativeTask, SpeculativeTasks


async def turns(number=20):
    for _ in range(number):
        await asyncio.sleep(0)


def test_a_task_is_as_urgent_as_the_most_urgent_that_waits_for_it():
    first, second = SpeculativeTask(3.0), SpeculativeTask()
    shared = SpeculativeTask(askers=[first, second])
    assert shared.urgency == 3.0
    second.rank = NOW
    assert shared.urgency == NOW


def order_of_calls(limit, ranks, *, free=9):
    """The tasks that got a slot, in order, where none ever gives it back."""

    async def main():
        tasks, begun = SpeculativeTasks(limit, lambda: free), []

        async def call(name):
            async with tasks.slot(running[name]):
                begun.append(name)
                await asyncio.Event().wait()

        running = {name: tasks.begin(call(name), NEVER) for name in ranks}
        await turns()
        assert begun == []
        for name, rank in ranks.items():
            running[name].rank = rank
        tasks.admit()
        await turns()
        await tasks.end()
        return begun

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("limit", "free", "begun"),
    [(1, 9, ["now", "soon"]), (2, 9, ["now", "soon", "later"]), (9, 1, ["now", "soon"]), (9, 0, ["now"])],
)
def test_who_is_waited_for_goes_at_once_and_others_by_rank_into_seats_that_are_free(limit, free, begun):
    assert order_of_calls(limit, {"later": 2, "never": NEVER, "now": NOW, "soon": 1}, free=free) == begun


def test_a_gate_knows_how_many_seats_are_free():
    async def main():
        gate = Gate(2)
        before = gate.free()
        with gate.wanting():
            with gate.wanting():
                full = gate.free()
            return before, full, gate.free()

    assert asyncio.run(main()) == (2, 0, 1)


class Checked(Program):
    """Guesses, checks ahead, and checks if the guess is not sure; or guesses again, where it asks another question."""

    retrieves = False

    def __init__(self, *, early=1, **limits):
        super().__init__(**limits)
        self.early = early
        self.guess = dspy.Predict("question -> sure: bool")
        self.check = dspy.Predict("question -> answer")

    async def aforward(self, question):
        async with Ahead(self.early, self.gate) as ahead:
            ahead.begin(self.ask(self.check, question=question), rank=1)
            await turns()
            guess = await self.ask(self.guess, question=question)
            if guess.sure:
                return dspy.Prediction(answer="sure")
            return await self.attempt(self.ask(self.check, question=question)) or dspy.Prediction(answer="none")


def check(early=1, sure=False, answer="yes", **limits):
    with dspy.context(lm=by_field(sure=sure, answer=answer)):
        return Checked(early=early, **limits)(question="q")


def test_what_was_asked_ahead_is_booked_when_it_is_asked_for():
    early, alone = check(), check(early=0)
    assert (early.answer, early.trajectory) == (alone.answer, alone.trajectory)
    for field in ("calls", "tokens", "paid_tokens", "calls_by_role", "chain"):
        assert early.cost[field] == alone.cost[field]
    assert "speculated" not in early.cost


def test_what_was_never_asked_for_is_apart_and_paid(request):
    if request.config.getoption("shuffle_calls") is not None:
        pytest.skip("whether a call in vain is answered before it is ended is a matter of their order")
    early, alone = check(sure=True), check(sure=True, early=0)
    assert [step["step"] for step in early.trajectory] == ["guess"]
    assert early.cost["calls"] == alone.cost["calls"] == 1
    assert early.cost["speculated"]["calls"] == 1
    (model,) = early.cost["tokens"]
    in_vain = early.cost["speculated"]["tokens"][model]
    assert in_vain["out"] > 0
    assert early.cost["paid_tokens"][model]["in"] == alone.cost["paid_tokens"][model]["in"] + in_vain["in"]


@pytest.mark.parametrize("early", [0, 1])
def test_a_budget_counts_what_is_asked_for_alone(early):
    prediction = check(early=early, budget=Budget(calls=2))  # one call is left, which is the reserve
    assert (prediction.answer, prediction.over_budget, prediction.cost["calls"]) == ("none", True, 1)


def test_what_cannot_be_parsed_fails_as_it_would_and_counts_as_often():
    early, alone = (check(early=early, answer=GARBAGE) for early in (1, 0))
    assert early.answer == alone.answer == "none"
    assert early.cost["parse_failures"] == alone.cost["parse_failures"] == 3
    assert early.cost["calls"] == alone.cost["calls"] == 4


def test_an_error_of_the_lm_ahead_is_nobodys_and_the_call_is_made_again():
    def failing(prompt):
        calls.append(prompt.output_fields[0].name)
        if calls.count("answer") == 1 and calls[-1] == "answer":  # that of the check, which is made ahead
            raise ConnectionError("down")
        return {"sure": False, "answer": "yes"}

    from multihop import scripted

    calls = []
    with dspy.context(lm=scripted(failing)):
        prediction = Checked()(question="q")
    assert (prediction.answer, prediction.cost["calls"], len(calls)) == ("yes", 2, 3)
