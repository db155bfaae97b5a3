"""A price counts the calls of programs and of the judge, and no reading where recall alone is asked for."""

import pytest
from simulated import simulated

from multihop.evaluation.journal import read_rows
from multihop.experiments import open_experiment, reproduce
from multihop.experiments.plan import plan_runs, price

QUESTIONS = 7405 + 2417 + 12576


def prices(name):
    experiment = open_experiment(name)
    return [price(run, counts=False) for run in plan_runs(experiment, experiment.sets)]


def test_every_judged_answer_is_a_call_of_the_judge():
    table = prices("efficientrag-table-3")
    assert sum(each.judge_calls for each in table) == 8 * QUESTIONS == 179_184
    assert sum(each.judge_calls for each in prices("resp-table-1")) == 0


@pytest.mark.parametrize(
    ("name", "row", "most"),
    [
        ("efficientrag-table-2", "Direct-R@10", 0),
        ("efficientrag-table-2", "EfficientRAG", 0),
        ("efficientrag-table-2", "Decompose-R", 1),
        ("efficientrag-table-2", "Iter-RetGen iter3", 2),
        ("tor-table-1", "OneR", 0),
        ("tor-table-1", "CoR", 3),
        ("tor-table-1", "ToR", 86),  # its passages are ordered by what the reader says
        ("efficientrag-table-3", "Direct-R@10", 1),
    ],
)
def test_tables_of_recall_alone_pay_no_reading(name, row, most):
    assert {each.run.most_calls for each in prices(name) if each.run.row.name == row} == {most}


def test_recall_is_measured_without_a_call(little_files, tmp_path):
    rows = ["Direct-R@10"]
    table = reproduce("efficientrag-table-2", rows=rows, out=tmp_path, lm=simulated, limit=3, **little_files)
    (row,) = (row for row in table["rows"] if row["row"] == "Direct-R@10" and row["set"] == "HotpotQA")
    recall, most = row["cells"]
    assert (row["calls"], row["n"], most["ours"]) == (0.0, 3, 10.0)
    assert recall["ours"] is not None
    journal = list(read_rows(tmp_path / row["folder"]))
    assert {(each["answer"], each["metrics"]["em"], each["metrics"]["f1"]) for each in journal} == {("", None, None)}
