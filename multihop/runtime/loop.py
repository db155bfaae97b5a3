"""One background event loop on which synchronous callers run asynchronous programs.

DSPy's `Evaluate` and every optimizer call programs synchronously, from many threads. One shared loop lets them
all use the same asynchronous code, the same connections and the same batches of queries.
"""

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from ..base import InputError

Result = TypeVar("Result")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def run_in_background(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """The coroutine's result, computed on the shared loop in a copy of the caller's context.

    Examples:
        >>> import asyncio
        >>> from multihop.runtime import run_in_background
        >>> run_in_background(asyncio.sleep(0, "done"))
        'done'
    """
    loop = _background_loop()
    if running_loop() is loop:
        coroutine.close()
        raise InputError("a program was called synchronously inside another program; await its acall() instead.")
    future = asyncio.run_coroutine_threadsafe(coroutine, loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _background_loop() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="multihop", daemon=True).start()
        return _loop


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The event loop that this thread is running, if there is one."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _forget_loop() -> None:
    """A forked child has the loop object but not the thread that ran it."""
    global _loop, _lock
    _loop, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_loop)
