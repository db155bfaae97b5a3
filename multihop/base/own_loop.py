"""Work that waits, done for somebody who does not."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

Result = TypeVar("Result")


def run_in_own_loop(work: Callable[..., Coroutine[Any, Any, Result]], *arguments: Any) -> Result:
    """Run the coroutine function under the caller's context variables, and return its result.

    It gets an event loop of its own in a thread of its own, since the caller's thread may be running one already.

    Examples:
        >>> from multihop.base.own_loop import run_in_own_loop
        >>> async def double(number):
        ...     return 2 * number
        >>> run_in_own_loop(double, 4)
        8
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(copy_context().run, asyncio.run, work(*arguments)).result()
