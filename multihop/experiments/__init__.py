"""The papers' tables as experiments: files of rows, settings and published figures, and the study that runs one."""

from typing import TYPE_CHECKING

from ..base.lazily import lazily

if TYPE_CHECKING:
    from .catalog import experiment_names as experiment_names
    from .catalog import open_experiment as open_experiment
    from .experiment import Experiment as Experiment
    from .study import reproduce as reproduce
else:
    __getattr__, __dir__, __all__ = lazily(
        __name__,
        {
            "catalog": "experiment_names open_experiment",
            "experiment": "Experiment",
            "study": "reproduce",
        },
    )
