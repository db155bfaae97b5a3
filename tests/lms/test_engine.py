import asyncio
import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import dspy
import pytest
from shelf import slow
from virtual_clock import run_on_virtual_clock

from multihop.base import InputError
from multihop.lms import AsyncEngine, Engine, Local, Scripted, as_lm, local, scripted

pytestmark = pytest.mark.at_once


class Echo(Engine):
    """Answers with the question."""

    def reply(self, prompt):
        return {"answer": prompt.inputs["question"]}


def test_a_hundred_calls_wait_together_and_leave_the_loop_free():
    async def ask_all():
        predict = dspy.Predict("question -> answer")
        return await asyncio.gather(*(predict.acall(question=f"q{i}") for i in range(100)))

    with dspy.context(lm=slow(as_lm(Echo(), "echo"), 0.1)):
        answers, took = run_on_virtual_clock(ask_all())
    assert [each.answer for each in answers] == [f"q{i}" for i in range(100)]
    assert 0.1 <= took < 0.2


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


def test_an_engine_of_ones_own_and_a_script_are_not_loaded():
    assert AsyncEngine(Echo()).dump_state() == {}
    with pytest.raises(InputError, match="an LM with an engine of your own is not loaded; set it anew"):
        AsyncEngine.load_state({})
    with pytest.raises(InputError, match="a scripted LM cannot be saved; set it anew"):
        Scripted(["one"]).dump_state()


NAMING = dspy.Predict("passages: list[str], question -> answer, names: list[str]")


def say(lm, question):
    with dspy.context(lm=lm):
        return NAMING(passages=["a | b"], question=question)


def test_answers_come_in_order_prompts_are_kept_and_running_out_says_what_was_asked():
    lm = scripted([{"answer": "Ada", "names": ["Ada"]}, {"answer": "Bob", "names": []}])
    first = say(lm, "one?")
    twin = pickle.loads(pickle.dumps(lm))  # which goes on where it was
    second = say(lm, "two?")
    assert (first.answer, first.names, second.answer, second.names) == ("Ada", ["Ada"], "Bob", [])
    assert say(twin, "two?").answer == "Bob"
    for each in (lm, twin):
        asked = [{"passages": ["a | b"], "question": question} for question in ("one?", "two?")]
        assert [prompt.inputs for prompt in each.engine.prompts] == asked
    with pytest.raises(dspy.LMError, match="has 2 answers and this is call 3.*`answer`, `names`.*later") as raised:
        say(lm, "later?")
    assert isinstance(raised.value.__cause__, InputError)
    assert len(lm.engine.prompts) == 3


def test_many_threads_share_one_script():
    lm = scripted([{"answer": str(i), "names": []} for i in range(40)])
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda i: say(lm, f"q{i}").answer, range(40)))
    assert sorted(said, key=int) == [str(i) for i in range(40)]
    assert {prompt.inputs["question"] for prompt in lm.engine.prompts} == {f"q{i}" for i in range(40)}


@pytest.mark.parametrize("answers", ["one", {"answer": "one"}])
def test_a_lone_answer_is_refused(answers):
    with pytest.raises(InputError, match="brackets"):
        scripted(answers)
