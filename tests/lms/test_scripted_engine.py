import asyncio
import pickle
from concurrent.futures import ThreadPoolExecutor

import dspy
import pytest
from dspy.utils.exceptions import AdapterParseError

from multihop.base import InputError
from multihop.lms import Scripted, scripted

PREDICT = dspy.Predict("passages: list[str], question -> answer, names: list[str]")


def ask(lm, question="who?", adapter=None):
    with dspy.context(lm=lm, adapter=adapter):
        return PREDICT(passages=["a | b"], question=question)


def test_answers_come_in_order_and_prompts_are_kept():
    lm = scripted([{"answer": "Ada", "names": ["Ada"]}, {"answer": "Bob", "names": []}])
    first, second = ask(lm, "one?"), ask(lm, "two?")
    assert (first.answer, first.names, second.answer, second.names) == ("Ada", ["Ada"], "Bob", [])
    assert [prompt.inputs for prompt in lm.engine.prompts] == [
        {"passages": ["a | b"], "question": "one?"},
        {"passages": ["a | b"], "question": "two?"},
    ]


def test_pickled_it_goes_on_where_it_was():
    lm = scripted([{"answer": "Ada", "names": []}, {"answer": "Bob", "names": []}])
    ask(lm, "one?")
    twin = pickle.loads(pickle.dumps(lm))
    assert [ask(each, "two?").answer for each in (twin, lm)] == ["Bob", "Bob"]
    assert [prompt.inputs["question"] for prompt in twin.engine.prompts] == ["one?", "two?"]


def test_a_function_sees_the_prompt():
    lm = scripted(lambda prompt: {"answer": prompt.inputs["question"].upper(), "names": prompt.inputs["passages"]})
    said = ask(lm)
    assert (said.answer, said.names) == ("WHO?", ["a | b"])


def test_running_out_says_what_was_asked():
    lm = scripted([{"answer": "Ada", "names": []}])
    ask(lm)
    with pytest.raises(dspy.LMError, match="has 1 answers and this is call 2.*`answer`, `names`.*later") as raised:
        ask(lm, "later?")
    assert isinstance(raised.value.__cause__, InputError)
    assert len(lm.engine.prompts) == 2


def test_garbage_fails_to_parse():
    lm = scripted(["garbage"])
    with pytest.raises(AdapterParseError):
        ask(lm, adapter=dspy.ChatAdapter(use_json_adapter_fallback=False))
    assert len(lm.engine.prompts) == 1


def test_the_json_fallback_asks_again_and_is_answered():
    lm = scripted(["garbage", {"answer": "Ada", "names": ["x"]}])
    assert ask(lm).answer == "Ada"
    assert [prompt.style for prompt in lm.engine.prompts] == ["chat", "json"]


def test_errors_are_raised_and_retried_like_a_providers():
    lm = scripted(
        [dspy.lm15.RateLimitError("slow down", retry_after=0.01), {"answer": "Ada", "names": []}], num_retries=1
    )
    assert ask(lm).answer == "Ada"
    with pytest.raises(dspy.LMRateLimitError, match="slow down"):
        ask(scripted([dspy.lm15.RateLimitError("slow down")]))
    with pytest.raises(dspy.LMError, match="broken") as raised:
        ask(scripted([ZeroDivisionError("broken")]))
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


def test_many_threads_share_one_script():
    lm = scripted([{"answer": str(i), "names": []} for i in range(200)])
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda i: ask(lm, f"q{i}").answer, range(200)))
    assert sorted(said, key=int) == [str(i) for i in range(200)]
    assert {prompt.inputs["question"] for prompt in lm.engine.prompts} == {f"q{i}" for i in range(200)}


def test_latency_is_the_engines():
    lm = scripted([{"answer": "Ada", "names": []}], latency=0.01)
    with dspy.context(lm=lm):
        assert asyncio.run(PREDICT.acall(passages=[], question="who?")).answer == "Ada"
    assert lm.engine.latency == 0.01


def test_it_cannot_be_saved():
    with pytest.raises(InputError, match="a scripted LM cannot be saved; set it anew"):
        Scripted(["one"]).dump_state()


@pytest.mark.parametrize("answers", ["one", {"answer": "one"}])
def test_a_lone_answer_is_refused(answers):
    with pytest.raises(InputError, match="brackets"):
        scripted(answers)
