import asyncio
import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import dspy
import pytest

from multihop.base import InputError
from multihop.lms import AsyncEngine, Engine, Local, Scripted, as_lm, local, scripted

pytestmark = pytest.mark.at_once


class Echo(Engine):
    """Answers with the question."""

    def reply(self, prompt):
        return {"answer": prompt.inputs["question"]}


def ask(lm, question="who?", **options):
    with dspy.context(lm=lm):
        return dspy.Predict("question -> answer")(question=question, **options)


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


@pytest.mark.parametrize("latency", [-1, float("nan")])
def test_a_latency_is_never_negative(latency):
    with pytest.raises(InputError, match="latency"):
        Echo(latency=latency)


NAMING = dspy.Predict("passages: list[str], question -> answer, names: list[str]")


def say(lm, question="who?", adapter=None):
    with dspy.context(lm=lm, adapter=adapter):
        return NAMING(passages=["a | b"], question=question)


def test_answers_come_in_order_and_prompts_are_kept():
    lm = scripted([{"answer": "Ada", "names": ["Ada"]}, {"answer": "Bob", "names": []}])
    first, second = say(lm, "one?"), say(lm, "two?")
    assert (first.answer, first.names, second.answer, second.names) == ("Ada", ["Ada"], "Bob", [])
    assert [prompt.inputs for prompt in lm.engine.prompts] == [
        {"passages": ["a | b"], "question": "one?"},
        {"passages": ["a | b"], "question": "two?"},
    ]


def test_pickled_it_goes_on_where_it_was():
    lm = scripted([{"answer": "Ada", "names": []}, {"answer": "Bob", "names": []}])
    say(lm, "one?")
    twin = pickle.loads(pickle.dumps(lm))
    assert [say(each, "two?").answer for each in (twin, lm)] == ["Bob", "Bob"]
    assert [prompt.inputs["question"] for prompt in twin.engine.prompts] == ["one?", "two?"]


def test_running_out_says_what_was_asked():
    lm = scripted([{"answer": "Ada", "names": []}])
    say(lm)
    with pytest.raises(dspy.LMError, match="has 1 answers and this is call 2.*`answer`, `names`.*later") as raised:
        say(lm, "later?")
    assert isinstance(raised.value.__cause__, InputError)
    assert len(lm.engine.prompts) == 2


def test_many_threads_share_one_script():
    lm = scripted([{"answer": str(i), "names": []} for i in range(40)])
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda i: say(lm, f"q{i}").answer, range(40)))
    assert sorted(said, key=int) == [str(i) for i in range(40)]
    assert {prompt.inputs["question"] for prompt in lm.engine.prompts} == {f"q{i}" for i in range(40)}


def test_it_cannot_be_saved():
    with pytest.raises(InputError, match="a scripted LM cannot be saved; set it anew"):
        Scripted(["one"]).dump_state()


@pytest.mark.parametrize("answers", ["one", {"answer": "one"}])
def test_a_lone_answer_is_refused(answers):
    with pytest.raises(InputError, match="brackets"):
        scripted(answers)
