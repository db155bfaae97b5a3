import pytest
import ujson
from simulated import simulated

from multihop import Little
from multihop.__main__ import main
from multihop.base import InputError
from multihop.experiments import open_experiment, reproduce
from multihop.optimize.artefact import SavedProgram

TABLE = """
title = "Ways to compile"
paper = "mine"
place = "Table 1"
training = 8
columns = [{ set = "small", metric = "f1" }]

[sets.small]
title = "Small"
questions = "questions.jsonl"
corpus = "corpus.jsonl"
train = "train.jsonl"
limit = 3

[[rows]]
name = "as it is"
program = "one-step"
published = ["–"]

[[rows]]
name = "labeled"
program = "one-step"
compile = "labeled-3"
published = ["–"]

[[rows]]
name = "bootstrapped"
program = "one-step"
compile = "bootstrapped"
published = ["–"]
"""


@pytest.fixture
def table(tmp_path):
    questions = list(Little().questions())
    rows = [
        {"id": each.id, "question": each.question, "answers": list(each.answers), "supporting": list(each.supporting)}
        for each in questions
    ]
    for name, part in (("train", rows[:20]), ("questions", rows[20:])):
        (tmp_path / f"{name}.jsonl").write_text("".join(ujson.dumps(each) + "\n" for each in part))
    passages = (ujson.dumps(each._asdict()) + "\n" for each in Little().passages())
    (tmp_path / "corpus.jsonl").write_text("".join(passages))
    path = tmp_path / "ways.toml"
    path.write_text(TABLE)
    return path


def knowing(questions, passages):
    return simulated([*questions, *Little().questions()], passages)


def test_rows_are_compiled_once_and_opened_again(table, tmp_path):
    options = {"out": tmp_path / "out", "lm": knowing, "data": tmp_path}
    made = reproduce(table, **options)
    assert [(row["row"], row["n"]) for row in made["rows"]] == [("as it is", 3), ("labeled", 3), ("bootstrapped", 3)]
    files = sorted((tmp_path / "out" / "compiled").iterdir())
    assert [each.name for each in files] == ["bootstrapped on small, 0.json", "labeled on small, 0.json"]
    assert [SavedProgram.read(each).about["optimizer"] for each in files] == ["bootstrapped", "labeled-3"]
    demos = {each.name.partition(" ")[0]: len(ujson.loads(each.read_text())["answer"]["demos"]) for each in files}
    assert demos["labeled"] == 3
    assert 1 <= demos["bootstrapped"] <= 4
    changed = [each.stat().st_mtime_ns for each in files]
    reproduce(table, **options, limit=5)
    assert [each.stat().st_mtime_ns for each in files] == changed


def test_a_row_that_is_compiled_needs_training_questions(table, tmp_path, capsys, tiny_encoder):
    table.write_text(TABLE.replace('train = "train.jsonl"\n', ""))
    given = ["reproduce", str(table), "--lm", "local", "--data", str(tmp_path), "--out", str(tmp_path / "out")]
    assert main(given) == 2
    assert "row 'labeled' is compiled, and needs training questions (--train)." in capsys.readouterr().err
    assert not list((tmp_path / "out").glob("*/*/rows.jsonl"))


def test_a_row_compiled_step_by_step_learns_from_gold_on_as_many_questions_as_it_says(table, tmp_path):
    """The step's examples are of gold, so none of its demonstrations is a run; each is of the row's own questions."""
    table.write_text(
        TABLE.replace('compile = "bootstrapped"', 'compile = "bootstrapped"\nby_steps = true\ntraining = 2')
    )
    reproduce(table, out=tmp_path / "out", lm=knowing, data=tmp_path, rows=["bootstrapped"], limit=1)
    (file,) = (tmp_path / "out" / "compiled").iterdir()
    demos = ujson.loads(file.read_text())["answer"]["demos"]
    learned = {ujson.loads(line)["question"] for line in (tmp_path / "train.jsonl").open().readlines()[:2]}
    assert demos
    assert {each["question"] for each in demos} <= learned


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ("by_steps = true", "the row is not compiled; give it compile = a variant"),
        ("training = 0", "rows\\[1\\].training: input should be greater than 0, not 0"),
    ],
)
def test_what_a_row_cannot_learn_from(table, given, refused):
    table.write_text(TABLE.replace('name = "as it is"', f'name = "as it is"\n{given}'))
    with pytest.raises(InputError, match=refused):
        open_experiment(table)
