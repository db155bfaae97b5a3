"""Plots as plain values, and as files: quality over cost with its frontier, and a score by a setting."""

from .drawing import write_plot
from .frontier import plot_quality
from .plot import PLOT_WIDTH, Plot

__all__ = ["PLOT_WIDTH", "Plot", "plot_quality", "write_plot"]
