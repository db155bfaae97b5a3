import asyncio
import threading
from contextvars import ContextVar

import pytest
from time_limit import in_loop, in_notebook

from multihop.retrieval.own_loop import run_in_own_loop

NAME = ContextVar("NAME", default="nobody")


async def tell(greeting):
    await asyncio.sleep(0)
    return f"{greeting} {NAME.get()}"


def test_it_works_with_and_without_a_loop_around_it():
    async def inside():
        NAME.set("Ada")
        return run_in_own_loop(tell, "hello")

    assert in_notebook(lambda: run_in_own_loop(tell, "hello")) == "hello nobody"
    assert in_loop(inside) == "hello Ada"


def test_an_error_comes_through():
    async def fail():
        raise KeyError("x")

    with pytest.raises(KeyError):
        run_in_own_loop(fail)


def test_calls_share_a_thread_and_a_loop():
    async def place():
        return threading.get_ident(), asyncio.get_running_loop()

    assert run_in_own_loop(place) == run_in_own_loop(place)
    assert run_in_own_loop(place)[0] != threading.get_ident()


def test_work_on_the_loop_may_ask_for_more():
    async def ask():
        NAME.set("Ada")
        return run_in_own_loop(tell, "hello")

    assert run_in_own_loop(ask) == "hello Ada"
