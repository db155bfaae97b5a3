import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.lms import scripted
from multihop.runtime import Cost, PrefixCache, Program, Tokens
from tests.openai_server import OpenAIServer

SYSTEM = {"role": "system", "content": "s" * 640}


def messages(text):
    return [SYSTEM, {"role": "user", "content": text}]


def served(*prompts):
    cache = PrefixCache()
    for model, text in prompts:
        cache.add(model, messages(text), Tokens((640 + 1 + len(text)) // 4, 1))
    return cache.tokens


def test_a_prompt_is_served_as_far_as_it_begins_like_one_before_in_whole_blocks():
    assert served(("m", "a" * 64)) == 160  # the instructions are known
    assert served(("m", "a" * 120), ("m", "a" * 120)) == 160 + 176  # one block of the user's, and no half one
    assert served(("m", "a" * 120), ("m", "b" + "a" * 119)) == 320
    assert served(("m", "a" * 120), ("n", "a" * 120)) == 320  # another LM's cache
    assert served(("m", "a" * 63 + "b" * 65), ("m", "c" * 64 + "b" * 64)) == 320  # a block counts by what it ends


def test_what_an_lm_reports_counts_as_it_is():
    cost = Cost()
    cost.add("read", "m", Tokens(100, 5, prompt_cached=30), paid=True, prompt=messages("a" * 640))
    cost.add("read", "m", Tokens(100, 5, prompt_cached=0), paid=True, prompt=messages("a" * 640))
    cost.add("read", "m", Tokens(100, 5), paid=True)  # nobody knows its prompt
    record = cost.to_dict()
    assert (record["prefix_cached"], record["prefix_estimated"]) == (30, 0)
    assert record["tokens"] == {"m": {"in": 300, "out": 15, "prompt_cached": 30}}
    cost.add("read", "m", Tokens(320, 5), paid=True, prompt=messages("a" * 640))
    record = cost.to_dict()
    assert (record["prefix_cached"], record["prefix_estimated"]) == (190, 1)
    assert record["tokens"]["m"]["prompt_cached"] == 30  # dollars know only what is reported


@given(st.permutations([("m", "a" * 70), ("m", "a" * 200), ("n", "a" * 200), ("m", "b" * 300), ("m", "a" * 200)]))
def test_the_order_of_calls_changes_nothing(prompts):
    assert served(*prompts) == 863


class Twice(Program):
    retrieves = False

    def set_up(self):
        self.answer = dspy.Predict("question -> answer")

    async def aforward(self, question):
        await self.ask(self.answer, question=question)
        return dspy.Prediction(answer=(await self.ask(self.answer, question=question)).answer)


def test_a_program_tells_what_of_its_prompts_a_cache_serves():
    with dspy.context(lm=scripted([{"answer": "Po"}] * 2)):
        cost = Twice()(question="Which river? " * 40).cost
    into = cost["tokens"]["multihop/scripted"]["in"]
    assert cost["prefix_estimated"] == 2
    assert 0.5 < cost["prefix_cached"] / into < 1.0
    assert "prompt_cached" not in cost["tokens"]["multihop/scripted"]


@pytest.mark.parametrize(("told", "cached", "estimated"), [(20, 40, 0), (0, None, 2)])
def test_a_server_that_tells_is_believed(told, cached, estimated):
    with OpenAIServer(lambda prompt: {"answer": "Po"}, prompt_cached=told) as server:
        lm = dspy.LM("openai/m", api_base=server.url, api_key="-", cache=False)
        with dspy.context(lm=lm):
            cost = Twice()(question="Which river?").cost
    assert cost["prefix_estimated"] == estimated
    assert cached in (None, cost["prefix_cached"])
