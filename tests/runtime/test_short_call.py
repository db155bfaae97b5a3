"""A call of a program gives what it does where every call goes DSPy's own way."""

import asyncio
import copy
import logging
import warnings

import dspy
import pytest
from dspy.experimental import Noul
from dspy.lm15 import RateLimitError, TextPart, ThinkingPart
from shelf import GARBAGE
from toys import Guess, Read, Steps, echo
from two_ways import Answering, Noting, asked, both, dspys_own_way, of_entry

from multihop.models import Scripted, as_lm, scripted
from multihop.runtime import Program, caching, short_call


@pytest.fixture
def counted(monkeypatch):
    """How many calls took the short way, of a predictor and of an LM."""
    taken = {"predictor": 0, "lm": 0}
    for name, what in (("_plain_inputs", "predictor"), ("_plain_call", "lm")):
        function = getattr(short_call, name)

        def count(*given, function=function, what=what):
            found = function(*given)
            taken[what] += found is not None
            return found

        monkeypatch.setattr(short_call, name, count)
    return taken


def test_the_short_way_is_taken(counted):
    asked(Steps(rounds=3), echo)
    assert counted == {"predictor": 4, "lm": 4}
    with dspys_own_way():
        asked(Steps(rounds=3), echo)
    assert counted == {"predictor": 4, "lm": 4}


@pytest.mark.parametrize("adapter", [None, dspy.ChatAdapter(), dspy.JSONAdapter(), dspy.XMLAdapter()])
@pytest.mark.parametrize("settings", [{}, {"temperature": 0}, {"temperature": 1, "max_tokens": 50, "stop": ["\n\n"]}])
def test_requests_and_predictions(adapter, settings):
    def scenario():
        answers = [GARBAGE, {"answer": "a"}, {"answer": "b"}, {"answer": "c"}]
        if isinstance(adapter, dspy.XMLAdapter):
            answers = [GARBAGE, '{"answer": "a"}', *(f"<answer>{letter}</answer>" for letter in "bc")]
            engine = Answering(answers)
            with dspy.context(lm=as_lm(engine, "answering", **settings), adapter=adapter):
                return Steps(rounds=2)(question="Who?").answer, engine.requests
        with dspy.context(adapter=adapter):
            return asked(Steps(rounds=2), answers, **settings)

    both(scenario)


def test_demonstrations_options_and_an_lm_of_its_own():
    def scenario():
        program, engine = Steps(rounds=1), Noting(echo)
        program.guess.demos = [{"question": "a?", "answer": "A"}, dspy.Example(question="b?", answer="B")]
        program.guess.config = {"temperature": 0.5}
        program.read.demos = [{"answer": "only"}, {"passages": ["p"], "answer": "A"}]
        program.read.lm = as_lm(engine, "own")
        return asked(program, echo), engine.requests

    both(scenario)


def test_a_thinking_lm_and_one_that_says_nothing():
    answer = "[[ ## answer ## ]]\nx"

    def scenario():
        engine = Answering([[ThinkingPart("hm"), TextPart(answer)], [TextPart("")], [ThinkingPart("hm")], answer])
        with dspy.context(lm=as_lm(engine, "thinking")):
            prediction = Steps(rounds=1, retries=3)(question="Who?")
        return prediction.answer, {**prediction.cost, "seconds": 0, "waited": 0}, prediction.trajectory, engine.requests

    assert both(scenario)[0] == "x"


@pytest.mark.parametrize("retries", [0, 2])
def test_errors_of_the_lm(retries, monkeypatch):
    slept = []

    async def sleep(seconds, *_):
        if seconds > 0.1:  # a pause before another attempt
            slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    error = RateLimitError("slow down", status=429)

    def scenario():
        slept.clear()
        engine = Answering([error, ValueError("broken"), "[[ ## answer ## ]]\nx"])
        with (
            dspy.context(lm=as_lm(engine, "failing", num_retries=retries)),
            pytest.raises(dspy.utils.exceptions.LMError) as caught,
        ):
            Steps(rounds=1)(question="Who?")
        raised = caught.value
        return type(raised), str(raised), type(raised.__cause__), raised.trajectory, len(engine.requests), [*slept]

    assert both(scenario)[4] == min(retries, 1) + 1


def test_errors_of_what_cannot_be_parsed():
    def scenario():
        with dspy.context(lm=scripted([GARBAGE] * 3)), pytest.raises(dspy.utils.exceptions.AdapterParseError) as caught:
            Steps(rounds=0, retries=2)(question="Who?")
        error = caught.value
        return str(error), error.adapter_name, error.signature, error.lm_response, error.parsed_result, error.trajectory

    both(scenario)


def test_text_that_no_lm_can_be_sent():
    def scenario():
        with dspy.context(lm=scripted(echo)), pytest.raises(ValueError, match="lone surrogate") as caught:
            Steps(rounds=1)(question="Who is \ud800?")
        return str(caught.value)

    both(scenario)


def test_what_is_kept_is_not_asked_for_again():
    def scenario():
        engine = Noting(echo)
        lm = as_lm(engine, "noting", cache=True)
        costs = []
        with dspy.context(lm=lm), caching("run"):
            for _ in range(2):
                costs.append({**Steps(rounds=2)(question="Who?").cost, "seconds": 0, "waited": 0})
        return costs, engine.requests, [of_entry(entry) for entry in lm.history]

    costs, requests, _ = both(scenario)
    assert [cost["cached"] for cost in costs] == [1, 3]
    assert len(requests) == 2


class Odd(Program):
    """Asks with inputs that DSPy warns of."""

    retrieves = False

    def __init__(self):
        super().__init__()
        self.guess = dspy.Predict("question: str, times: int = 3 -> answer: str")
        self.guess.signature = self.guess.signature.append("hint", dspy.InputField(default="none"))

    async def aforward(self, question):
        await self.ask(self.guess, question=question)
        await self.ask(self.guess, question=question, times="many")
        await self.ask(self.guess, question=question, times=1, more="x")
        return await self.ask(self.guess, question=[question], times=2)


def test_what_dspy_warns_of(caplog):
    def scenario():
        caplog.clear()
        dspy_logger = logging.getLogger("dspy")
        dspy_logger.propagate, before = True, dspy_logger.propagate
        try:
            said = asked(Odd(), lambda prompt: {"answer": str(prompt.inputs)})
        finally:
            dspy_logger.propagate = before
        return said, [record.getMessage() for record in caplog.records]

    warned = both(scenario)[1]
    assert any("Missing: ['times']" in each for each in warned)
    assert any("Type mismatch for field 'times'" in each for each in warned)


class Composed(Program):
    """Asks modules that are more than one predictor."""

    retrieves = False

    def __init__(self):
        super().__init__()
        self.think = dspy.ChainOfThought(Guess)
        self.act = dspy.ReAct(Guess, tools=[search], max_iters=2)
        self.pick = dspy.Predict("question -> likely: bool, answer: str", temperature=0.3)

    async def aforward(self, question):
        thought = await self.ask(self.think, question=question)
        acted = await self.ask(self.act, question=thought.answer)
        return await self.ask(self.pick, question=acted.answer)


def search(query: str) -> str:
    """What is found."""
    return f"found {query}"


def test_modules_of_several_predictors():
    answers = [
        {"reasoning": "so", "answer": "a"},
        {"next_thought": "look", "next_tool_name": "search", "next_tool_args": {"query": "a"}},
        {"next_thought": "enough", "next_tool_name": "finish", "next_tool_args": {}},
        {"reasoning": "thus", "answer": "b"},
        {"likely": True, "answer": "c"},
    ]
    fields, cost, requests = both(lambda: asked(Composed(), answers))
    assert fields["answer"] == "c"
    assert fields["likely"] is True
    assert cost["calls_by_role"] == {"think": 1, "act": 3, "pick": 1}
    assert requests[-1].config.temperature == 0.3


def test_a_call_is_on_its_way_before_the_next_of_a_crowd_is_prepared(monkeypatch, request):
    if request.config.getoption("shuffle_calls") is not None:
        pytest.skip("their order is what is looked at")
    told, prepare = [], short_call._plain_inputs
    monkeypatch.setattr(short_call, "_plain_inputs", lambda *given: told.append("prepared") or prepare(*given))

    class Waiting(Scripted):
        async def complete(self, request):
            told.append("asked")
            await asyncio.sleep(0)
            return self.respond(request)

    engine = Waiting(echo)

    async def crowd():
        program = Steps(rounds=0)
        with dspy.context(lm=dspy.LM("multihop/waiting", engine=Scripted(echo), async_engine=engine, cache=False)):
            await asyncio.gather(*(program.acall(question="Who?") for _ in range(5)))

    asyncio.run(crowd())
    assert told == ["prepared", "asked"] * 5


def test_a_predictor_that_does_more_is_asked_its_own_way(counted):
    class Loud(dspy.Predict):
        async def aforward(self, **inputs):
            return dspy.Prediction(answer=(await super().aforward(**inputs)).answer.upper())

    program = Steps(rounds=0)
    program.read = Loud(Read)
    with dspy.context(lm=scripted([{"answer": "loud"}])):
        assert program(question="Who?").answer == "LOUD"
    assert counted["predictor"] == 0


def test_an_lm_that_does_more_is_asked_its_own_way(counted):
    class Loud(dspy.LM):
        async def aforward(self, *given, **settings):
            return await super().aforward(*given, **settings)

    engine = Scripted([{"answer": "x"}])
    loud = Loud("multihop/loud", engine=engine, async_engine=as_lm(engine, "loud")._async_engine_spec)
    with dspy.context(lm=loud), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        assert Steps(rounds=0)(question="Who?").answer == "x"
    assert counted == {"predictor": 1, "lm": 0}


def test_what_a_tool_puts_in_place_of_a_function_is_called(monkeypatch, counted):
    called = []
    forward = dspy.Predict.aforward

    async def traced(self, **inputs):
        called.append(sorted(inputs))
        return await forward(self, **inputs)

    monkeypatch.setattr(dspy.Predict, "aforward", traced)
    with dspy.context(lm=scripted(echo)):
        Steps(rounds=1)(question="Who?")
    assert called == [["question"], ["passages"]]
    assert counted["predictor"] == 0


def test_decisions_are_left_to_dspy(counted):
    class Judge(dspy.Signature):
        """Judge."""

        question: str = dspy.InputField()
        likely: Noul = dspy.OutputField(desc="whether it is likely")

    class Judging(Program):
        retrieves = False

        def __init__(self):
            super().__init__()
            self.judge = dspy.Predict(Judge)

        async def aforward(self, question):
            judged = await self.ask(self.judge, question=question)
            return dspy.Prediction(answer=str(judged.likely.value))

    with dspy.context(lm=scripted(['[[ ## likely ## ]]\n{"noul": 0.9}'])):
        assert Judging()(question="Is it?").answer == "True"
    assert counted["predictor"] == 0


def test_copies_of_an_lm_are_apart():
    lm = scripted(echo)
    twin = short_call.copy_lm(lm)
    twin.acall = None
    assert "acall" not in vars(lm)
    assert vars(twin).keys() - vars(lm).keys() == {"acall"}
    assert twin.history is lm.history  # what a call leaves there is the LM's
    assert vars(copy.copy(lm)) == vars(lm)
