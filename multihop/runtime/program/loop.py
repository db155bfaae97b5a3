"""One background event loop on which synchronous callers run asynchronous programs.

DSPy's `Evaluate` and every optimizer call programs synchronously, from many threads. One shared loop lets them
all use the same asynchronous code, the same connections and the same batches of queries.
"""

from collections.abc import Coroutine
from typing import Any, TypeVar

import dspy

from ...base import InputError
from ...base.background_loop import BackgroundLoop
from ..lm_call.sync_adapter import awaitable
from ..observe.streaming import relayed

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


def settings_for_any_loop(*, blocks: bool = False) -> dict[str, Any]:
    """The stream and the adapter that DSPy is set to, made to work on an event loop other than the caller's.

    Args:
        blocks: True if the caller's thread waits until the program has answered.
    """
    stream, adapter = dspy.settings.send_stream, dspy.settings.adapter
    return {"send_stream": relayed(stream, blocks=blocks), "adapter": awaitable(adapter)}
