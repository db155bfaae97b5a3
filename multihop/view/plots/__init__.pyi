from .drawing import write_plot as write_plot
from .frontier import plot_quality as plot_quality
from .plot import PLOT_WIDTH as PLOT_WIDTH
from .plot import Plot as Plot
