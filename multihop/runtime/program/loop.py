"""One background event loop on which synchronous callers run asynchronous programs.

DSPy's `Evaluate` and every optimizer call programs synchronously, from many threads. One shared loop lets them
all use the same asynchronous code, the same connections and the same batches of queries.
"""

from collections.abc import Coroutine
from typing import Any, TypeVar

from ...base import InputError
from ...base.background_loop import BackgroundLoop

Result = TypeVar("Result")

_loop = BackgroundLoop("multihop")


def run_in_background(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """The coroutine's result, computed on the shared loop in a copy of the caller's context.

    Examples:
        >>> import asyncio
        >>> from multihop.runtime import run_in_background
        >>> run_in_background(asyncio.sleep(0, "done"))
        'done'
    """
    if _loop.is_here():
        coroutine.close()
        raise InputError("a program was called synchronously inside another program; await its acall() instead.")
    return _loop.run(coroutine)
