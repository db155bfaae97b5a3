"""Figures in one line, as many and as full as its width allows."""

from collections.abc import Sequence
from typing import NamedTuple

from ..base.progress_line import APART, cells, cut


class Part(NamedTuple):
    """One figure of the line."""

    name: str
    """The figure's name, such as "em"; empty where the figure says so itself."""
    value: str
    """The figure in full."""
    short: str
    """Name and figure in fewer letters; empty where there are none, so that it is left out sooner."""
    rank: int
    """The higher, the sooner it is shortened and left out; 0 stays whatever happens."""

    @property
    def long(self) -> str:
        """Name and figure in full."""
        return f"{self.name} {self.value}" if self.name else self.value


def fit_line(parts: Sequence[Part], width: int) -> str:
    """The parts in one line no wider than `width`: shortened, and then left out, from the least important on.

    Examples:
        >>> from multihop.evaluation.fitted_line import Part, fit_line
        >>> parts = [Part("", "tor: done 5/9", "tor 5/9", 0), Part("em", "41.2±2.7", "em 41±3", 1),
        ...          Part("tokens", "12,400", "12.4k tokens", 2)]
        >>> for width in (40, 36, 24, 20, 8):
        ...     print(fit_line(parts, width))
        tor: done 5/9  em 41.2±2.7  12.4k tokens
        tor: done 5/9  em 41±3  12.4k tokens
        tor 5/9  em 41±3
        tor 5/9  em 41±3
        tor 5/9
    """
    shown = [part.long for part in parts]
    least_first = sorted(range(len(parts)), key=lambda place: -parts[place].rank)
    for place in (place for shorten in (True, False) for place in least_first if shorten or parts[place].rank):
        line = APART.join(filter(None, shown))
        if cells(line) <= width:
            return line
        shown[place] = parts[place].short if shown[place] == parts[place].long else ""
    return cut(APART.join(filter(None, shown)), width)
