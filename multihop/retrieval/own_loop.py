"""Runs a coroutine for a synchronous caller."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from ..base.background_loop import BackgroundLoop

Result = TypeVar("Result")

_loop = BackgroundLoop("multihop-waiting")


def run_in_own_loop(work: Callable[..., Coroutine[Any, Any, Result]], *arguments: Any) -> Result:
    """Run the coroutine function under the caller's context variables, and return its result.

    It runs on a loop in the background, since the caller's thread may be running one already; all callers share it.
    Work on that loop that calls this again gets one for itself, because the loop cannot wait for itself.
    """
    if not _loop.is_here():
        return _loop.run(work(*arguments))
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(copy_context().run, asyncio.run, work(*arguments)).result()
