import asyncio
import copy
import json
from types import SimpleNamespace

import dspy
import pytest
from dspy.lm15 import Message, Request

from multihop.base import InputError
from multihop.lms import AsyncEngine, Engine, Local, as_lm, local, scripted

pytestmark = pytest.mark.at_once


class Echo(Engine):
    """Answers with the question."""

    def reply(self, prompt):
        return {"answer": prompt.inputs["question"]}


def ask(lm, question="who?", **options):
    with dspy.context(lm=lm):
        return dspy.Predict("question -> answer")(question=question, **options)


@pytest.mark.parametrize("adapter", [dspy.ChatAdapter(), dspy.JSONAdapter()])
def test_an_engine_answers_a_predictor(adapter):
    with dspy.context(adapter=adapter):
        assert ask(as_lm(Echo(), "echo")).answer == "who?"


def test_a_hundred_calls_wait_together_and_leave_the_loop_free(monkeypatch):
    waited, everybody = [], asyncio.Barrier(100)
    sleep = asyncio.sleep

    async def wait(seconds):
        if seconds != 7:
            return await sleep(seconds)
        waited.append(seconds)
        return await asyncio.wait_for(everybody.wait(), 60)  # one after the other they would never get through

    monkeypatch.setattr(asyncio, "sleep", wait)

    async def ask_all():
        predict = dspy.Predict("question -> answer")
        return await asyncio.gather(*(predict.acall(question=f"q{i}") for i in range(100)))

    with dspy.context(lm=as_lm(Echo(latency=7), "echo")):
        answers = asyncio.run(ask_all())
    assert [each.answer for each in answers] == [f"q{i}" for i in range(100)]
    assert waited == [7] * 100


def test_a_synchronous_call_takes_the_latency(monkeypatch):
    waited = []
    monkeypatch.setattr("multihop.lms.engine.time", SimpleNamespace(sleep=waited.append))
    ask(as_lm(Echo(latency=7), "echo"))
    assert waited == [7]


def test_tokens_are_words_and_marks():
    with dspy.context(lm=scripted(["[[ ## answer ## ]]\nAda, then."])), dspy.track_usage() as usage:
        dspy.Predict("question -> answer")(question="who?")
    counted = usage.get_total_tokens()["multihop/scripted"]
    assert counted["completion_tokens"] == 9 + 4
    assert counted["prompt_tokens"] > 50
    assert counted["total_tokens"] == counted["prompt_tokens"] + counted["completion_tokens"]


def test_answers_stream():
    program = dspy.streamify(
        dspy.Predict("question -> answer"), stream_listeners=[dspy.streaming.StreamListener("answer")]
    )

    async def collect():
        return [each async for each in program(question="Who wrote the first program of all?")]

    with dspy.context(lm=as_lm(Echo(), "echo")):
        chunks = asyncio.run(collect())
    assert chunks[-1].answer == "Who wrote the first program of all?"
    assert "".join(each.chunk for each in chunks[:-1]) == "Who wrote the first program of all?"


def test_both_halves_stream_the_same_events():
    engine = Echo()
    with dspy.context(lm=as_lm(engine, "echo")):
        system, user = dspy.ChatAdapter().format(dspy.Signature("question -> answer"), [], {"question": "who?"})
    request = Request(model="multihop/echo", system=system["content"], messages=(Message.user(user["content"]),))

    async def collect():
        return [event async for event in AsyncEngine(engine).stream(request)]

    assert asyncio.run(collect()) == list(engine.stream(request))


def test_a_copied_program_shares_its_engine():
    engine = Echo()
    predict = dspy.Predict("question -> answer")
    predict.set_lm(as_lm(engine, "echo"))
    copied = copy.deepcopy(predict)
    assert copied.lm.engine is engine
    assert copied.lm._async_engine_spec is predict.lm._async_engine_spec


def test_a_saved_lm_comes_back(tmp_path):
    predict = dspy.Predict("question -> answer")
    predict.set_lm(local())
    predict.save(tmp_path / "predict.json")
    loaded = dspy.Predict("question -> answer")
    loaded.load(tmp_path / "predict.json", allow_unsafe_lm_state=True)
    assert isinstance(loaded.lm.engine, Local)
    assert loaded(question="Is it so?").answer == "yes"
    assert asyncio.run(loaded.acall(question="Is it so?")).answer == "yes"


def test_an_engine_of_ones_own_is_not_loaded():
    assert json.loads(json.dumps(AsyncEngine(Echo(latency=0.5)).dump_state())) == {"latency": 0.5}
    with pytest.raises(InputError, match="an LM with an engine of your own is not loaded; set it anew"):
        AsyncEngine.load_state({"latency": 0.5})


def test_an_lm_saved_with_a_module_that_has_moved_is_refused_in_a_sentence(tmp_path):
    predict = dspy.Predict("question -> answer")
    predict.set_lm(local())
    predict.save(tmp_path / "predict.json")
    text = (tmp_path / "predict.json").read_text().replace("lms.local_engine", "lms.local")
    (tmp_path / "predict.json").write_text(text)
    with pytest.raises(ImportError, match=r"No module named 'multihop\.lms\.local'"):
        dspy.Predict("question -> answer").load(tmp_path / "predict.json", allow_unsafe_lm_state=True)


@pytest.mark.parametrize("latency", [-1, float("nan")])
def test_a_latency_is_never_negative(latency):
    with pytest.raises(InputError, match="latency"):
        Echo(latency=latency)


def test_options_reach_the_lm():
    lm = as_lm(Echo(), "echo@2", temperature=0.7, cache=True)
    assert (lm.model, lm.kwargs["temperature"], lm.cache) == ("multihop/echo@2", 0.7, True)


def test_a_call_without_a_module_is_refused():
    with pytest.raises(dspy.LMError, match=r"written by dspy\.ChatAdapter"):
        as_lm(Echo(), "echo")("hello")
