"""The papers' tables as experiments: files of rows, settings and published figures, and the study that runs one."""

from .catalog import experiment_names, open_experiment
from .experiment import Experiment
from .study import reproduce

__all__ = ["Experiment", "experiment_names", "open_experiment", "reproduce"]
