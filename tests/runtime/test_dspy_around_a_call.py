"""A step is called by DSPy's own predictor: all that DSPy does around a call is there."""

import dspy
import pytest
from dspy.lm15 import RateLimitError
from dspy.utils.callback import BaseCallback
from dspy.utils.exceptions import LMError, LMRateLimitError
from shelf import GARBAGE
from toys import Guess, Read, Steps, echo

from multihop.lms import Scripted, as_lm, scripted
from multihop.runtime import Program


@pytest.mark.parametrize(("settings", "length"), [({"disable_history": True}, 0), ({"max_history_size": 1}, 1)])
def test_histories_are_as_long_as_they_are_set(settings, length):
    program, lm = Steps(rounds=2), scripted(echo)
    with dspy.context(lm=lm, **settings):
        program(question="Who?")
    assert [len(each.history) for each in (lm, program, program.guess)] == [length] * 3


@pytest.mark.parametrize(("size", "steps"), [(10, ["guess", "guess", "read"]), (1, ["read"]), (0, [])])
def test_traces(size, steps):
    program, trace = Steps(rounds=2), []
    with dspy.context(lm=scripted(echo), trace=trace, max_trace_size=size):
        program(question="Who?")
    names = {id(program.guess): "guess", id(program.read): "read"}
    assert [names[id(predictor)] for predictor, *_ in trace] == steps
    assert all(
        given.toDict() == {"answer": " ".join(["Who?"] * (1 + (name == "read")))}
        for name, (_, _, given) in zip(steps, trace, strict=True)
    )


class Ear(BaseCallback):
    """Hears when a module, an adapter and an LM begin and end."""

    def __init__(self):
        self.heard = []

    def on_module_start(self, call_id, instance, inputs):
        self.heard.append(type(instance).__name__)

    def on_lm_start(self, call_id, instance, inputs):
        self.heard.append("asks")

    def on_lm_end(self, call_id, outputs, exception=None):
        self.heard.append("answers")

    def on_adapter_format_start(self, call_id, instance, inputs):
        self.heard.append("formats")

    def on_adapter_parse_end(self, call_id, outputs, exception=None):
        self.heard.append("parses" if exception is None else "fails to parse")


CALL = ["formats", "asks", "answers", "parses"]


def test_callbacks_hear_of_every_attempt():
    ear = Ear()
    with dspy.context(lm=scripted([GARBAGE, {"answer": "a"}, {"answer": "b"}]), callbacks=[ear]):
        assert Steps(rounds=1)(question="Who?").answer == "b"
    unparsed, as_json = [*CALL[:-1], "fails to parse"], ["formats", *CALL]  # DSPy's JSON adapter formats in two layers
    assert ear.heard == ["Steps", "guess", "Predict", *unparsed, "Predict", *as_json, "read", "Predict", *CALL]


@pytest.mark.parametrize(
    ("whose", "heard"),
    [("lm", ["asks", "answers"] * 2), ("predictor", ["Predict"]), ("adapter", ["formats", "parses"] * 2)],
)
def test_callbacks_of_one_part(whose, heard):
    ear, program, lm, adapter = Ear(), Steps(rounds=1), scripted(echo), dspy.ChatAdapter()
    {"lm": lm, "predictor": program.guess, "adapter": adapter}[whose].callbacks = [ear]
    with dspy.context(lm=lm, adapter=adapter):
        program(question="Who?")
    assert ear.heard == heard


class Failing(Scripted):
    """Fails with the errors in turn, then answers."""

    def __init__(self, errors):
        super().__init__(echo)
        self.errors, self.requests = [*errors], 0

    def respond(self, request):
        self.requests += 1
        if self.errors:
            raise self.errors.pop(0)
        return super().respond(request)


def test_an_lm_that_fails_for_a_moment_is_asked_again_by_dspy_and_its_error_comes_out_where_it_is_not():
    slow_down = RateLimitError("slow down", status=429, retry_after=0.001)
    engine = Failing([slow_down])
    with dspy.context(lm=as_lm(engine, "failing", num_retries=1)):
        assert Steps(rounds=1)(question="Who?").answer == "Who?"
    assert engine.requests == 3
    with (
        dspy.context(lm=as_lm(Failing([slow_down]), "failing", num_retries=0)),
        pytest.raises(LMRateLimitError) as caught,
    ):
        Steps(rounds=1)(question="Who?")
    assert [step["step"] for step in caught.value.trajectory] == ["guess"]
    with dspy.context(lm=as_lm(Failing([ValueError("broken")]), "failing")), pytest.raises(LMError, match="broken"):
        Steps(rounds=1)(question="Who?")


def test_demonstrations_options_and_an_lm_of_its_own():
    program, own, lm = Steps(rounds=1), scripted(echo), scripted(echo)
    program.guess.demos = [{"question": "a?", "answer": "A"}, dspy.Example(question="b?", answer="B")]
    program.guess.config = {"temperature": 0.5}
    program.read.lm = own
    with dspy.context(lm=lm):
        program(question="Who?")
    prompt = lm.engine.prompts[0]
    assert [shown.outputs for shown in prompt.demonstrations] == [{"answer": "A"}, {"answer": "B"}]
    assert lm.history[0]["kwargs"]["temperature"] == 0.5
    assert (len(lm.engine.prompts), len(own.engine.prompts)) == (1, 1)


class Loud(dspy.Predict):
    """A predictor that does more."""

    async def aforward(self, **inputs):
        return dspy.Prediction(answer=(await super().aforward(**inputs)).answer.upper())


def test_a_predictor_that_does_more_does_so_in_a_program():
    program = Steps(rounds=0)
    program.read = Loud(Read)
    with dspy.context(lm=scripted([{"answer": "loud"}])):
        assert program(question="Who?").answer == "LOUD"


def search(query: str) -> str:
    """Find it."""
    return f"found {query}"


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


def test_modules_of_several_predictors_are_booked_call_by_call():
    lm = scripted(
        [
            {"reasoning": "so", "answer": "a"},
            {"next_thought": "look", "next_tool_name": "search", "next_tool_args": {"query": "a"}},
            {"next_thought": "enough", "next_tool_name": "finish", "next_tool_args": {}},
            {"reasoning": "thus", "answer": "b"},
            {"likely": True, "answer": "c"},
        ]
    )
    with dspy.context(lm=lm):
        prediction = Composed()(question="Who?")
    assert (prediction.answer, prediction.likely) == ("c", True)
    assert prediction.cost["calls_by_role"] == {"think": 1, "act": 3, "pick": 1}
    assert lm.history[-1]["kwargs"]["temperature"] == 0.3
