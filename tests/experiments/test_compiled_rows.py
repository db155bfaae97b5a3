from pathlib import Path

import pytest
import ujson
from simulated import simulated

from multihop import Little
from multihop.__main__ import main
from multihop.experiments import reproduce
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
