"""An adapter that says only how to call an LM synchronously, made to do so for programs that are asynchronous.

`dspy.Refine` hands its advice to a program through such an adapter, and adapters of one's own often have no `acall`:
DSPy would then take the inherited one, and what the adapter adds would be lost without a word.
"""

import copy
import functools
from typing import Any

import anyio.to_thread
import dspy


def awaitable(adapter: dspy.Adapter | None) -> dspy.Adapter | None:
    """The adapter itself, or, where it has a `__call__` of its own and no `acall`, a copy that calls it in a thread."""
    if adapter is None or _depth(type(adapter), "acall") <= _depth(type(adapter), "__call__"):
        return adapter
    twin = copy.copy(adapter)
    twin.__class__ = _in_thread(type(adapter))  # type: ignore[arg-type]
    return twin


def _depth(kind: type, name: str) -> int:
    """The number of classes between this one and the one that defines the method."""
    return next((depth for depth, each in enumerate(kind.__mro__) if name in vars(each)), len(kind.__mro__))


@functools.lru_cache(maxsize=16)
def _in_thread(kind: Any) -> Any:
    async def acall(self: Any, *args: Any, **kwargs: Any) -> Any:
        call = functools.partial(self, *args, **kwargs)
        # A thread of anyio's, from which DSPy can stream.
        return await anyio.to_thread.run_sync(call, abandon_on_cancel=True)

    return type(kind.__name__, (kind,), {"acall": acall, "__module__": kind.__module__})
