import asyncio

import dspy
import pytest
from toys import Steps, ask

from multihop.lms import scripted
from multihop.runtime.texts import awaitable


class Both(dspy.ChatAdapter):
    def __call__(self, *args, **kwargs):
        return super().__call__(*args, **kwargs)

    async def acall(self, *args, **kwargs):
        return await super().acall(*args, **kwargs)


class Signed(dspy.ChatAdapter):
    """Changes every answer, synchronously alone."""

    def __call__(self, *args, **kwargs):
        return [{**fields, "answer": f"{fields['answer']}!"} for fields in super().__call__(*args, **kwargs)]


class Doubly(Signed):
    pass


@pytest.mark.parametrize("adapter", [None, dspy.ChatAdapter(), dspy.JSONAdapter(), dspy.XMLAdapter(), Both()])
def test_an_adapter_that_can_be_awaited_stays_as_it_is(adapter):
    assert awaitable(adapter) is adapter


@pytest.mark.parametrize("kind", [Signed, Doubly])
def test_an_adapter_of_ones_own_works_in_programs(kind):
    adapter = kind()
    with dspy.context(adapter=adapter):
        assert ask(Steps(rounds=0), scripted([{"answer": "a"}])).answer == "a!"
    assert isinstance(awaitable(adapter), kind)
    assert awaitable(awaitable(adapter)).__class__ is awaitable(adapter).__class__
    assert type(adapter) is kind


def test_its_errors_come_through():
    class Broken(dspy.ChatAdapter):
        def __call__(self, *args, **kwargs):
            raise OSError("adapter")

    async def call():
        with dspy.context(lm=scripted([]), adapter=awaitable(Broken())):
            await dspy.Predict("question -> answer").acall(question="q")

    with pytest.raises(OSError, match="adapter"):
        asyncio.run(call())
