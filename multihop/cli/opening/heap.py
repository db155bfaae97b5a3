"""The garbage collector, kept from what was there before."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def heap_at_rest() -> Iterator[None]:
    """A block in which the collector looks only at what has been made in it.

    DSPy and what it imports are a hundred thousand objects; to look through all of them, as Python does now and then,
    takes thirty to forty milliseconds in which nothing is answered. This is of the whole process, so a command may do
    it and a library may not. What somebody else had frozen before stays so.
    """
    frozen_before = gc.get_freeze_count()
    gc.freeze()
    try:
        yield
    finally:
        if not frozen_before:  # all that is frozen can only be freed together
            gc.unfreeze()
