"""Weights of rows: given by the set that they are trained on, told where they are missing, and never mixed."""

import pytest
from tiny_encoder import write_tiny_encoder

from multihop import InputError
from multihop.experiments import open_experiment
from multihop.experiments.experiment_file import read_experiment
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


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("folder", "--weights is written SET=FOLDER, such as hotpotqa=FOLDER, not folder"),
        ("hotpotqa=", "not hotpotqa="),
        ("hotpot=folder", "did you mean 'hotpotqa'"),
    ],
)
def test_what_names_no_set_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        experiment = open_experiment(TRANSFER)
        with_weights(experiment, parse_sources("--weights", [given], experiment))


def test_each_row_of_the_transfer_has_the_weights_of_its_training_set_on_every_set(weights):
    experiment = with_weights(open_experiment(TRANSFER), weights)
    settings = [
        {name: experiment.settings(row, name)["weights"] for name in experiment.sets} for row in experiment.rows
    ]
    assert settings == [dict.fromkeys(experiment.sets, weights[name]) for name in ("hotpotqa", "2wikimultihopqa")]


def test_a_folder_without_a_labeler_or_a_filter_is_refused(tmp_path):
    experiment = open_experiment(TRANSFER)
    plain, half = write_tiny_encoder(tmp_path / "plain"), write_tiny_encoder(tmp_path / "half", own=("labeler",))
    with pytest.raises(InputError, match="has no labeler of its own; train one with `multihop train --part labeler`"):
        with_weights(experiment, {"hotpotqa": str(plain)})
    with pytest.raises(InputError, match="has no filter of its own; train one with `multihop train --part filter`"):
        with_weights(experiment, {"hotpotqa": str(half)})
    with pytest.raises(InputError, match="holds no encoder"):
        with_weights(experiment, {"hotpotqa": str(tmp_path)})


def test_what_is_missing_is_told_and_what_had_learned_before(weights):
    experiment = open_experiment(TRANSFER)
    assert missing_weights(experiment, experiment.rows, {}) == [
        "labeler and filter are the built-in judge, not trained on HotpotQA or on 2WikiMultiHopQA alone (--weights)"
    ]
    assert missing_weights(experiment, experiment.rows, weights) == [
        "the weights for 2WikiMultiHopQA began as an encoder that had learned before"
    ]
    assert missing_weights(experiment, experiment.rows[:1], weights) == []


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('program = "efficientrag"\nweights = "musique"', "Valid: little, own"),
        ('program = "resp"\nweights = "own"', "resp takes no weights"),
    ],
)
def test_a_file_of_ones_own_says_whose_weights(row, message, tmp_path):
    text = f"""
title = "mine"
columns = [{{ set = "little", metric = "em" }}]
[sets.little]
questions = "little"
[[rows]]
name = "r"
published = ["–"]
{row}
"""
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(InputError, match=message):
        read_experiment(tmp_path / "mine.toml")
