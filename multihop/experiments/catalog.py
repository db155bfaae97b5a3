"""The experiments that come with the library, and those of one's own, by name."""

import os
import shutil
from pathlib import Path

from ..base import InputError, unknown
from .experiment import Experiment
from .reading import read_experiment

SUFFIX = ".toml"
KEPT = "experiment.toml"
"""The experiment's file in the folder of a study."""


def experiment_names() -> list[str]:
    """The names of the experiments that come with the library, in alphabetical order.

    Examples:
        >>> from multihop.experiments import experiment_names
        >>> experiment_names()[:2]
        ['cloned-planners', 'cloned-thinkers']
    """
    return sorted(entry.name.removesuffix(SUFFIX) for entry in _shipped().iterdir() if entry.name.endswith(SUFFIX))


def open_experiment(name: str | os.PathLike[str]) -> Experiment:
    """The experiment of that name, or in that file.

    Args:
        name: One of `experiment_names()`, or the path of a TOML file of your own.

    Raises:
        InputError: There is no such experiment, or its file is wrong somewhere; the message says where.

    Examples:
        >>> from multihop.experiments import open_experiment
        >>> experiment = open_experiment("resp-table-1")
        >>> experiment.place, experiment.row("ReSP").published
        ('Table 1', (47.2, 38.3))
    """
    return read_experiment(experiment_file(name))


def experiment_file(name: str | os.PathLike[str]) -> Path:
    """The experiment's file."""
    text = os.fspath(name)
    if text.endswith(SUFFIX) or os.sep in text:
        if not Path(text).is_file():
            raise InputError(f"there is no experiment in {text}: no such file.")
        return Path(text)
    if text not in experiment_names():
        error = unknown("experiment", text, experiment_names())
        raise InputError(f"{error}, or a {SUFFIX} file of your own")
    return _shipped() / f"{text}{SUFFIX}"


def keep_experiment(experiment: Experiment | str | os.PathLike[str], folder: Path) -> None:
    """Make the study's folder, and copy the experiment's file into it, if it has one."""
    folder.mkdir(parents=True, exist_ok=True)
    if not isinstance(experiment, Experiment):
        shutil.copyfile(experiment_file(experiment), folder / KEPT)


def _shipped() -> Path:
    return Path(__file__).with_name("tables")
