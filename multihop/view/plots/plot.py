"""A plot as plain values: marks with intervals, lines between them, scales, and names that hide nothing."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, NotRequired, TypedDict

from .names import LONGEST_NAME, place_names
from .scales import Scale, tick_text

PLOT_WIDTH, PLOT_HEIGHT = 460, 260
LEFT, RIGHT, TOP, BOTTOM = 44, 84, 14, 38
"""Room around the drawing, for the axes and the names."""
TICKS_APART = 22.0
"""The least distance between numbers below the axis; those that come closer are left out."""

Sign = Literal["circle", "square", "triangle", "diamond"]
"""The sign that stands for a value."""
SIGNS: tuple[Sign, ...] = ("circle", "square", "triangle", "diamond")
DASHES = ("", "7 3", "2 3", "9 3 2 3")
"""The dashes that tell the lines of several series apart without colours."""


class PlotMark(NamedTuple):
    """A value that is drawn."""

    name: str
    """The name that is written beside it; empty for nothing."""
    x: float
    """Its number on the scale below."""
    mean: float
    """Its number on the scale at the left."""
    low: float
    """The lower end of its interval; the mean again where it has none."""
    high: float
    """The upper end."""
    title: str = ""
    """Its figures in words."""
    sign: Sign = "circle"
    """The sign that stands for it."""
    filled: bool = False
    """True if the sign is filled."""
    aside: float = 0.0
    """The distance to the right of its place, beside others that are there too."""
    n_note: str = ""
    """Written after the name: how many questions went in, where that is not all of them."""


class Point(TypedDict):
    """A mark, where it is drawn."""

    name: str
    """The name that is written beside it."""
    x: float
    """To the right."""
    y: float
    """Down."""
    low: float
    """The place where the interval ends below."""
    high: float
    """The place where the interval ends above."""
    label: tuple[float, float, str]
    """The place of the name: to the right, down, and which end of it is there."""
    sign: Sign
    """The sign that stands for it."""
    filled: bool
    """True if the sign is filled."""
    title: str
    """Its figures in words."""


class PlotLine(TypedDict):
    """A line from mark to mark."""

    places: list[tuple[float, float]]
    """The places that it goes through."""
    dash: str
    """Lengths of its strokes and gaps; empty for a whole line."""


class Plot(TypedDict):
    """All that is drawn, each at its place."""

    title: str
    """The plot's title, in a few words."""
    x_title: str
    """The name of the scale below."""
    y_title: str
    """The name of the scale at the left."""
    x_ticks: list[tuple[float, str]]
    """Place and text of each."""
    y_ticks: list[tuple[float, str]]
    """Likewise."""
    lines: list[PlotLine]
    """The lines, below the marks."""
    points: list[Point]
    """The marks, each with the name that is shown."""
    frame: tuple[int, int, int, int]
    """The ends of the scales on the left and right, the place of those below, and the height of all."""
    note: str
    """The warning to read before it; may be empty."""
    frontier_line: NotRequired[str]
    """The runs on the frontier, in a sentence; missing in a plot without one."""


ACROSS, DOWN = (float(LEFT), float(PLOT_WIDTH - RIGHT)), (float(PLOT_HEIGHT - BOTTOM), float(TOP))
"""The ends of the scales."""


def place_marks(
    marks: Sequence[PlotMark],
    lines: Sequence[tuple[Sequence[int], str]],
    *,
    x: Scale,
    y: Scale,
    title: str,
    x_title: str,
    y_title: str,
    x_texts: Sequence[str] | None = None,
    note: str = "",
) -> Plot:
    """The marks on their scales.

    Args:
        marks: The marks that are drawn.
        lines: The lines, each as the places of the marks that it joins, and its dash.
        x: The scale below.
        y: The scale at the left.
        title: The plot's title.
        x_title: The name of the scale below.
        y_title: The name of the scale at the left.
        x_texts: The text below each tick, where that is not its number.
        note: The warning to read before it.
    """
    points: list[Point] = [
        {
            "name": f"{_shortened(mark.name)}{mark.n_note}".strip(),
            "x": round(x.place(mark.x) + mark.aside, 1),
            "y": y.place(mark.mean),
            "low": y.place(max(mark.low, y.ticks[0])),
            "high": y.place(min(mark.high, y.ticks[-1])),
            "label": (0.0, 0.0, "start"),
            "sign": mark.sign,
            "filled": mark.filled,
            "title": mark.title,
        }
        for mark in marks
    ]
    drawn: list[PlotLine] = [
        {"places": [(points[each]["x"], points[each]["y"]) for each in joined], "dash": dash} for joined, dash in lines
    ]
    labels = place_names(
        [(point["name"], point["x"], point["y"], point["high"], point["low"]) for point in points],
        [line["places"] for line in drawn],
        within=(LEFT, 0, PLOT_WIDTH, PLOT_HEIGHT - BOTTOM),
    )
    for point, label in zip(points, labels, strict=True):
        point["label"] = label
    texts = [tick_text(tick) for tick in x.ticks] if x_texts is None else x_texts
    return {
        "title": title,
        "x_title": f"{x_title}, on a logarithmic scale" if x.logarithmic else x_title,
        "y_title": y_title,
        "x_ticks": _apart([(x.place(tick), text) for tick, text in zip(x.ticks, texts, strict=True)]),
        "y_ticks": [(y.place(tick), tick_text(tick)) for tick in y.ticks],
        "lines": drawn,
        "points": points,
        "frame": (LEFT, PLOT_WIDTH - RIGHT, PLOT_HEIGHT - BOTTOM, PLOT_HEIGHT),
        "note": note,
    }


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _apart(ticks: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """The ticks whose texts do not run into the one before; the last is always there."""
    kept: list[tuple[float, str]] = []
    for tick in reversed(ticks):
        if not kept or kept[-1][0] - tick[0] >= max(TICKS_APART, 3.5 * (len(tick[1]) + len(kept[-1][1]))):
            kept.append(tick)
    return kept[::-1]
