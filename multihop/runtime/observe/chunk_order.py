"""The chunks of calls that run at the same time, put one call after the other.

A `dspy.streaming.StreamListener` follows one step and takes its chunks for those of one call. Where a step is asked
several times at once, it would follow words of all answers mixed together, and see none of them.
"""

from collections.abc import Iterator
from typing import Any


class ChunkOrder:
    """Hands on the chunks of one call of a step at a time; those of other calls come once it has ended."""

    def __init__(self) -> None:
        self._current: dict[int, object] = {}
        self._waiting: dict[int, dict[object, list[Any]]] = {}

    def take(self, call: object, value: Any) -> Iterator[Any]:
        """Yield the chunks that may be handed on, now that the call has sent this one."""
        step, ends = getattr(value, "predict_id", None), _ends(value)
        if step is None or ends is None:
            yield value  # a status message, or an account at the end
            return
        if self._current.setdefault(step, call) is not call:
            self._waiting.setdefault(step, {}).setdefault(call, []).append(value)
            return
        yield value
        if ends:
            del self._current[step]
            yield from self._next(step)

    def rest(self) -> Iterator[Any]:
        """Yield the chunks that wait behind a call that never ended."""
        for step in list(self._waiting):
            for chunks in self._waiting.pop(step).values():
                yield from chunks
        self._current.clear()

    def _next(self, step: int) -> Iterator[Any]:
        """The chunks of the calls that wait, up to one that has not ended and comes next."""
        waiting = self._waiting.get(step, {})
        while waiting and step not in self._current:
            call = next(iter(waiting))
            chunks = waiting.pop(call)
            yield from chunks
            if not _ends(chunks[-1]):
                self._current[step] = call


def _ends(value: Any) -> bool | None:
    """True if the chunk is a call's last; None if it is no chunk of an answer."""
    choices = getattr(value, "choices", None)
    return any(getattr(choice, "finish_reason", None) for choice in choices) if choices else None
