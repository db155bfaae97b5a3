"""The loop for synchronous callers."""

import asyncio
import contextvars
import os
import threading

import pytest

from multihop.base import InputError
from multihop.runtime import run_in_background

pytestmark = pytest.mark.at_once

WORD = contextvars.ContextVar("word", default="unset")


async def word():
    await asyncio.sleep(0)
    return WORD.get()


async def loop():
    return asyncio.get_running_loop()


async def blocked():
    return run_in_background(word())


def test_all_callers_share_one_loop_and_each_brings_its_context():
    token = WORD.set("mine")
    assert run_in_background(word()) == "mine"
    WORD.reset(token)
    found = []
    threads = [threading.Thread(target=lambda: found.append(run_in_background(loop()))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1


def test_it_can_be_called_while_another_loop_runs_in_the_callers_thread_and_not_from_its_own():
    assert asyncio.run(blocked()) == "unset"
    with pytest.raises(InputError, match="await its acall"):
        run_in_background(blocked())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_gets_a_loop_of_its_own():
    run_in_background(word())
    child = os.fork()
    if child == 0:
        os._exit(0 if run_in_background(asyncio.sleep(0, True)) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
