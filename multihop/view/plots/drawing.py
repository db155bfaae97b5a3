"""A plot in a file: SVG written here, PNG and PDF with the same places drawn by matplotlib."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base import missing_extra, unknown, writing
from ..templating import open_template
from .plot import PLOT_WIDTH, Plot, Sign

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOVE, NOTE = 20, 16
"""Room for what the scale at the left counts, and for a note below."""
FORMATS = (".svg", ".png", ".pdf")
POINTS = 72 / 96
"""The size of an SVG's unit in print, in points."""
DOTS = 300
"""Dots an inch of a PNG."""
MARKERS: dict[Sign, tuple[str, float]] = {
    "circle": ("o", 9.0),
    "square": ("s", 8.0),
    "triangle": ("^", 10.0),
    "diamond": ("D", 8.0),
}
"""matplotlib's names for the signs, and their sizes."""


def write_plot(plot: Plot, to: str | os.PathLike[str]) -> Path:
    """Draw the plot into a file, and return its path.

    Args:
        plot: The plot.
        to: The file: .svg, or with the extra [plot] .png or .pdf.

    Raises:
        InputError: The file's name ends otherwise.
        MissingExtraError: matplotlib is not installed.
    """
    path = Path(to).expanduser()
    if path.suffix not in FORMATS:
        raise unknown("ending of a picture's file", path.suffix, FORMATS)
    if path.suffix == ".svg":
        with writing(path) as file:
            file.write(as_svg(plot))
        return path
    figure = draw_with_matplotlib(plot)
    with writing(path, "wb") as file:
        dates = {"Software": None} if path.suffix == ".png" else {"CreationDate": None}  # so that it is always the same
        figure.savefig(file, format=path.suffix[1:], dpi=DOTS, metadata=dates)
    return path


def as_svg(plot: Plot) -> str:
    """The plot as an SVG that stands alone."""
    return open_template("plot.svg").render(plot=plot, width=PLOT_WIDTH, above=ABOVE, tall=_height(plot))


def draw_with_matplotlib(plot: Plot) -> "Figure":
    """The same, place for place, in matplotlib.

    Raises:
        MissingExtraError: It is not installed.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
        from matplotlib.patheffects import withStroke
    except ImportError as error:
        raise missing_extra("a picture as .png or .pdf", "plot", error) from None
    matplotlib.rcParams["pdf.fonttype"] = 42  # letters stay letters
    tall = _height(plot)
    figure = Figure(figsize=(PLOT_WIDTH / 96, tall / 96))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, PLOT_WIDTH)
    axes.set_ylim(tall - ABOVE, -ABOVE)
    axes.axis("off")
    halo = [withStroke(linewidth=3 * POINTS, foreground="white")]

    def line(xs: list[float], ys: list[float], *, colour: str, width: float = 1.0, dash: str = "", above: int) -> None:
        style = (0, [float(each) for each in dash.split()]) if dash else "-"
        axes.plot(xs, ys, color=colour, linewidth=width * POINTS, linestyle=style, zorder=above)

    def text(x: float, y: float, written: str, anchor: str, *, size: float = 10.0, **look: Any) -> None:
        side = {"start": "left", "middle": "center", "end": "right"}[anchor]
        shown = written.replace("$", r"\$")
        axes.text(x, y, shown, ha=side, va="baseline", fontsize=size * POINTS, zorder=5, **look)

    left, right, bottom, height = plot["frame"]
    for y, written in plot["y_ticks"]:
        line([left, right], [y, y], colour="#cccccc", above=1)
        text(left - 6, y + 4, written, "end")
    for x, written in plot["x_ticks"]:
        line([x, x], [bottom, bottom + 4], colour="#cccccc", above=1)
        text(x, bottom + 18, written, "middle")
    text((left + right) / 2, height - 4, plot["x_title"], "middle")
    text(4, 12 - ABOVE, plot["y_title"], "start")
    for each in plot["lines"]:
        line([x for x, _ in each["places"]], [y for _, y in each["places"]], colour="black", width=1.2,
             dash=each["dash"], above=2)  # fmt: skip
    for point in plot["points"]:
        for end in (point["low"], point["high"]):
            line([point["x"] - 2.5, point["x"] + 2.5], [end, end], colour="#555555", width=1.2, above=3)
        line([point["x"]] * 2, [point["low"], point["high"]], colour="#555555", width=1.2, above=3)
        sign, size = MARKERS[point["sign"]]
        face = "black" if point["filled"] else "white"
        axes.plot(
            [point["x"]], [point["y"]], marker=sign, markersize=size * POINTS, color="black",
            markerfacecolor=face, markeredgewidth=1.4 * POINTS, zorder=4,
        )  # fmt: skip
        x, y, anchor = point["label"]
        text(x, y, point["name"], anchor, path_effects=halo)
    if plot["note"]:
        text(4, height + 12, plot["note"], "start", size=9.0, fontweight="bold")
    return figure


def _height(plot: Plot) -> int:
    return plot["frame"][3] + ABOVE + (NOTE if plot["note"] else 0)
