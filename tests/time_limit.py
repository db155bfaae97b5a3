"""Work that must end: what hangs fails its test instead of stopping all of them."""

import asyncio
import contextvars
import threading

import pytest

LIMIT = 60.0
"""Seconds; far more than any of it takes on a busy machine."""


def in_script(work):
    """What `work` returns, called with no event loop around it."""
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
    """What `work` returns, called synchronously where an event loop runs already, as in a notebook's cell."""

    async def cell():
        return work()

    return in_script(lambda: asyncio.run(cell()))


def in_loop(work):
    """What the coroutine function `work` returns."""
    return in_script(lambda: asyncio.run(work()))
