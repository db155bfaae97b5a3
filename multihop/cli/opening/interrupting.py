"""Ctrl-C in the middle of work that the same command goes on with."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def resumable(kept: str) -> Iterator[None]:
    """A block after whose interruption the user is told what is kept, such as "runs/first keeps what is finished".

    An interruption that says more itself is left as it is.
    """
    try:
        yield
    except KeyboardInterrupt as interrupt:
        raise KeyboardInterrupt(str(interrupt) or f"interrupted; {kept}, the same command goes on.") from None
