"""The thread that computes the calls of one model, and the calls that wait for it."""

import threading
from collections import deque

from ...base import RunFailed
from .answer import Call
from .model import Model


class CallWorker:
    """A model's thread; a subclass says what runs in it."""

    model: Model
    """The model."""
    context: int
    """Tokens that a prompt and its answer may have together."""

    def __init__(self) -> None:
        """Nothing runs yet: a subclass calls `start` when all is there that its thread needs."""
        self._waiting: deque[Call] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self.run, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.name = f"multihop {self.model.path.name}"
        self._thread.start()

    def run(self) -> None:
        """Compute the calls that wait until the worker is closed; then end them, and give the memory back."""
        raise NotImplementedError

    def submit(self, call: Call) -> None:
        """Have the call computed; its future tells the answer."""
        with self._changed:
            if self._closed:
                raise RunFailed(f"{self.model.path.name} is closed.")
            self._waiting.append(call)
            self._changed.notify()

    def close(self) -> None:
        """End the thread and give the memory back; calls that are under way are cancelled."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join()
