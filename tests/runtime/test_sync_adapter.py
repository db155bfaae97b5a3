"""An adapter that says only how to call an LM synchronously: it runs in a thread beside the event loop."""

import dspy
import pytest
from toys import Steps, ask

from multihop.lms import scripted


class Both(dspy.ChatAdapter):
    def __call__(self, *args, **kwargs):
        raise AssertionError("it can be awaited")

    async def acall(self, *args, **kwargs):
        return await super().acall(*args, **kwargs)


class Signed(dspy.ChatAdapter):
    """Changes every answer, synchronously alone."""

    def __call__(self, *args, **kwargs):
        return [{**fields, "answer": f"{fields['answer']}!"} for fields in super().__call__(*args, **kwargs)]


class Doubly(Signed):
    pass


class Broken(dspy.ChatAdapter):
    def __call__(self, *args, **kwargs):
        raise OSError("adapter")


def answer(adapter):
    with dspy.context(adapter=adapter):
        return ask(Steps(rounds=0), scripted([{"answer": "a"}])).answer


@pytest.mark.parametrize("kind", [dspy.ChatAdapter, dspy.JSONAdapter, Both])
def test_an_adapter_that_can_be_awaited_is(kind):
    assert answer(kind()) == "a"


@pytest.mark.parametrize("kind", [Signed, Doubly])
def test_an_adapter_of_ones_own_works_in_programs(kind):
    assert answer(kind()) == "a!"


def test_its_errors_come_through():
    with pytest.raises(OSError, match="adapter"):
        answer(Broken())
