"""Values made in batches, kept for the keys that were asked for last."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from threading import Lock
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class BatchCache(Generic[Key, Value]):
    """Values by their key; those that were asked for longest ago are forgotten.

    Safe to be asked by several threads. Pickled, it is empty.

    Examples:
        >>> from multihop.base.batch_cache import BatchCache
        >>> squares = BatchCache(size=100)
        >>> squares.get([2, 3, 2], lambda numbers: [number * number for number in numbers])
        [4, 9, 4]
    """

    def __init__(self, size: int) -> None:
        """Nothing is kept yet, and at most `size` values ever are."""
        self._size = size
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = Lock()

    def get(self, keys: Sequence[Key], make: Callable[[list[Key]], Sequence[Value]]) -> list[Value]:
        """The values in the order of the keys; `make` is asked at most once, for each key that is not known."""
        with self._lock:
            known = {key: self._values[key] for key in keys if key in self._values}
        missing = [key for key in dict.fromkeys(keys) if key not in known]
        if missing:
            known.update(zip(missing, make(missing), strict=True))
        with self._lock:
            for key in known:
                self._values[key] = known[key]
                self._values.move_to_end(key)
            while len(self._values) > self._size:
                self._values.popitem(last=False)
        return [known[key] for key in keys]

    def __reduce__(self) -> Any:
        return BatchCache, (self._size,)
