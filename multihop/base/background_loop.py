"""An event loop in a thread of its own, for synchronous callers."""

import asyncio
import os
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

Result = TypeVar("Result")


class BackgroundLoop:
    """One loop that all threads share; it begins with the first work."""

    _loop: asyncio.AbstractEventLoop | None
    _lock: threading.Lock

    def __init__(self, name: str) -> None:
        """Nothing runs yet; the thread will bear the name."""
        self._name = name
        self._forget()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The coroutine's result, computed on the loop in a copy of the caller's context."""
        future = asyncio.run_coroutine_threadsafe(work, self._begun())
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def is_here(self) -> bool:
        """True where the caller runs on this loop, and so must not wait for it."""
        return self._loop is not None and running_loop() is self._loop

    def _begun(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=_serve, args=(self._loop,), name=self._name, daemon=True).start()
            return self._loop

    def _forget(self) -> None:
        """A forked child has the loop but not the thread that ran it."""
        self._loop = None
        self._lock = threading.Lock()


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The event loop that this thread is running, if there is one."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    while True:
        with suppress(KeyboardInterrupt, SystemExit):  # raised by work, these end a run before they reach who asked
            loop.run_forever()
