from .catalog import experiment_names as experiment_names
from .catalog import open_experiment as open_experiment
from .choosing.choosing import Choice as Choice
from .choosing.choosing import choose as choose
from .choosing.measured import MeasuredRow as MeasuredRow
from .experiment import Experiment as Experiment
from .study import reproduce as reproduce
from .sweeping.sweeping import sweep as sweep
