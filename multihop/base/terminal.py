"""A console on which texts are texts: only what draws them commands the terminal."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from .visible import visible


class Terminal(Console):
    r"""Rich's console, with control characters in what is printed made visible.

    Examples:
        >>> import sys
        >>> from multihop.base.terminal import Terminal
        >>> Terminal(file=sys.stdout, width=40).print("\x1b[2J Toruń", markup=False)
        ␛[2J Toruń
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of something to be printed."""
        for segment in super().render(renderable, options):
            text = segment.text
            if segment.control or text.isprintable() or (shown := visible(text)) == text:
                yield segment
            else:
                yield Segment(shown, segment.style)
