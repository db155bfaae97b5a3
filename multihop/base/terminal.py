"""A console whose texts command no terminal, and blocks that mute the threads that print."""

import io
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from .texts import visible


class Terminal(Console):
    """Rich's console, with control characters in what is printed made visible."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of something to be printed."""
        for segment in super().render(renderable, options):
            text = segment.text
            if segment.control or text.isprintable() or (shown := visible(text)) == text:
                yield segment
            else:
                yield Segment(shown, segment.style)


@contextmanager
def muted(*, prints: bool = True, errors: bool = True) -> Iterator[None]:
    """A block whose thread, and those begun in it, write nothing to the terminal: DSPy's optimizers print and draw."""
    out, err = _Muted(sys.stdout) if prints else sys.stdout, _Muted(sys.stderr) if errors else sys.stderr
    with redirect_stdout(out), redirect_stderr(err):
        yield


class _Muted(io.TextIOBase):
    """Passes on what other threads write that were there before; never closed, since an optimizer's may outlive it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._others = frozenset(threading.enumerate()) - {threading.current_thread()}

    def write(self, text: str) -> int:
        return self._stream.write(text) if threading.current_thread() in self._others else len(text)

    def flush(self) -> None:
        self._stream.flush()
