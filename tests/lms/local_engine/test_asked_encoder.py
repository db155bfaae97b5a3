import asyncio
import inspect
import types

import pytest

from multihop.lms.local_engine.asked_encoder import finish_now


@types.coroutine
def pause():
    yield


def test_a_coroutine_that_waits_is_refused_and_closed():
    async def wait():
        await pause()

    waiting = wait()
    with pytest.raises(RuntimeError, match="this coroutine waits for something"):
        finish_now(waiting)
    assert inspect.getcoroutinestate(waiting) == inspect.CORO_CLOSED


def test_an_error_of_the_coroutine_is_raised():
    async def fail():
        raise ValueError("no such passage")

    with pytest.raises(ValueError, match="no such passage"):
        finish_now(fail())


def test_it_needs_no_event_loop_and_works_inside_one():
    async def inner():
        return "done"

    async def outer():
        return finish_now(inner())

    assert asyncio.run(asyncio.wait_for(outer(), 5)) == "done"
