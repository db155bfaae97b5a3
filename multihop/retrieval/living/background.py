"""Work that goes on while nobody waits for it."""

from collections.abc import Callable
from threading import Lock, Thread
from typing import Any


class Background:
    """At most one piece of work at a time, in a thread of its own; a process ends once it is done.

    It is not pickled with what works.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._thread: Thread | None = None

    def start(self, work: Callable[[], None]) -> None:
        """Begin with the work, unless some is under way."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=work, name="multihop-background")
                self._thread.start()

    def wait(self) -> None:
        """Wait until no work is under way."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join()

    def __reduce__(self) -> Any:
        return Background, ()
