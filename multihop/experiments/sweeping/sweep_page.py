"""The table of a sweep as a page, and as cells for a terminal."""

from pathlib import Path

import ujson

from ...base import writing
from ...base.plurals import say_count
from ...evaluation.report.report import SIMULATED, as_table, join_paragraphs, show_n, unit_of
from ...evaluation.report.summary import Interval
from .points import DEFAULT, show_value
from .sweep_table import QUALITY, RECORD, SweepEffect, SweepRow, SweepTable, is_sure

PAGE = "sweep.md"
NONE = "–"
SHOWN = {"em": "EM", "f1": "F1", "recall@5": "recall@5"}
"""The metrics of the table, with their heads."""
NOTE = (
    "± is half the 95 % interval; differs: F1 less that of the default over the same questions, with the 95 % interval "
    "of this paired difference, * where it excludes 0; calls, tokens and seconds are those of one question"
)


def write_sweep(table: SweepTable, folder: Path) -> None:
    """sweep.json for programs, sweep.md for people."""
    with writing(folder / RECORD) as file:
        ujson.dump(table, file, ensure_ascii=False, escape_forward_slashes=False, indent=2)
    with writing(folder / PAGE) as file:
        file.write(as_page(table))


def as_page(table: SweepTable) -> str:
    """The table as Markdown."""
    heads, rows = sweep_heads(table), [row_cells(table, row) for row in table["rows"]]
    return join_paragraphs(
        f"# {sweep_title(table)}",
        f"**{SIMULATED}**" if table["simulated"] else "",
        as_table(heads, rows, texts=len(table["swept"])),
        f"{NOTE}.",
        "\n".join(f"- {effect_line(each)}" for each in table["effects"]),
        f"{chance_note(table)}." if chance_note(table) else "",
        f"{stopped_note(table)}." if table["stopped"] else "",
        f"Settings by default: `{ujson.dumps(table['settings'], escape_forward_slashes=False)}`",
    )


def sweep_title(table: SweepTable) -> str:
    """The subject in a line."""
    n = max((row["n"] for row in table["rows"]), default=0)
    lms = " and ".join(table["lms"]) or "no LM"
    return f"{table['program']} over {' and '.join(table['swept'])}, on {lms}, {say_count(n, 'question')}"


def sweep_heads(table: SweepTable) -> list[str]:
    """The heads of the columns: the settings first."""
    return [*table["swept"], *_metrics(table).values(), "differs", "calls", "tokens", "seconds"]


def row_cells(table: SweepTable, row: SweepRow) -> list[str]:
    """The cells of a point."""
    asked = max(each["n"] for each in table["rows"])
    values = [show_value(row["settings"][name]) if name in row["settings"] else NONE for name in table["swept"]]
    if not row["changed"] and values:
        values[0] += f" ({DEFAULT})"
    elif row["n"] < asked:
        values[0] += show_n(row["n"], asked)
    figures = []
    for name in _metrics(table):
        found, (scale, digits) = row["metrics"].get(name), unit_of(name)
        figures.append(NONE if found is None else show_half(found, scale, digits))
    costs = [show_half(row["calls"], 1, 2), show_half(row["tokens"], 1, 0), show_half(row["seconds"], 1, 2)]
    return [*values, *figures, show_difference(row), *costs]


def show_half(figure: Interval, scale: float, digits: int) -> str:
    """A mean with half of its interval.

    Examples:
        >>> from multihop.experiments.sweeping.sweep_page import show_half
        >>> show_half({"mean": 0.412, "low": 0.40, "high": 0.43}, 100, 1)
        '41.2±1.5'
    """
    mean, low, high = (scale * figure[end] for end in ("mean", "low", "high"))  # type: ignore[literal-required]
    return f"{mean:,.{digits}f}±{(high - low) / 2:,.{digits}f}"


def show_difference(row: SweepRow) -> str:
    """The difference of quality to the default with its interval, and a star where that excludes 0."""
    found = row["differences"].get(QUALITY)
    if found is None:
        return NONE
    mean, low, high = (_signed(100 * found[end]) for end in ("mean", "low", "high"))  # type: ignore[literal-required]
    return f"{mean} [{low}, {high}]{'*' if is_sure(found) else ''}"


def effect_line(effect: SweepEffect) -> str:
    """The effect of a setting in a line.

    Examples:
        >>> from multihop.experiments.sweeping.sweep_page import effect_line
        >>> print(effect_line({
        ...     "setting": "k", "values": [5, 3, 10], "metric": "f1", "lowest": 0.3, "highest": 0.35,
        ...     "fewest_calls": 1.0, "most_calls": 1.0, "surely": [10],
        ... }))
        k (5, 3, 10): F1 from 30.0 to 35.0; it matters at 10; calls 1.0 at every value
    """
    values = ", ".join(map(show_value, effect["values"]))
    fewest, most = f"{effect['fewest_calls']:.1f}", f"{effect['most_calls']:.1f}"
    calls = f"{fewest} at every value" if fewest == most else f"from {fewest} to {most}"
    sure = " and ".join(map(show_value, effect["surely"]))
    verdict = f"it matters at {sure}" if sure else "no value is shown to differ from the default"
    low, high = 100 * effect["lowest"], 100 * effect["highest"]
    return f"{effect['setting']} ({values}): F1 from {low:.1f} to {high:.1f}; {verdict}; calls {calls}"


def chance_note(table: SweepTable) -> str:
    """A word on chance, where several points are compared with the default; else empty."""
    compared = sum(bool(row["differences"]) for row in table["rows"])
    return f"{compared} points are compared: by chance alone one interval in 20 excludes 0" if compared > 1 else ""


def stopped_note(table: SweepTable) -> str:
    """A word on what is missing, where the LM calls were used up."""
    return (
        f"The LM calls are used up after {len(table['rows'])} of {say_count(table['points'], 'point')}; the same "
        "command with more goes on from here"
    )


def _metrics(table: SweepTable) -> dict[str, str]:
    """The metrics that a point has, with their heads."""
    return {name: head for name, head in SHOWN.items() if any(name in row["metrics"] for row in table["rows"])}


def _signed(value: float) -> str:
    return f"{value:+.1f}".replace("-0.0", "+0.0")
