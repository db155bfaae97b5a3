from .catalog import experiment_names as experiment_names
from .catalog import open_experiment as open_experiment
from .experiment import Experiment as Experiment
from .study import reproduce as reproduce
