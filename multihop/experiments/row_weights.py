"""Weights that rows are to have: trained on one question set each, and given for a study by that set's name."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..base import InputError, unknown
from ..encoder.weights import FILTER, LABELER, read_encoder_manifest
from ..training.card import EARLIER
from .experiment import Experiment, TableRow

OWN = "own"
"""In the place of a set: the one that is asked."""


def parse_weights(given: Sequence[str], experiment: Experiment) -> dict[str, str]:
    """Folders written SET=FOLDER, by the sets' short names.

    Args:
        given: The texts; a set is named by its short name or its title.
        experiment: The experiment.

    Raises:
        InputError: A set is not the experiment's, or none of its rows takes weights.
    """
    if given and not any(row.weights for row in experiment.rows):
        raise InputError(f"no row of {experiment.name} takes weights of its own; leave out --weights.")
    titles = {each.title.lower(): name for name, each in experiment.sets.items()}
    found: dict[str, str] = {}
    for text in given:
        name, equals, folder = text.partition("=")
        if not equals or not folder:
            raise InputError(
                f"--weights is written SET=FOLDER, such as {next(iter(experiment.sets))}=FOLDER, not {text}."
            )
        short = titles.get(name.lower(), name)
        if short not in experiment.sets:
            raise InputError(f"--weights: {unknown('question set of the experiment', name, experiment.sets)}")
        found[short] = folder
    return found


def with_weights(experiment: Experiment, weights: Mapping[str, str]) -> Experiment:
    """The experiment with the folders that are given as settings of the rows that they are for.

    Args:
        experiment: The experiment.
        weights: For each training set, by its short name, the folder of what was trained on it.

    Raises:
        InputError: A folder holds no encoder with a labeler and a filter of its own.
    """
    for folder in weights.values():
        learned = read_encoder_manifest(Path(folder).expanduser())["files"]
        for part in (LABELER, FILTER):
            if part not in learned:
                name = part.removesuffix(".onnx")
                raise InputError(f"{folder} has no {name} of its own; train one with `multihop train --part {name}`.")
    return replace(experiment, rows=tuple(_with_weights(row, experiment.sets, weights) for row in experiment.rows))


def _with_weights(row: TableRow, sets: Iterable[str], weights: Mapping[str, str]) -> TableRow:
    on = {name: weights.get(trained_on(row, name)) for name in sets}
    given = {name: {**row.settings_on.get(name, {}), "weights": folder} for name, folder in on.items() if folder}
    return replace(row, settings_on={**row.settings_on, **given})


def trained_on(row: TableRow, asked: str) -> str:
    """The short name of the set that the row's weights are trained on, where that set is asked; empty for none."""
    return asked if row.weights == OWN else row.weights or ""


def missing_weights(experiment: Experiment, rows: Iterable[TableRow], weights: Mapping[str, str]) -> list[str]:
    """Caveats for weights that are not given, and for those that began as an encoder that had learned before.

    Args:
        experiment: The experiment.
        rows: Its rows that were run.
        weights: The folders that are given; see `with_weights`.
    """
    wanted = dict.fromkeys(trained_on(row, name) for row in rows for name in experiment.sets if row.weights)
    missing = [experiment.sets[name].title for name in wanted if name not in weights]
    found = []
    if missing:
        found.append(
            f"labeler and filter are the built-in judge, not trained on {' or on '.join(missing)} alone (--weights)"
        )
    for name in wanted:
        sources = read_encoder_manifest(Path(weights[name]).expanduser())["sources"] if name in weights else []
        if any(source.endswith(EARLIER) for source in sources):
            found.append(f"the weights for {experiment.sets[name].title} began as an encoder that had learned before")
    return found
