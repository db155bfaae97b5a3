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


@pytest.mark.parametrize(
    ("kind", "answer"), [(dspy.ChatAdapter, "a"), (dspy.JSONAdapter, "a"), (Both, "a"), (Signed, "a!"), (Doubly, "a!")]
)
def test_an_adapter_is_awaited_where_it_can_be_and_works_in_programs_where_it_cannot(kind, answer):
    with dspy.context(adapter=kind()):
        assert ask(Steps(rounds=0), scripted([{"answer": "a"}])).answer == answer


def test_its_errors_come_through():
    with dspy.context(adapter=Broken()), pytest.raises(OSError, match="adapter"):
        ask(Steps(rounds=0), scripted([]))
