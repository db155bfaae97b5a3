from .confidence import plot_reliability as plot_reliability
from .confidence import plot_risk_coverage as plot_risk_coverage
from .drawing import write_plot as write_plot
from .frontier import plot_quality as plot_quality
from .plot import PLOT_WIDTH as PLOT_WIDTH
from .plot import Plot as Plot
