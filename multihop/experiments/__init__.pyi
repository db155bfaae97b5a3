from .experiment import Experiment as Experiment
from .experiment_file import experiment_names as experiment_names
from .experiment_file import open_experiment as open_experiment
from .study import StudyOptions as StudyOptions
from .study import reproduce as reproduce
