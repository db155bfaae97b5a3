"""A command's own process: what it tells while it works, its heap, its imports, and a word at Ctrl-C."""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from ..base.errors import hide_secrets
from ..base.imports import is_reference
from ..base.terminal import Terminal
from ..base.texts import cut, visible


def tell_user(message: str) -> None:
    """One line on the error stream."""
    sys.stderr.write(f"multihop: {visible(' '.join(hide_secrets(message).split()))}\n")


def working(what: str) -> AbstractContextManager[Any]:
    """A spinner on a terminal while something takes its time; nothing elsewhere."""
    console = Terminal(stderr=True)
    return console.status(cut(f"{what} …", console.width - 2))


def importable_from_here(*names: str | None) -> None:
    """Let modules of the current folder be imported, if any of the names is written MODULE:NAME."""
    here = os.getcwd()
    if here not in sys.path and any(name is not None and is_reference(name) for name in names):
        sys.path.insert(0, here)


@contextmanager
def resumable(kept: str) -> Iterator[None]:
    """A block after whose interruption the user is told what is kept, such as "runs/first keeps what is finished".

    An interruption that says more itself is left as it is.
    """
    try:
        yield
    except KeyboardInterrupt as interrupt:
        raise KeyboardInterrupt(str(interrupt) or f"interrupted; {kept}, the same command goes on.") from None


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
