"""Weights of rows: given by the set that they are trained on, told where they are missing, and never mixed."""

import pytest
from tiny_encoder import write_tiny_encoder

from multihop import InputError
from multihop.experiments import open_experiment
from multihop.experiments.learned_rows import missing_weights, with_weights
from multihop.experiments.study_inputs import parse_sources

TRANSFER = "efficientrag-table-6"


@pytest.fixture
def weights(tmp_path):
    """Two folders of weights, with random numbers in place of what is learned on two sets."""
    found = {}
    for seed, name in enumerate(("hotpotqa", "2wikimultihopqa"), 1):
        told = {"sources": [f"{name}.train.jsonl", "musique.train.jsonl, in an earlier training"][:seed]}
        found[name] = str(write_tiny_encoder(tmp_path / name, seed=seed, own=("labeler", "filter"), **told))
    return found


def test_what_names_no_set_is_refused():
    experiment = open_experiment(TRANSFER)
    for given, message in (
        ("folder", "--weights is written SET=FOLDER, such as hotpotqa=FOLDER, not folder"),
        ("hotpotqa=", "not hotpotqa="),
        ("hotpot=folder", "did you mean 'hotpotqa'"),
    ):
        with pytest.raises(InputError, match=message):
            with_weights(experiment, parse_sources("--weights", [given], experiment))


def test_each_row_of_the_transfer_has_the_weights_of_its_training_set_on_every_set(weights):
    experiment = with_weights(open_experiment(TRANSFER), weights)
    settings = [
        {name: experiment.settings(row, name)["weights"] for name in experiment.sets} for row in experiment.rows
    ]
    assert settings == [dict.fromkeys(experiment.sets, weights[name]) for name in ("hotpotqa", "2wikimultihopqa")]


def test_a_folder_without_a_labeler_or_a_filter_is_refused(tmp_path):
    plain, half = write_tiny_encoder(tmp_path / "plain"), write_tiny_encoder(tmp_path / "half", own=("labeler",))
    for folder, message in (
        (plain, "has no labeler of its own; train one with `multihop train --part labeler`"),
        (half, "has no filter of its own; train one with `multihop train --part filter`"),
        (tmp_path, "holds no encoder"),
    ):
        with pytest.raises(InputError, match=message):
            with_weights(open_experiment(TRANSFER), {"hotpotqa": str(folder)})


def test_what_is_missing_is_told_and_what_had_learned_before(weights):
    experiment = open_experiment(TRANSFER)
    assert missing_weights(experiment, experiment.rows, {}) == [
        "labeler and filter are the built-in judge, not trained on HotpotQA or on 2WikiMultiHopQA alone (--weights)"
    ]
    assert missing_weights(experiment, experiment.rows, weights) == [
        "the weights for 2WikiMultiHopQA began as an encoder that had learned before"
    ]
    assert missing_weights(experiment, experiment.rows[:1], weights) == []
