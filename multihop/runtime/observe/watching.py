"""What is done ahead of being asked for, and is neither logged nor told to DSPy's callbacks before that."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_out_of_sight: ContextVar[bool] = ContextVar("multihop_out_of_sight", default=False)


def is_out_of_sight() -> bool:
    """True inside such a block as `out_of_sight` makes."""
    return _out_of_sight.get()


@contextmanager
def out_of_sight() -> Iterator[None]:
    """A block whose steps and retrievals are watched only when they are asked for: they are done ahead of that."""
    outer = _out_of_sight.set(True)
    try:
        yield
    finally:
        _out_of_sight.reset(outer)
