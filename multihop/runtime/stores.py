"""Stores of answered calls: who asks for what is being asked already waits for it, and finds it kept."""

import asyncio
import logging
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Protocol
from weakref import WeakKeyDictionary, WeakValueDictionary

import dspy
import ujson

from ..base.files import others_can_write
from .bill import CachedCall

_log = logging.getLogger(__name__)


class Calls(Protocol):
    """Calls by key, such as those on a bill."""

    def get(self, key: str) -> CachedCall | None:
        """The call, if it was made before."""
        ...

    def put(self, key: str, call: CachedCall) -> None:
        """Keep the call."""
        ...


class Store:
    """A store of calls."""

    def __init__(self, calls: Calls, *, on_disk: bool = False) -> None:
        """The store of these calls; a disk is read and written beside the event loop."""
        self._calls, self._on_disk = calls, on_disk

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[CachedCall | None]:
        """The call, if it was made before. If not, who asks for the same meanwhile waits until the block ends."""
        locks = _locks.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
        lock = locks.setdefault(key, asyncio.Lock())  # it is there for as long as somebody holds it or waits for it
        async with lock:
            yield await asyncio.to_thread(self._calls.get, key) if self._on_disk else self._calls.get(key)

    async def keep(self, key: str, call: CachedCall) -> None:
        """Keep the call, before the turn ends."""
        if self._on_disk:
            await asyncio.to_thread(self._calls.put, key, call)
        else:
            self._calls.put(key, call)


class Memory:
    """Calls in memory."""

    def __init__(self) -> None:
        self._calls: dict[str, CachedCall] = {}

    def get(self, key: str) -> CachedCall | None:
        """The call, if it was made before."""
        return self._calls.get(key)

    def put(self, key: str, call: CachedCall) -> None:
        """Keep the call; the oldest makes room."""
        if len(self._calls) >= 100_000:
            self._calls.pop(next(iter(self._calls)), None)
        self._calls[key] = call


class DSPyCache:
    """DSPy's cache as it is configured, with our key: its folder, its size and its switches apply.

    DSPy reads what is in the folder with pickle, which runs what it finds. So a folder that other users of the machine
    can write to is not read: calls are kept in memory, and a warning says so, once. What we put there is JSON.
    """

    def __init__(self) -> None:
        self._instead = Memory()
        self._looked_at: dict[str, bool] = {}

    def get(self, key: str) -> CachedCall | None:
        """The call, if it was made before; what cannot be read was not."""
        if self._is_open_to_others():
            return self._instead.get(key)
        try:
            kept = dspy.cache.get({"multihop": key})
            call = ujson.loads(kept) if isinstance(kept, str) else kept
        except Exception as error:  # whatever a damaged file makes of pickle, the database or the disk
            _log.info("a kept answer cannot be read, so the LM is asked: %s", type(error).__name__)
            return None
        return call if _is_call(call) else None

    def put(self, key: str, call: CachedCall) -> None:
        """Keep the call."""
        if self._is_open_to_others():
            self._instead.put(key, call)
        else:
            dspy.cache.put({"multihop": key}, ujson.dumps(call, ensure_ascii=False, escape_forward_slashes=False))

    def _is_open_to_others(self) -> bool:
        folder = dspy.cache.disk_cache_dir if dspy.cache.enable_disk_cache else None
        if folder is None:
            return False
        if folder not in self._looked_at:
            self._looked_at[folder] = others_can_write(folder)
            if self._looked_at[folder]:
                warnings.warn(
                    f"other users can write to {folder}, so that kept answers are not taken from it: make it yours "
                    f"alone (chmod -R go-w {folder}), or name another folder in DSPY_CACHEDIR.",
                    stacklevel=2,
                )
        return self._looked_at[folder]


def _is_call(value: Any) -> bool:
    """True if it has what a kept call has."""
    if not isinstance(value, dict):
        return False
    outputs, tokens = value.get("outputs", ()), value.get("tokens")
    if not (isinstance(outputs, list | None) and isinstance(tokens, list | tuple)):
        return False
    return len(tokens) in (3, 5) and all(isinstance(number, int) for number in tokens)


_locks: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[str, asyncio.Lock]] = WeakKeyDictionary()
