"""Places names in a plot, so that they hide the least of what is drawn."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

LONGEST_NAME = 26
"""Letters of a name that are shown."""
LINE, LETTER = 13.0, 6.1
"""The height and the width of the letters of a name."""
PARTS = 8
"""Into so many the line between two marks is divided, where names keep off it."""
BESIDE = ((11, 4, "start"), (-11, 4, "end"), (9, 17, "start"), (9, -9, "start"), (-9, -9, "end"), (-9, 17, "end"))
"""The places that a name may have beside its mark, the best first; further ones are above and below its interval."""

NamedPlace = tuple[str, float, float, float, float]
"""A name, its mark's places to the right and down, and where the interval ends above and below."""
Label = tuple[float, float, str]
"""The place of a name: to the right, down, and which end of it is there."""


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: "_Box") -> float:
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, across) * max(0.0, down)


def place_names(
    marks: Sequence[NamedPlace],
    lines: Sequence[Sequence[tuple[float, float]]],
    *,
    within: tuple[float, float, float, float],
) -> list[Label]:
    """Each name beside its mark, where it hides the least of the other marks, their intervals, lines and names."""
    drawn = [_Box(x - 6, y - 6, x + 6, y + 6) for _, x, y, _, _ in marks]
    drawn += [_Box(x - 1, high, x + 1, low) for _, x, _, high, low in marks]
    for line in lines:
        for (x, y), (end, bottom) in pairwise(line):
            for part in range(1, PARTS):
                at = x + (end - x) * part / PARTS, y + (bottom - y) * part / PARTS
                drawn.append(_Box(at[0] - 3, at[1] - 3, at[0] + 3, at[1] + 3))
    page, labels = _Box(*within), []
    for name, right_of, down_of, high, low in marks:
        width = LETTER * len(name)
        places = []
        beyond = ((0, high - 6 - down_of, "middle"), (0, low + LINE - down_of, "middle"))
        for right, down, anchor in (*BESIDE, *beyond):
            x, y = right_of + right, down_of + down
            left = x - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
            box = _Box(left, y - LINE + 2, left + width, y + 2)
            hidden = sum(box.overlap(each) for each in drawn) + width * LINE - box.overlap(page)
            places.append((round(hidden), (round(x, 1), round(y, 1), anchor), box))
        _, label, box = min(places, key=lambda each: each[0])
        labels.append(label)
        if name:
            drawn.append(box)
    return labels
