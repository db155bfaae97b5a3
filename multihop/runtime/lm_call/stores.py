"""Stores of answered calls: who asks for what is being asked already waits for it, and finds it kept."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol
from weakref import WeakKeyDictionary, WeakValueDictionary

import dspy

from ..cost.bill import CachedCall


class Store(Protocol):
    """A store of calls, of this process or of another."""

    def turn(self, key: str) -> AbstractAsyncContextManager[CachedCall | None]:
        """The call, if it was made before. If not, who asks for the same meanwhile waits until the block ends."""
        ...

    async def keep(self, key: str, call: CachedCall) -> None:
        """Keep the call, before the turn ends."""
        ...


class Calls(Protocol):
    """Calls by key, such as those on a bill."""

    def get(self, key: str) -> CachedCall | None:
        """The call, if it was made before."""
        ...

    def put(self, key: str, call: CachedCall) -> None:
        """Keep the call."""
        ...


class LocalStore:
    """A store of this process."""

    def __init__(self, calls: Calls, *, on_disk: bool = False) -> None:
        """The store of these calls; a disk is read and written beside the event loop."""
        self._calls, self._on_disk = calls, on_disk

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[CachedCall | None]:
        """The call, if it was made before, as `Store.turn` gives it."""
        locks = _locks.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
        lock = locks.setdefault(key, asyncio.Lock())  # it is there for as long as somebody holds it or waits for it
        async with lock:
            yield await asyncio.to_thread(self._calls.get, key) if self._on_disk else self._calls.get(key)

    async def keep(self, key: str, call: CachedCall) -> None:
        """Keep the call."""
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
    """DSPy's cache as it is configured, with our key: its folder, its size and its switches apply."""

    def get(self, key: str) -> CachedCall | None:
        """The call, if it was made before."""
        call: CachedCall | None = dspy.cache.get({"multihop": key})
        return call

    def put(self, key: str, call: CachedCall) -> None:
        """Keep the call."""
        dspy.cache.put({"multihop": key}, call)


_locks: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[str, asyncio.Lock]] = WeakKeyDictionary()
