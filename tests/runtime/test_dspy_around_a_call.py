"""A step is called by DSPy's own predictor: all that DSPy does around a call is there."""

import dspy
import pytest
from toys import Guess, Read, Steps, ask, echo

from multihop.lms import scripted
from multihop.runtime import Program


def test_history_and_usage_are_those_of_the_calls_and_nothing_else_is_changed():
    program, lm, adapter = Steps(rounds=1), scripted(echo), dspy.ChatAdapter()
    before = [dict(vars(each)) for each in (adapter, lm)]
    with dspy.context(lm=lm, adapter=adapter), dspy.track_usage() as used:
        prediction = program(question="Who?")
    assert len(lm.history) == 2
    assert [*lm.history] == [*program.history] == [*program.guess.history, *program.read.history]
    assert "Who?" in lm.history[0]["messages"][-1]["content"]
    spent = prediction.cost["tokens"]["multihop/scripted"]
    with dspy.context(lm=lm, adapter=adapter, track_usage=True):
        usages = [used.get_total_tokens(), program(question="Who?").get_lm_usage()]
    told = [usage["multihop/scripted"] for usage in usages]
    assert [(each["prompt_tokens"], each["completion_tokens"]) for each in told] == [(spent["in"], spent["out"])] * 2
    lm.history.clear()
    assert [dict(vars(each)) for each in (adapter, lm)] == before


def test_the_lm_of_a_context_and_the_lm_that_is_set():
    program, outer, inner, own = Steps(rounds=1), scripted(echo), scripted(echo), scripted(echo)
    with dspy.context(lm=outer):
        with dspy.context(lm=inner):
            program(question="Who?")
        program.set_lm(own)
        program(question="Who?")
    assert program.get_lm() is own
    assert [len(lm.engine.prompts) for lm in (outer, inner, own)] == [0, 2, 2]


@pytest.mark.parametrize(("settings", "length"), [({"disable_history": True}, 0), ({"max_history_size": 1}, 1)])
def test_histories_are_as_long_as_they_are_set(settings, length):
    program, lm = Steps(rounds=2), scripted(echo)
    with dspy.context(**settings):
        ask(program, lm)
    assert [len(each.history) for each in (lm, program, program.guess)] == [length] * 3


@pytest.mark.parametrize("size", [10, 1, 0])
def test_traces_hold_the_last_steps(size):
    program, trace = Steps(rounds=2), []
    with dspy.context(trace=trace, max_trace_size=size):
        ask(program, scripted(echo))
    steps = [(program.guess, "q"), (program.guess, "q"), (program.read, "q q")]
    assert [(predictor, said.answer) for predictor, _, said in trace] == steps[max(0, 3 - size) :]


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


class Awaited(dspy.ChatAdapter):
    """Can be called in both ways."""

    def __call__(self, *args, **kwargs):
        raise AssertionError("it can be awaited")

    async def acall(self, *args, **kwargs):
        return await super().acall(*args, **kwargs)


class Signed(dspy.ChatAdapter):
    """Changes every answer, and says only how to call an LM synchronously: it runs in a thread beside the loop."""

    def __call__(self, *args, **kwargs):
        return [{**fields, "answer": f"{fields['answer']}!"} for fields in super().__call__(*args, **kwargs)]


@pytest.mark.parametrize(("kind", "answer"), [(Awaited, "a"), (Signed, "a!"), (type("Inherited", (Signed,), {}), "a!")])
def test_an_adapter_is_awaited_where_it_can_be_and_works_in_programs_where_it_cannot(kind, answer):
    with dspy.context(adapter=kind()):
        assert ask(Steps(rounds=0), scripted([{"answer": "a"}])).answer == answer
        with pytest.raises(dspy.LMUnexpectedError, match="disk"):
            ask(Steps(rounds=0), scripted([OSError("disk")]))


class Loud(dspy.Predict):
    """A predictor that does more."""

    async def aforward(self, **inputs):
        return dspy.Prediction(answer=(await super().aforward(**inputs)).answer.upper())


def test_a_predictor_that_does_more_does_so_in_a_program():
    program = Steps(rounds=0)
    program.read = Loud(Read)
    assert ask(program, scripted([{"answer": "loud"}])).answer == "LOUD"


def search(query: str) -> str:
    """Find it."""
    return f"found {query}"


class Composed(Program):
    """Asks modules that are more than one predictor."""

    retrieves = False

    def set_up(self):
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
    prediction = ask(Composed(), lm)
    assert (prediction.answer, prediction.likely) == ("c", True)
    assert prediction.cost["calls_by_role"] == {"think": 1, "act": 3, "pick": 1}
    assert lm.history[-1]["kwargs"]["temperature"] == 0.3
