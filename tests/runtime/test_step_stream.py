import asyncio
from contextlib import aclosing

import dspy
import pytest
from never_ending import never_ending
from time_limit import in_loop, in_notebook
from toys import FakeRetriever, Fan, Steps, echo

from multihop import OneStep, scripted
from multihop.runtime import listening


async def collect(stream):
    return [item async for item in stream]


def streamed(program, question, lm):
    with dspy.context(lm=lm):
        return in_loop(lambda: collect(program.stream(question)))


def test_a_step_comes_as_the_trajectory_has_it_with_its_path_and_the_prediction_comes_last():
    first, second, read, prediction = streamed(Fan(), "a b", scripted(echo))
    guesses = sorted([first, second], key=lambda step: step["path"])
    assert guesses == [
        {"step": "guess", "inputs": {"question": "a"}, "outputs": {"answer": "a"}, "path": [1]},
        {"step": "guess", "inputs": {"question": "b"}, "outputs": {"answer": "b"}, "path": [2]},
    ]
    assert read == {"step": "read", "inputs": {"passages": ["a", "b"]}, "outputs": {"answer": "a b"}, "path": []}
    assert prediction.answer == "a b"
    assert prediction.cost["calls"] == 3
    assert [step["step"] for step in prediction.trajectory] == ["branches", "read"]
    assert "path" not in prediction.trajectory[-1]


def test_what_goes_wrong_is_raised_after_the_last_step():
    program, heard = OneStep(FakeRetriever()), []

    async def listen():
        async for item in program.stream("q"):
            heard.append(item["step"])

    with dspy.context(lm=scripted([OSError("disk")])), pytest.raises(Exception, match="disk") as caught:
        in_loop(listen)
    assert heard == ["find"]
    assert [step["step"] for step in caught.value.trajectory] == ["find", "answer"]


def test_a_question_that_is_none_is_refused_by_the_first_item():
    with pytest.raises(ValueError, match="the question is empty"):
        streamed(Fan(), " ", scripted(echo))


async def leave_by_break(stream, begun):
    async for _ in stream:
        await begun.wait()
        break


async def leave_by_closing(stream, begun):
    async with aclosing(stream):
        await anext(stream)
        await begun.wait()


async def leave_by_cancelling(stream, begun):
    task = asyncio.create_task(collect(stream))
    await begun.wait()
    task.cancel()


@pytest.mark.at_once
@pytest.mark.parametrize("leave", [leave_by_break, leave_by_closing, leave_by_cancelling])
def test_who_leaves_cancels_all_calls_of_the_question(leave):
    lm, engine = never_ending(lambda prompt: {"answer": "x"} if "question" in prompt.inputs else "")

    async def main():
        with dspy.context(lm=lm):
            await leave(Steps(rounds=1).stream("q"), engine.begun)
            await engine.cancelled.wait()

    in_loop(main)
    assert engine.under_way == 0


class Told(dspy.Module):
    """A module of one's own, which follows a program's steps and counts them."""

    program = Fan()

    async def aforward(self, question):
        *steps, prediction = await collect(self.program.stream(question))
        return dspy.Prediction(answer=prediction.answer, steps=len(steps))


def test_inside_streamify_tokens_and_steps_both_come():
    listener = dspy.streaming.StreamListener("answer", predict=Told.program.read, predict_name="read")
    stream = dspy.streamify(Told(), stream_listeners=[listener], is_async_program=True)
    with dspy.context(lm=scripted(echo)):
        *chunks, prediction = in_loop(lambda: collect(stream(question="one two three")))
    assert "".join(chunk.chunk for chunk in chunks) == "one two three"
    assert (prediction.answer, prediction.steps) == ("one two three", 4)


def test_a_program_that_streams_is_heard_by_who_listens_around_it():
    heard = []
    with listening(heard.append):
        *steps, _ = in_notebook(lambda: streamed(Fan(), "a", scripted(echo)))
    assert heard == steps
