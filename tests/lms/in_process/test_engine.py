import asyncio
from concurrent.futures import Future
from types import SimpleNamespace

import pytest
from dspy.lm15 import Message, Request

from multihop.base.own_time import timing
from multihop.lms.in_process.answer import Answer
from multihop.lms.in_process.engine import AsyncModelEngine, ModelEngine

REQUEST = Request(model="m", messages=(Message.user("Which town?"),))


class Busy(ModelEngine):
    """A model whose answers take 50 seconds beside others, of which 2 are the call's."""

    def __init__(self):
        super().__init__({})
        self.now, self.worker = 0.0, self

    def call(self, request):
        return SimpleNamespace(future=Future(), seconds=0.0, on_text=None)

    def submit(self, call):
        asyncio.get_running_loop().call_soon(self.answer, call)

    def answer(self, call):
        self.now += 50
        call.seconds += 2
        if call.on_text is not None:
            call.on_text("Ulm")
        call.future.set_result(Answer("Ulm", "stop", 3, 0, 1, None))


async def whole(engine):
    return (await engine.complete(REQUEST)).text


async def streamed(engine):
    events = [event async for event in engine.stream(REQUEST)]
    return "".join(event.delta.text for event in events if event.type == "delta")


@pytest.mark.parametrize("ask", [whole, streamed])
def test_of_the_seconds_beside_other_calls_its_share_counts(ask):
    async def time_two():
        model = Busy()
        engine = AsyncModelEngine(model)
        with timing(lambda: model.now) as question:
            with timing(lambda: model.now) as first:
                assert await ask(engine) == "Ulm"
                of_one = first.seconds
            model.now += 7
            assert await ask(engine) == "Ulm"
        return of_one, question.seconds, model.now

    assert asyncio.run(time_two()) == (2, 2 + 7 + 2, 107)


def test_it_is_asked_where_nobody_measures_too():
    assert asyncio.run(whole(AsyncModelEngine(Busy()))) == "Ulm"
