"""The plots of a sweep: F1 over each of its settings."""

from pathlib import Path

from ...experiments.sweeping.sweep_table import QUALITY, SweepRow, SweepTable
from .drawing import write_plot
from .plot import SIGNS, Plot
from .plotting import plot_runs


def sweep_plots(table: SweepTable, folder: Path) -> dict[str, Plot]:
    """A plot for each setting that was run at several values, by the setting's name.

    The other settings tell lines apart where there are few combinations of them, and else are as by default.

    Args:
        table: The sweep's table.
        folder: The sweep's folder, which holds the runs.
    """
    drawn = {}
    for setting in table["swept"]:
        rows = [row for row in table["rows"] if QUALITY in row["metrics"]]
        if len({_others(row, setting) for row in rows}) > len(SIGNS):
            rows = [row for row in rows if row["changed"].keys() <= {setting}]
        lines = [_others(row, setting) for row in rows]
        rows = [row for row, line in zip(rows, lines, strict=True) if lines.count(line) > 1]
        if rows:
            drawn[setting] = plot_runs([folder / row["folder"] for row in rows], setting, metric=QUALITY).plot
    return drawn


def write_sweep_plots(table: SweepTable, folder: Path) -> list[Path]:
    """The same as SETTING.svg in the sweep's folder."""
    return [write_plot(plot, folder / f"{setting}.svg") for setting, plot in sweep_plots(table, folder).items()]


def _others(row: SweepRow, setting: str) -> str:
    """The settings of a point that are not as by default, besides this one."""
    return str({name: value for name, value in row["changed"].items() if name != setting})
