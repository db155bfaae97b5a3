from written_runs import row

from multihop.evaluation.journal import read_header, read_rows
from multihop.evaluation.summary import summarize
from multihop.view.figures import describe_each


def summary(folder):
    return summarize(read_rows(folder), read_header(folder))


def test_each_run_has_its_quality_and_what_a_question_costs(a_run):
    half = a_run("a", [row("q1", []), row("q2", [], right=False)])
    lines = describe_each(["a", "b"], [summary(half), summary(a_run("b", [row("q1", [])]))])
    assert [(line["name"], line["bar"]["name"], line["bar"]["text"]) for line in lines] == [
        ("a", "f1", "50.0"),
        ("b", "f1", "100.0"),
    ]
    assert [(line["calls"], line["tokens"], line["seconds"]) for line in lines] == [("3.0", "120", "0.50")] * 2
