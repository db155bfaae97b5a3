"""Models that are open in this process: several LMs of one model share its weights and its worker."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any
from weakref import finalize

_open: dict[Hashable, list[Any]] = {}
"""Each open model's worker, once for every engine that shares it."""
_opening = threading.RLock()  # a garbage collection while a model is opened may release another


def share(engine: Any, key: Hashable, make: Callable[[], Any]) -> Any:
    """The worker of that key, made if nobody has it open; it is closed with the last engine that shares it."""
    with _opening:
        sharers = _open.setdefault(key, [])
        sharers.append(sharers[0] if sharers else make())
        worker = sharers[-1]
    finalize(engine, _release, key)
    return worker


def _release(key: Hashable) -> None:
    """One engine less: the last one closes the model."""
    with _opening:
        worker = _open[key].pop()
        if _open[key]:
            return
        del _open[key]
    worker.close()
