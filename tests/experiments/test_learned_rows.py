"""Rows that learn: compiled once on training questions, or with weights of the set that they are trained on."""

from pathlib import Path

import pytest
import ujson
from simulated import simulated
from tiny_encoder import write_tiny_encoder

from multihop import InputError, Little
from multihop.__main__ import main
from multihop.experiments import open_experiment, reproduce
from multihop.experiments.learned_rows import missing_weights, with_weights
from multihop.experiments.study_inputs import parse_sources
from multihop.optimize.artefact import SavedProgram

TABLE = """
title = "Ways to compile"
training = 8
sets.small = { questions = "questions.jsonl", corpus = "corpus.jsonl", limit = 3, train = "train.jsonl" }
columns = [{ set = "small", metric = "f1" }]
rows = [
  { name = "as it is", program = "one-step" },
  { name = "labeled", program = "one-step", compile = "labeled-3" },
  { name = "bootstrapped", program = "one-step", compile = "bootstrapped" },
]
"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "ways.toml"
    path.write_text(TABLE)
    return path


@pytest.fixture
def made(town, tmp_path):
    """Makes a table of the questions of the town."""

    def knowing(questions, passages):
        return simulated([*questions, *Little().questions()], passages)

    def make(table, **options):
        return reproduce(table, out=tmp_path / "out", lm=knowing, data=Path(town["train"]).parent, **options)

    return make


def test_rows_are_compiled_once_and_opened_again(table, made, tmp_path):
    rows = made(table)["rows"]
    assert [(row["row"], row["n"]) for row in rows] == [("as it is", 3), ("labeled", 3), ("bootstrapped", 3)]
    files = sorted((tmp_path / "out" / "compiled").iterdir())
    assert [each.name for each in files] == ["bootstrapped on small, 0.json", "labeled on small, 0.json"]
    assert [SavedProgram.read(each).about["optimizer"] for each in files] == ["bootstrapped", "labeled-3"]
    bootstrapped, labeled = (len(ujson.loads(each.read_text())["answer"]["demos"]) for each in files)
    assert labeled == 3
    assert 1 <= bootstrapped <= 4
    changed = [each.stat().st_mtime_ns for each in files]
    made(table, limit=5)
    assert [each.stat().st_mtime_ns for each in files] == changed


def test_a_row_that_is_compiled_needs_training_questions(table, town, tmp_path, capsys, tiny_encoder):
    table.write_text(TABLE.replace(', train = "train.jsonl"', ""))
    data = str(Path(town["train"]).parent)
    assert main(["reproduce", str(table), "--lm", "local", "--data", data, "--out", str(tmp_path / "out")]) == 2
    assert "row 'labeled' is compiled, and needs training questions (--train)." in capsys.readouterr().err
    assert not list((tmp_path / "out").glob("*/*/rows.jsonl"))


def test_a_row_compiled_step_by_step_learns_from_gold_on_as_many_questions_as_it_says(table, made, town, tmp_path):
    """The step's examples are of gold, so none of its demonstrations is a run; each is of the row's own questions."""
    table.write_text(TABLE.replace('"bootstrapped" },', '"bootstrapped", by_steps = true, training = 2 },'))
    made(table, rows=["bootstrapped"], limit=1)
    (file,) = (tmp_path / "out" / "compiled").iterdir()
    demos = ujson.loads(file.read_text())["answer"]["demos"]
    learned = {ujson.loads(line)["question"] for line in Path(town["train"]).read_text().splitlines()[:2]}
    assert demos
    assert {each["question"] for each in demos} <= learned


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
