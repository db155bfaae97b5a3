"""Whatever is asked for ahead: the answer, the record and the cost stay those of the search alone."""

import asyncio
import functools
import hashlib
from collections import Counter

import dspy
import pytest
from crowd import Waiting
from shelf import GARBAGE, Shelf, run, scripted_search
from virtual_clock import run_on_virtual_clock

from multihop import Budget, create, scripted
from multihop.lms import Scripted, as_lm
from multihop.lms.prompt import parse_prompt
from multihop.runtime import listening

METHODS = {
    "mzqa": {"iterations": 7, "depth": 3, "candidates": 3},
    "rap": {"iterations": 6, "depth": 3, "candidates": 3, "retrieval": True},
}
EARLY = [(1, 64), (64, 64), (8, 8), (4, 1)]
"""Calls made ahead at once, and calls in flight at most."""


def dice(*values):
    return int.from_bytes(hashlib.blake2b(repr(values).encode(), digest_size=6).digest(), "big") / 2**48


def varied(prompt, *, broken=0.0, seed=0):
    """Proposals, plans, answers and scores that depend on all that was asked; some cannot be parsed at first."""
    fields, given = [field.name for field in prompt.output_fields], sorted(prompt.inputs.items())
    if dice(seed, "broken", fields, given) < broken and (prompt.style == "chat" or "answer" not in fields):
        return GARBAGE
    sample = int(dice(seed, fields, given) * 4)
    if "sub_questions" in fields:
        return {"sub_questions": [f"s{sample}", f"s{sample + 1}", "s9"][: 1 + 2 * (sample > 0)]}
    if "sub_question" in fields:
        return {"sub_question": f"s{sample + 1}"}
    if "score" in fields:
        return {"reasoning": "r", "score": str(int(dice(seed, "score", given) * 11))}
    if "result" in fields:
        return {"sentence": "quoted", "result": f"about {prompt.inputs['sub_question']} {sample}"}
    return {field: f"{field} {sample}" for field in fields}


class Pages(Shelf):
    """Finds for every query some of nine pages."""

    def search(self, queries, k):
        self.batches.append((list(queries), k))
        return [[self.hit(f"p{int(dice(query, n) * 9)}{n}", n) for n in range(k)] for query in queries]


def answer(name, speculate=0, concurrency=64, broken=0.0, seed=0, **settings):
    """The prediction, and every prompt."""
    settings = METHODS[name] | settings
    program = create(name, Pages(), speculate=speculate, concurrency=concurrency, **settings)
    return run(program, scripted(lambda prompt: varied(prompt, broken=broken, seed=seed), latency=0.001))


@functools.cache
def answer_alone(name):
    """The same with nothing asked for ahead."""
    return answer(name)


def of_the_search(prediction):
    """All that must be the same: not the seconds, and not what was asked for in vain."""
    cost = {name: value for name, value in prediction.cost.items() if name not in ("seconds", "waited", "speculated")}
    del cost["paid_tokens"]
    return prediction.answer, prediction.trajectory, cost, prediction.over_budget, prediction.evidence


@pytest.mark.at_once
@pytest.mark.grid
@pytest.mark.parametrize("early", EARLY)
@pytest.mark.parametrize("name", METHODS)
def test_whatever_is_asked_for_ahead_the_search_is_the_same(name, early):
    alone, asked_alone = answer_alone(name)
    early, asked = answer(name, *early)
    assert of_the_search(early) == of_the_search(alone)
    in_vain = early.cost.get("speculated", {"calls": 0})["calls"]
    assert len(asked_alone) == alone.cost["calls"]
    assert early.cost["calls"] <= len(asked) <= early.cost["calls"] + in_vain  # those ended in time were not answered


@pytest.mark.at_once
@pytest.mark.parametrize("reuse", ["none", "transitions"])
@pytest.mark.parametrize("parallel", [1, 3])
@pytest.mark.parametrize("broken", [0.0, 0.2])
def test_so_it_is_whatever_is_looked_up_and_however_many_completions_cannot_be_parsed(reuse, parallel, broken):
    settings = {"reuse": reuse, "parallel": parallel, "broken": broken, "seed": 3}
    assert of_the_search(answer("mzqa", 16, **settings)[0]) == of_the_search(answer("mzqa", **settings)[0])


@pytest.mark.parametrize("parallel", [1, 3])
@pytest.mark.parametrize("broken", [0.0, 0.2])
def test_so_it_is_where_equal_sub_questions_are_answered_once(parallel, broken, request):
    """Of paths that ask for the same at once, the order decides which has the steps on its record, and that alone."""
    if request.config.getoption("shuffle_calls") is not None:
        pytest.skip("on whose path a sub-question is answered that two paths ask at once is a matter of their order")
    settings = {"reuse": "self-contained", "parallel": parallel, "broken": broken, "seed": 3}
    early, alone = answer("mzqa", 16, **settings)[0], answer("mzqa", **settings)[0]
    (answered, _, *rest), (answered_alone, _, *rest_alone) = of_the_search(early), of_the_search(alone)
    assert (answered, rest) == (answered_alone, rest_alone)
    assert steps_taken(early.trajectory) == steps_taken(alone.trajectory)


def steps_taken(trajectory):
    """The number of times that each step was taken, whichever branch has it."""
    counts = Counter()
    for step in trajectory:
        if "branches" in step:
            for branch in step["branches"]:
                counts += steps_taken(branch)
        else:
            counts[step["step"], str(step.get("query") or step.get("inputs"))] += 1
    return counts


@pytest.mark.parametrize("calls", [1, 2, 5, 8, 10, 13, 15, 17, 21, 26])
def test_a_budget_ends_the_search_at_the_same_call(calls, request):
    if request.config.getoption("shuffle_calls") is not None:
        pytest.skip("which of several calls at once gets the last of the budget is a matter of their order")

    def ended(speculate):
        program = create("mzqa", Pages(), speculate=speculate, budget=Budget(calls=calls), **METHODS["mzqa"])
        with dspy.context(lm=scripted(varied, latency=0.2)):
            return run_on_virtual_clock(program.acall(question="q"))[0]

    early, alone = ended(16), ended(0)
    assert of_the_search(early) == of_the_search(alone)
    assert alone.over_budget


@pytest.mark.parametrize(
    ("name", "alone", "early"),
    [
        ("mzqa", 22, 8),
        ("rap", 22, 8),
    ],
)
def test_answers_come_sooner(name, alone, early):
    """In LM calls one after the other: each takes a second of a clock on which nothing else takes any."""

    def seconds(**settings):
        program = create(name, Pages(), **(METHODS[name] | {"stops": ()} | settings))
        with dspy.context(lm=scripted(varied, latency=1.0)):
            return round(run_on_virtual_clock(program.acall(question="q"))[1])

    assert (seconds(), seconds(speculate=16)) == (alone, early)


def test_what_was_in_vain_is_counted_apart_and_paid():
    def ended(**settings):
        program = create("mzqa", Pages(), **(METHODS["mzqa"] | {"iterations": 3} | settings))
        lm = scripted(varied, latency=1.0)
        with dspy.context(lm=lm):
            return run_on_virtual_clock(program.acall(question="q"))[0], lm.engine.prompts

    early, asked = ended(speculate=64)
    alone = ended()[0]
    in_vain = early.cost["speculated"]
    assert in_vain["calls"] >= len(asked) - alone.cost["calls"] > 0
    (model,) = alone.cost["tokens"]
    for side in ("in", "out"):
        paid = early.cost["paid_tokens"][model][side]
        assert paid == alone.cost["tokens"][model][side] + in_vain["tokens"][model][side]
    assert "speculated" not in alone.cost


def test_listeners_and_optimizers_hear_of_the_search_alone():
    def heard(speculate):
        steps = []
        lm = scripted(varied, latency=0.001)
        program = create("mzqa", Shelf(), speculate=speculate, concurrency=8, **METHODS["mzqa"])
        with listening(steps.append), dspy.context(lm=lm, trace=[]):
            program(question="q")
            names = {id(predictor): name for name, predictor in program.named_predictors()}
            trace = [
                (names[id(predictor)], inputs, outputs.toDict()) for predictor, inputs, outputs in dspy.settings.trace
            ]
        return sorted(str(step) for step in steps), trace

    assert heard(16) == heard(0)


class Endless(Waiting):
    """Says never what could follow "s9", and knows how often it was told to stop waiting for it.

    What could follow "s1" it says once it has been asked for that: only then is something under way in vain.
    """

    begun, ended = None, 0

    async def complete(self, request):
        prompt = parse_prompt(request)
        self.begun = self.begun or asyncio.Event()
        if "sub_questions" in str(prompt.output_fields):
            if "s9" in str(prompt.inputs["history"]):
                self.begun.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    self.ended += 1
            elif "s1" in str(prompt.inputs["history"]):
                await self.begun.wait()
        return self.engine.respond(request)


@pytest.mark.at_once
def test_what_is_under_way_in_vain_is_ended_with_the_search():
    def score(history):
        return "0" if "s9" in str(history) else "10"

    twin = Endless(Scripted(scripted_search(proposals=["s1", "s9"], score=score).engine.answers), {})
    program = create("mzqa", Shelf(), speculate=16, iterations=3, depth=3, stops=())
    with dspy.context(lm=as_lm(twin.engine, "endless", twin=twin)):
        prediction = program(question="q")
    assert prediction.answer == "read"
    assert (twin.ended, prediction.cost["speculated"]["calls"] > 0) == (1, True)
