"""A call of a program tells and leaves behind what it does where every call goes DSPy's own way."""

import asyncio
import io

import dspy
import pytest
from dspy.utils.callback import BaseCallback
from dspy.utils.callback_context import ACTIVE_CALL_ID
from shelf import GARBAGE
from toys import Steps, echo
from two_ways import both, of_entry

from multihop.models import scripted


@pytest.mark.parametrize("adapter", [None, dspy.JSONAdapter()])
def test_histories(adapter):
    def scenario():
        program, lm, written = Steps(rounds=1), scripted(echo), io.StringIO()
        dspy.clients.base_lm.GLOBAL_HISTORY.clear()
        with dspy.context(lm=lm, adapter=adapter):
            program(question="Who?")
        dspy.inspect_history(n=2, file=written)
        everywhere = dspy.clients.base_lm.GLOBAL_HISTORY
        assert [*lm.history] == [*program.history] == [*everywhere]
        assert [*program.guess.history, *program.read.history] == [*everywhere]
        lines = [line for line in written.getvalue().splitlines() if not line.startswith("[20")]  # the time
        return [of_entry(entry) for entry in everywhere], lines

    entries, lines = both(scenario)
    assert [entry["outputs"] for entry in entries] == [[entry["outputs"][0]] for entry in entries]
    assert any("Who?" in line for line in lines)


@pytest.mark.parametrize("settings", [{"disable_history": True}, {"max_history_size": 1}])
def test_histories_are_as_long_as_they_are_set(settings):
    def scenario():
        program, lm = Steps(rounds=2), scripted(echo)
        with dspy.context(lm=lm, **settings):
            program(question="Who?")
        return len(lm.history), len(program.history), len(program.guess.history)

    assert both(scenario) == ((0, 0, 0) if "disable_history" in settings else (1, 1, 1))


def test_usage():
    def scenario():
        with dspy.context(lm=scripted(echo), track_usage=True):
            own = Steps(rounds=2)(question="Who?").get_lm_usage()
        with dspy.context(lm=scripted(echo)), dspy.track_usage() as usage:
            Steps(rounds=2)(question="Who?")
        assert usage.get_total_tokens() == own
        return own

    assert both(scenario)["multihop/scripted"]["completion_tokens"] > 3


@pytest.mark.parametrize("size", [10, 1, 0])
def test_traces(size):
    def scenario():
        program, trace = Steps(rounds=2), []
        with dspy.context(lm=scripted(echo), trace=trace, max_trace_size=size):
            program(question="Who?")
        steps = {id(program.guess): "guess", id(program.read): "read"}
        return [(steps[id(predictor)], inputs, given.toDict()) for predictor, inputs, given in trace]

    assert len(both(scenario)) == min(size, 3)


class Ear(BaseCallback):
    """Hears all that DSPy tells of a call, and within which call it was, as the autologging of MLflow does."""

    def __init__(self):
        self.heard, self.calls = [], {}

    def start(self, what, call_id, instance, inputs):
        self.calls[call_id] = len(self.calls)
        within = self.calls.get(ACTIVE_CALL_ID.get())
        self.heard.append((what, self.calls[call_id], within, type(instance).__name__, repr(sorted(inputs))))

    def end(self, what, call_id, outputs, exception):
        answer = outputs.answer if isinstance(outputs, dspy.Prediction) else repr(outputs)
        self.heard.append((what, self.calls[call_id], answer, repr(exception)))


for each in ("module", "lm", "adapter_format", "adapter_parse"):

    def on_start(self, call_id, instance, inputs, each=each):
        self.start(each, call_id, instance, inputs)

    def on_end(self, call_id, outputs, exception=None, each=each):
        self.end(each, call_id, outputs, exception)

    setattr(Ear, f"on_{each}_start", on_start)
    setattr(Ear, f"on_{each}_end", on_end)


@pytest.mark.parametrize("adapter", [None, dspy.JSONAdapter()])
def test_callbacks(adapter):
    def scenario():
        ear = Ear()
        with dspy.context(lm=scripted([GARBAGE, {"answer": "a"}, {"answer": "b"}]), adapter=adapter, callbacks=[ear]):
            prediction = Steps(rounds=1)(question="Who?")
        assert prediction.answer == "b"
        return ear.heard

    heard = [line[0] for line in both(scenario)]
    assert heard[:4] == ["module", "module", "module", "adapter_format"]  # the program, its step, the predictor
    assert heard.count("lm") == 6


@pytest.mark.parametrize("whose", ["lm", "predictor", "adapter"])
def test_callbacks_of_one_part(whose):
    def scenario():
        ear, program, lm, adapter = Ear(), Steps(rounds=1), scripted(echo), dspy.ChatAdapter()
        {"lm": lm, "predictor": program.guess, "adapter": adapter}[whose].callbacks = [ear]
        with dspy.context(lm=lm, adapter=adapter):
            program(question="Who?")
        return ear.heard

    assert both(scenario)


@pytest.mark.parametrize("is_async_program", [False, True])
def test_streams(is_async_program):
    def scenario():
        program = Steps(rounds=1)
        listener = dspy.streaming.StreamListener("answer", predict=program.read, predict_name="read")
        stream = dspy.streamify(program, stream_listeners=[listener], is_async_program=is_async_program)

        async def collect():
            with dspy.context(lm=scripted(echo)):
                return [each async for each in stream(question="one two three")]

        *chunks, prediction = asyncio.run(collect())
        return [(each.chunk, each.predict_name, each.is_last_chunk) for each in chunks], prediction.answer

    chunks, answer = both(scenario)
    assert "".join(chunk for chunk, *_ in chunks) == answer == "one two three"
