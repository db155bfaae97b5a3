import asyncio
from types import SimpleNamespace

import dspy
import pytest
from shelf import slow
from time_limit import in_loop, in_notebook
from toys import Fan, Steps, echo

from multihop.lms import scripted
from multihop.runtime.streaming import ChunkOrder


class Saying(dspy.streaming.StatusMessageProvider):
    def lm_start_status_message(self, instance, inputs):
        return "asking"


WORDS = " ".join(f"w{number}" for number in range(40))
"""More than the sixteen places of DSPy's stream."""


def collected(stream, question=WORDS, answers=echo):
    async def collect():
        with dspy.context(lm=scripted(answers)):
            return [each async for each in stream(question=question)]

    return in_loop(collect)


@pytest.mark.parametrize("is_async_program", [False, True])
def test_more_messages_at_once_than_the_stream_holds(is_async_program):
    stream = dspy.streamify(Fan(), status_message_provider=Saying(), is_async_program=is_async_program)
    *said, prediction = collected(stream)
    assert prediction.answer == WORDS
    assert sum(isinstance(each, dspy.streaming.StatusMessage) for each in said) == 41


def test_each_answer_is_heard_whole_though_all_are_given_at_once():
    program = Fan()
    listener = dspy.streaming.StreamListener("answer", predict=program.guess, predict_name="guess", allow_reuse=True)
    stream = dspy.streamify(program, stream_listeners=[listener])

    def reply(prompt):
        word = prompt.inputs.get("question")
        return {"answer": f"{word} is what was asked" if word else "done"}

    *chunks, prediction = collected(stream, "a b c", reply)
    heard = "".join(chunk.chunk + "/" * chunk.is_last_chunk for chunk in chunks)
    # Which of the three is first is not promised; that each is whole is.
    assert sorted(heard.split("/")) == ["", *(f"{word} is what was asked" for word in "abc")]
    assert prediction.answer == "done"


@pytest.mark.parametrize("is_async_program", [False, True])
def test_a_program_that_nobody_listens_to_any_more_stops(is_async_program):
    lm = slow(scripted(echo), 0.01)
    stream = dspy.streamify(Steps(rounds=1000), is_async_program=is_async_program)

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

    with pytest.raises(OSError, match="disk"):
        collected(dspy.streamify(Broken()))


class Outer(dspy.Module):
    """A module of one's own, which calls a program synchronously, in one way or the other."""

    def __init__(self, in_threads):
        super().__init__()
        self.inner, self.in_threads = Fan(), in_threads

    def forward(self, question):
        if self.in_threads:
            pairs = [(self.inner, {"question": question})] * 2
            return dspy.Parallel(num_threads=2, disable_progress_bar=True)(pairs)[0]
        return self.inner(question=question)

    async def aforward(self, question):
        return self.forward(question)


@pytest.mark.parametrize("in_threads", [False, True])
def test_a_program_inside_a_module_that_streams(in_threads):
    stream = dspy.streamify(Outer(in_threads), is_async_program=not in_threads)
    assert collected(stream)[-1].answer == WORDS


def test_a_stream_in_a_cell_of_a_notebook():
    with dspy.context(lm=scripted(echo)):
        *chunks, prediction = in_notebook(lambda: list(dspy.streamify(Fan(), async_streaming=False)(question=WORDS)))
    assert prediction.answer == WORDS
    assert sum(bool(chunk.choices[0].finish_reason) for chunk in chunks) == 41


def said(word):
    """What a call says: its letter, where a capital is one of another step, and a number; with a dot it is the last."""
    reason = "stop" if word.endswith(".") else None
    return SimpleNamespace(predict_id=word[0].isupper(), text=word, choices=[SimpleNamespace(finish_reason=reason)])


@pytest.mark.parametrize(
    ("words", "heard", "left"),
    [
        ("a1 b1 c1. b2 a2. b3. a3.", "a1 a2. b1 b2 b3. c1. a3.", ""),
        ("a1 B1 a2", "a1 B1 a2", ""),
        ("a1 b1 c1 b2", "a1", "b1 b2 c1"),
    ],
)
def test_one_call_of_a_step_is_heard_after_the_other_and_what_never_ended_is_not_lost(words, heard, left):
    order = ChunkOrder()
    assert [each.text for word in words.split() for each in order.take(word[0], said(word))] == heard.split()
    assert [each.text for each in order.rest()] == left.split()
    assert [each.text for each in order.take("d", said("d1"))] == ["d1"]
