import itertools
import re

import dspy
import pytest
from anything import anything
from dspy.utils.exceptions import LMError

from multihop import create, scripted
from multihop.base import RunFailed
from multihop.evaluation.metrics import F1
from multihop.optimize import variants
from multihop.optimize.compiling import compiled
from multihop.optimize.variants import Tools, variant_named


def gone_after(count, back=None):
    """A server that is gone after so many calls, and back after so many more."""
    numbers = itertools.count(1)

    def reply(prompt):
        number = next(numbers)
        if number > count and (back is None or number <= count + back):
            return ConnectionError(f"no answer from port {number}")
        return anything(prompt)

    return scripted(reply)


def compile_with(lm, variant, little):
    retriever, questions, _ = little
    with dspy.context(lm=lm):
        tools = Tools(metric=F1(), writer=dspy.settings.lm, threads=4)
        examples = [question.to_example() for question in questions]
        return compiled(create("one-step", retriever), variant_named(variant), tools=tools, questions=examples)


FIRST, LATER = r"The first 10 LM calls all", r"2\d LM calls, one after the"
GONE = [("bootstrapped", 0, FIRST), ("instructions-copro", 15, LATER), ("simba", 15, LATER)]
GONE += [("instructions-gepa", 0, FIRST)]


@pytest.mark.parametrize(("variant", "before", "told"), GONE)
def test_a_server_that_is_gone_ends_an_optimizer(variant, before, told, little, monkeypatch):
    for name in ("CANDIDATES", "TRIALS", "GEPA_RUNS"):
        monkeypatch.setattr(variants, name, 2)
    lm = gone_after(before)
    with pytest.raises((RunFailed, LMError), match=r"no answer from port \d+") as failed:
        compile_with(lm, variant, little)
    if isinstance(failed.value, RunFailed):  # of those that ask for instructions, some fail with that call
        told = f"({told}|The last \\d+ LM calls all)"
        assert re.search(rf"port \d+\. {told}.*; the compile was stopped, the same command goes", str(failed.value))
    assert len(lm.engine.prompts) < before + 100


def test_a_server_that_is_soon_back_ends_nothing(little):
    lm = gone_after(5, back=15)
    assert compile_with(lm, "bootstrapped", little).name == "one-step"
    assert len(lm.engine.prompts) > 20
