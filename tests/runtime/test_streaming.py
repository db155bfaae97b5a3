import asyncio
from types import SimpleNamespace

import anyio
import dspy
import pytest
from time_limit import in_loop, in_notebook
from toys import Fan, Guess, echo

from multihop.lms import scripted
from multihop.runtime import Program, run_in_background
from multihop.runtime.streaming import ChunkOrder, StreamRelay


class Saying(dspy.streaming.StatusMessageProvider):
    def lm_start_status_message(self, instance, inputs):
        return "asking"


WORDS = " ".join(f"w{number}" for number in range(40))
"""More than the sixteen places of DSPy's stream."""


@pytest.mark.parametrize("is_async_program", [False, True])
def test_more_messages_at_once_than_the_stream_holds(is_async_program):
    stream = dspy.streamify(Fan(), status_message_provider=Saying(), is_async_program=is_async_program)

    async def collect():
        with dspy.context(lm=scripted(echo)):
            return [each async for each in stream(question=WORDS)]

    *said, prediction = in_loop(collect)
    assert prediction.answer == WORDS
    assert sum(isinstance(each, dspy.streaming.StatusMessage) for each in said) == 41


def test_each_answer_is_heard_whole_though_all_are_given_at_once():
    program = Fan()
    listener = dspy.streaming.StreamListener("answer", predict=program.guess, predict_name="guess", allow_reuse=True)
    stream = dspy.streamify(program, stream_listeners=[listener])

    def reply(prompt):
        word = prompt.inputs.get("question")
        return {"answer": f"{word} is what was asked" if word else "done"}

    async def collect():
        with dspy.context(lm=scripted(reply)):
            return [each async for each in stream(question="a b c")]

    *chunks, prediction = in_loop(collect)
    heard = "".join(chunk.chunk + "/" * chunk.is_last_chunk for chunk in chunks)
    # Which of the three is first is not promised; that each is whole is.
    assert sorted(heard.split("/")) == ["", *(f"{word} is what was asked" for word in "abc")]
    assert prediction.answer == "done"


@pytest.mark.parametrize("is_async_program", [False, True])
def test_a_program_that_nobody_listens_to_any_more_stops(is_async_program):
    class Long(Program):
        retrieves = False

        def __init__(self):
            super().__init__()
            self.guess = dspy.Predict(Guess)

        async def aforward(self, question):
            for _ in range(1000):
                await self.ask(self.guess, question=question)

    lm = scripted(echo, latency=0.01)
    stream = dspy.streamify(Long(), is_async_program=is_async_program)

    async def listen(heard):
        with dspy.context(lm=lm):
            async for _ in stream(question="q"):
                heard.set()

    async def leave():
        heard = asyncio.Event()
        listening = asyncio.create_task(listen(heard))
        await heard.wait()
        listening.cancel()  # as a server does when its client hangs up
        await asyncio.wait([listening])
        assert listening.cancelled()
        before = None
        while before != len(lm.engine.prompts):  # ends when no call has come for a while
            before = len(lm.engine.prompts)
            await asyncio.sleep(0.1)
        return before

    assert in_loop(leave) < 100


def test_an_error_reaches_the_listener_as_it_is():
    class Broken(Fan):
        async def aforward(self, question):
            await super().aforward(question)
            raise OSError("disk")

    async def collect():
        with dspy.context(lm=scripted(echo)):
            return [each async for each in dspy.streamify(Broken())(question="a b")]

    with pytest.raises(OSError, match="disk"):
        in_loop(collect)


class Outer(dspy.Module):
    """A module of one's own, which calls a program synchronously, in one way or the other."""

    def __init__(self, way):
        super().__init__()
        self.inner, self.way = Fan(), way

    def forward(self, question):
        return self.way(self.inner, question)

    async def aforward(self, question):
        return self.forward(question)


def at_once(program, question):
    return program(question=question)


def in_threads(program, question):
    return dspy.Parallel(num_threads=2, disable_progress_bar=True)([(program, {"question": question})] * 2)[0]


@pytest.mark.parametrize(("way", "is_async_program"), [(at_once, True), (in_threads, False)])
def test_a_program_inside_a_module_that_streams(way, is_async_program):
    stream = dspy.streamify(Outer(way), is_async_program=is_async_program)

    async def collect():
        with dspy.context(lm=scripted(echo)):
            return [each async for each in stream(question=WORDS)]

    assert in_loop(collect)[-1].answer == WORDS


def test_a_stream_in_a_cell_of_a_notebook():
    with dspy.context(lm=scripted(echo)):
        *chunks, prediction = in_notebook(lambda: list(dspy.streamify(Fan(), async_streaming=False)(question=WORDS)))
    assert prediction.answer == WORDS
    assert sum(bool(chunk.choices[0].finish_reason) for chunk in chunks) == 41


def test_what_is_sent_arrives_in_order_and_is_received_before_the_flush_ends():
    async def main():
        stream, received = anyio.create_memory_object_stream(2)
        relay = StreamRelay(stream, asyncio.get_running_loop())

        async def elsewhere():
            for number in range(50):
                await relay.send(number)
            await relay.flush()
            return "flushed"

        said = asyncio.create_task(asyncio.to_thread(run_in_background, elsewhere()))
        heard = [await received.receive() for _ in range(48)]
        assert await said == "flushed"
        return heard + [received.receive_nowait() for _ in range(2)]

    assert in_loop(main) == list(range(50))


def chunk(text, end=False, step=1):
    return SimpleNamespace(predict_id=step, text=text, choices=[SimpleNamespace(finish_reason="stop" if end else None)])


MESSAGE = SimpleNamespace(text="working")
ACCOUNT = SimpleNamespace(predict_id=1, choices=[], text="usage")


@pytest.mark.parametrize(
    ("said", "heard", "left"),
    [
        (
            [
                ("a", chunk("a1")),
                ("b", chunk("b1")),
                ("c", chunk("c1", end=True)),
                ("b", chunk("b2")),
                ("a", chunk("a2", end=True)),
                ("b", chunk("b3", end=True)),
                ("a", chunk("a3", end=True)),
            ],
            ["a1", "a2", "b1", "b2", "b3", "c1", "a3"],
            [],
        ),
        ([("a", chunk("a1")), ("b", chunk("b1", step=2)), ("a", chunk("a2"))], ["a1", "b1", "a2"], []),
        ([("a", chunk("a1")), ("b", MESSAGE), ("b", ACCOUNT), ("b", chunk("b1"))], ["a1", "working", "usage"], ["b1"]),
        ([("a", chunk("a1")), ("b", chunk("b1")), ("c", chunk("c1")), ("b", chunk("b2"))], ["a1"], ["b1", "b2", "c1"]),
    ],
)
def test_one_call_of_a_step_is_heard_after_the_other_and_what_never_ended_is_not_lost(said, heard, left):
    order = ChunkOrder()
    assert [each.text for call, value in said for each in order.take(call, value)] == heard
    assert [each.text for each in order.rest()] == left
    assert [each.text for each in order.take("d", chunk("d1"))] == ["d1"]
