"""Work that must end: what hangs fails its test instead of stopping all of them."""

import asyncio
import contextvars
import threading

import pytest

LIMIT = 60.0
"""Seconds; far more than any of it takes on a busy machine."""


def in_script(work):
    """The result of `work`, called with no event loop around it."""
    done = []

    def call():
        try:
            done.append((work(), None))
        except BaseException as error:
            done.append((None, error))

    thread = threading.Thread(target=contextvars.copy_context().run, args=(call,), daemon=True)
    thread.start()
    thread.join(LIMIT)
    if not done:
        pytest.fail(f"hung for {LIMIT:.0f} s")
    result, error = done[0]
    if error is not None:
        raise error
    return result


def in_notebook(work):
    """The result of `work`, called synchronously where an event loop runs already, as in a notebook's cell."""

    async def cell():
        return work()

    return in_script(lambda: asyncio.run(cell()))


def in_loop(work):
    """The result of the coroutine function `work`."""
    return in_script(lambda: asyncio.run(work()))


async def until(what):
    """Wait until something has become true in another task or thread."""
    async with asyncio.timeout(LIMIT):
        while not what():
            await asyncio.sleep(0.001)
