"""The worth of a confidence, drawn: the reliability diagram, and the risk-coverage curve."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle

from ...evaluation.report.grounds import RunConfidence
from .plot import ACROSS, DASHES, DOWN, SIGNS, Plot, PlotLine, PlotMark, Sign, place_marks
from .scales import Scale, share_scale

RELIABILITY, RISK_COVERAGE = "reliability", "risk-coverage"
KINDS = (RELIABILITY, RISK_COVERAGE)
"""The plots of this file, by the names that `--of` has for them."""
PERFECT_DASH = "2 3"
NOT_CALIBRATED = "* not calibrated: such a confidence ranks answers and is no probability"
MARKED = (0.5, 0.8, 1.0)
"""The points of a risk-coverage curve that have a mark."""
PERCENT = [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]


def plot_confidence(of: str, runs: Mapping[str, RunConfidence], *, note: str = "") -> Plot:
    """The plot of this kind, `RELIABILITY` or `RISK_COVERAGE`, of runs by their names."""
    if not all(found["calibrated"] for found in runs.values()):
        note = "; ".join(filter(None, (note, NOT_CALIBRATED)))
    return plot_reliability(runs, note=note) if of == RELIABILITY else plot_risk_coverage(runs, note=note)


def plot_reliability(runs: Mapping[str, RunConfidence], *, note: str = "") -> Plot:
    """The share that is right over the confidence, bin by bin; the dotted line is that of a true confidence.

    Args:
        runs: The worth of each run's confidence, by the run's name: `confidence` of its summary.
        note: The warning to read before it.

    Examples:
        >>> from multihop.evaluation.report.confidence import confidence_figures
        >>> from multihop.view.plots.confidence import plot_reliability
        >>> figures = confidence_figures([0.9, 0.8, 0.6, 0.3], [True, True, False, False], [1.0, 0.8, 0.4, 0.0])
        >>> plot = plot_reliability({"tor": {**figures, "calibrated": True}})
        >>> plot["points"][-1]["title"]
        'tor: of 1 answer with a confidence of 90 % in the mean, 100 % are right (17 – 100)'
    """
    marks, lines = list[PlotMark](), list[tuple[Sequence[int], str]]()
    for (name, found), (sign, dash, filled) in zip(runs.items(), _looks(), strict=False):
        lines.append((range(len(marks), len(marks) + len(found["bins"])), dash))
        size = found["n"] / len(found["bins"])
        for place, each in enumerate(found["bins"], 1):
            low, high = _interval(each["right"], size)
            answers = f"{size:.3g} answer{'' if size == 1 else 's'}"
            marks.append(
                PlotMark(
                    _named(name, found) if place == len(found["bins"]) else "",
                    100 * each["confidence"],
                    100 * each["right"],
                    100 * low,
                    100 * high,
                    title=f"{name}: of {answers} with a confidence of {100 * each['confidence']:.0f} % in the mean, "
                    f"{100 * each['right']:.0f} % are right ({100 * low:.0f} – {100 * high:.0f})",
                    sign=sign,
                    filled=filled,
                )
            )
    across, down = Scale(PERCENT, *ACROSS), Scale(PERCENT, *DOWN)
    plot = place_marks(
        marks,
        lines,
        x=across,
        y=down,
        title="right answers by confidence",
        x_title="confidence, in percent",
        y_title="right answers, in percent",
        note=note,
    )
    ends = [(across.place(each), down.place(each)) for each in (0, 100)]
    perfect: PlotLine = {"places": ends, "dash": PERFECT_DASH}
    plot["lines"].insert(0, perfect)
    return plot


def plot_risk_coverage(runs: Mapping[str, RunConfidence], *, note: str = "") -> Plot:
    """F1 of the surest answers over their share, from a twentieth to all; the risk is what it lacks to 100.

    Args:
        runs: The worth of each run's confidence, by the run's name: `confidence` of its summary.
        note: The warning to read before it.
    """
    marks, curves = list[PlotMark](), list[tuple[str, list[tuple[float, float]]]]()
    for (name, found), (sign, dash, filled) in zip(runs.items(), _looks(), strict=False):
        curves.append((dash, [(100 * each["coverage"], 100 * each["f1"]) for each in found["curve"]]))
        for each in found["curve"]:
            if any(math.isclose(each["coverage"], share) for share in MARKED):
                x, y = 100 * each["coverage"], 100 * each["f1"]
                least = f"with a confidence of {each['confidence']:.2f} or more"
                said = f"{name}: F1 {y:.1f} over the surest {x:.0f} %, {least}"
                shown = _named(name, found) if each is found["curve"][-1] else ""
                marks.append(PlotMark(shown, x, y, y, y, title=said, sign=sign, filled=filled))
    heights = [y for _, points in curves for _, y in points]
    across, down = Scale(PERCENT, *ACROSS), share_scale(min(heights), max(heights), *DOWN)
    plot = place_marks(
        marks,
        [],
        x=across,
        y=down,
        title="F1 of the surest answers",
        x_title="the surest answers, in percent of all",
        y_title="F1, in percent",
        note=note,
    )
    plot["lines"] = [
        {"places": [(across.place(x), down.place(y)) for x, y in points], "dash": dash} for dash, points in curves
    ]
    return plot


def _looks() -> Iterator[tuple[Sign, str, bool]]:
    return cycle(zip(SIGNS, DASHES, (True, False, True, False), strict=True))


def _named(name: str, found: RunConfidence) -> str:
    return name if found["calibrated"] else f"{name}*"


def _interval(share: float, n: float) -> tuple[float, float]:
    """The 95 % interval of a share, with two more of either kind: so few answers never look sure."""
    middle = (share * n + 2) / (n + 4)
    half = 1.96 * math.sqrt(middle * (1 - middle) / (n + 4))
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))
