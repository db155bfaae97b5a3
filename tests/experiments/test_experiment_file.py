import re

import pytest

from multihop import InputError
from multihop.experiments import Experiment, experiment_names, open_experiment
from multihop.experiments.experiment import QuestionSet, TableColumn, TableRow

GOOD = """
title = "Two ways to read"
paper = "mine"
place = "Table 1"
lm = "a-model"
retriever = "BM25"
decoding = { temperature = 0.0 }
shots = 3
differs = ["Everything."]
columns = [{ set = "small", metric = "f1" }, { set = "small", metric = "em", hops = 2, lm = "other" }]

[sets.small]
questions = "little"
limit = 4

[[rows]]
name = "one"
program = "one-step"
settings = { k = 3 }
published = [50.5, "–"]

[[rows]]
name = "two"
program = "resp"
settings_on.small = { k = 2 }
step_lms = { read = "larger" }
shots = 0
metrics = { f1 = "recall@5" }
published = [1, 2]
"""


def written(tmp_path, text=GOOD):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return path


def test_a_file_becomes_an_experiment(tmp_path):
    one = TableRow(name="one", program="one-step", settings={"k": 3}, published=(50.5, None))
    two = TableRow(
        name="two", program="resp", settings_on={"small": {"k": 2}}, step_lms={"read": "larger"}, shots=0,
        metrics={"f1": "recall@5"}, published=(1.0, 2.0),
    )  # fmt: skip
    found = open_experiment(written(tmp_path))
    assert found == Experiment(
        name="mine", title="Two ways to read", paper="mine", place="Table 1", lm="a-model", retriever="BM25",
        decoding={"temperature": 0.0}, shots=3, differs=("Everything.",),
        columns=(TableColumn(set="small", metric="f1"), TableColumn(set="small", metric="em", hops=2, lm="other")),
        sets={"small": QuestionSet(name="small", title="small", questions="little", limit=4)},
        rows=(one, two),
    )  # fmt: skip
    assert [found.lm_behind(one, column) for column in found.columns] == ["a-model", "other"]
    assert found.measure(two, found.columns[0]).metric == "recall@5"
    without = open_experiment(written(tmp_path, GOOD.replace('published = [50.5, "–"]', "")))
    assert without.row("one").published == (None, None)


WRONG = {
    "a key nobody knows": ('title = "Two', 'tilte = 1\ntitle = "Two', "tilte: unknown key 'tilte'; did you mean"),
    "a truth value for a number": ("limit = 4", "limit = true", "small.limit: input should be a valid integer"),
    "a limit of none": ("limit = 4", "limit = 0", "sets.small.limit: input should be greater than 0, not 0"),
    "rules of nobody": ("limit = 4", 'rules = "x"', "sets.small.rules: unknown set of answer rules 'x'."),
    "a set without questions": ('questions = "little"', "", "sets.small.questions: it is missing."),
    "no sets": ('[sets.small]\nquestions = "little"\nlimit = 4', "", "sets: it is missing."),
    "a column of another set": ('{ set = "small", metric = "f1" }', '{ set = "big", metric = "f1" }',
                                "columns[1].set: unknown question set 'big'."),
    "a metric nobody knows": ('metric = "f1" }', 'metric = "f2" }', "columns[1].metric: unknown metric 'f2'"),
    "half a ratio": ('metric = "f1" }', 'metric = "f1/" }', "columns[1].metric: unknown metric ''"),
    "a figure too few": ('[50.5, "–"]', "[50.5]", "rows[1].published: it has 1 figures for 2 columns; write '–' "),
    "a figure that is a word": ('[50.5, "–"]', '[50.5, "much"]', "[1].published[2]: input should be a valid num"),
    "a program nobody knows": ('"one-step"', '"onestep"', "rows[1].program: unknown program 'onestep'; did"),
    "a setting nobody knows": ("{ k = 3 }", "{ kk = 3 }", "rows[1].settings: unknown setting of one-step 'kk'"),
    "a setting that cannot be": ("{ k = 3 }", "{ k = 0 }", "rows[1].settings: setting 'k' of one-step cannot be 0"),
    "settings on another set": ("settings_on.small", "settings_on.big", "rows[2].settings_on: unknown question set 'b"),
    "two rows of one name": ('name = "two"', 'name = "one"', "rows: two rows are called 'one'; give one another name."),
    "a step that is none": ('{ read = "larger" }', '{ reed = "larger" }', "rows[2].step_lms: unknown step of resp 're"),
    "a test against no row": ('name = "two"', 'name = "two"\nagainst = ["tow"]',
                              "rows[2].against: unknown other row 'tow'. Valid: one"),
    "a test against itself": ('name = "two"', 'name = "two"\nagainst = ["two"]', "rows[2].against: unknown other row"),
    "a curve of no column": ("shots = 3", 'shots = 3\ncurve = ["tokens", "f1"]',
                             "curve: unknown measure of the columns 'tokens'. Valid: em, f1"),
    "half a curve": ("shots = 3", 'shots = 3\ncurve = ["f1"]', "curve: it has two measures, the one below and the"),
    "cases of one set beside another": ("limit = 4", 'asking = ["Who?"]\n\n[sets.other]\nquestions = "little"',
                                        "sets: a set that names the questions to ask is the only one"),
    "weights of nobody": ('name = "one"', 'weights = "musique"\nname = "one"', "Valid: own, small."),
    "weights of what takes none": ('name = "two"', 'weights = "own"\nname = "two"', "resp takes no weights"),
    "steps of what is not compiled": ('name = "one"', 'by_steps = true\nname = "one"', "the row is not compiled; give"),
    "lessons of none": ('name = "one"', 'training = 0\nname = "one"', "rows[1].training: input should be greater than"),
    "no TOML": ('title = "Two', 'title = Two', "is not TOML"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_in_a_sentence_with_file_and_key(what, tmp_path):
    good, bad, said = WRONG[what]
    assert good in GOOD
    path = written(tmp_path, GOOD.replace(good, bad))
    with pytest.raises(InputError) as caught:
        open_experiment(path)
    assert str(caught.value).startswith(f"{path}")
    assert said in str(caught.value)


def test_names_that_are_none(tmp_path):
    with pytest.raises(InputError, match=re.escape("unknown experiment 'tor-tabel-2'; did you mean 'tor-table-2'?")):
        open_experiment("tor-tabel-2")
    with pytest.raises(InputError, match=r"there is no experiment in .*none\.toml: no such file\."):
        open_experiment(tmp_path / "none.toml")
    assert len(experiment_names()) == 41
