import re

import pytest
from written_runs import UNMEASURED, failed, row, rows, write_run

from multihop import InputError
from multihop.evaluation.journal import read_header, read_rows
from multihop.evaluation.summary import summarize
from multihop.view import write_run_page
from multihop.view.comparison import describe_changes, describe_pair
from multihop.view.figures import describe_each
from multihop.view.folders import runs_in


@pytest.fixture
def pair(a_run):
    first, second, third, *_ = rows()
    wrong = {"metrics": {"em": 0.0, "f1": 0.0, "recall@5": 1.0}, "answer": "Warsaw"}
    a = a_run("a", [first, second, third, failed("q9")])
    b = a_run(
        "b",
        [{**first, **wrong}, {**second, "metrics": first["metrics"]}, third, row("q9", [])],
        settings={"depth": 3, "widths": [4, 2]},
    )
    return [a, b]


def test_differences_flips_and_what_only_one_answered(pair):
    found = describe_pair(pair, 1, ["tor depth=2", "tor depth=3"])
    assert (found["n"], found["gained"], found["lost"]) == (3, ["q2"], ["q1"])
    assert found["notes"] == ["1 question only tor depth=3 answered.", "tor depth=2 failed on 1 question."]
    em = next(line for line in found["lines"] if line["name"] == "em")
    assert (em["a"], em["b"], em["change"], em["p_value"], em["sure"]) == ("66.7", "66.7", "0.0", "1.000", False)
    assert (em["interval"], "place" in em) == ("–", False)  # of three questions
    assert ("calls", "3.00", "3.00") in found["cost"]


def test_a_metric_over_some_of_the_questions_has_its_n_and_what_failed_is_told(a_run):
    missing = {"metrics": {"em": None, "f1": 1.0, "recall@5": 1.0}, **UNMEASURED}
    a = a_run("a", [row("q1", []), row("q2", []), row("q3", [])])
    b = a_run("b", [row("q1", [], **missing), row("q2", [], status="over_budget"), row("q3", [])])
    found = describe_pair([a, b], 1, ["tor", "tor again"])
    assert [line["name"] for line in found["lines"]][:2] == ["em (n=2)", "f1"]
    assert found["notes"] == [
        "tor again: em: 1 of 3 answers has no number; the interval counts that one against it; the run's command "
        "measures that one alone.",
        "tor again: 1 of 3 questions was cut short by the budget.",
    ]
    assert ("seconds, mean", "0.50", "0.50") in found["cost"]


def test_the_run_time_stands_beside_the_seconds_alone(a_run):
    a, b = (a_run(name, [row("q1", [], run_seconds=seconds)]) for name, seconds in (("a", 3.0), ("b", 90.0)))
    cost = describe_pair([a, b], 1, ["a", "b"])["cost"]
    assert cost[-2:] == [("run time", "3.0 s", "1:30"), ("questions a minute", "20", "0.7")]


def test_each_of_several_runs_has_its_quality_and_what_a_question_costs(a_run):
    runs = [a_run("a", [row("q1", []), row("q2", [], right=False)]), a_run("b", [row("q1", [])])]
    lines = describe_each(["a", "b"], [summarize(read_rows(run), read_header(run)) for run in runs])
    assert [(line["name"], line["bar"]["text"]) for line in lines] == [("a", "50.0"), ("b", "100.0")]
    assert [(line["calls"], line["tokens"], line["seconds"]) for line in lines] == [("3.0", "120", "0.50")] * 2


def test_one_run_given_twice_and_a_study_among_runs_are_refused(a_run, tmp_path):
    run = a_run("a", rows())
    with pytest.raises(InputError, match="a is given twice; give each run once"):
        runs_in([run, run])
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "table.json").write_text("{}")
    with pytest.raises(InputError, match="study is a study, which has a page of its own; give it alone"):
        runs_in([run, tmp_path / "study"])


def test_repeats_are_taken_in_the_order_of_their_numbers(tmp_path):
    for place in (1, 2, 10):
        (tmp_path / f"repeat-{place}").mkdir()
        (tmp_path / f"repeat-{place}" / "run.json").write_text("{}")
    assert [run.name for run in runs_in([tmp_path])] == ["repeat-1", "repeat-2", "repeat-10"]


@pytest.fixture
def compiled(tmp_path):
    """A saved program with the runs of its variants beside it."""
    given = {"instructions": "Give a short answer.", "fields": {}, "demos": [{"question": "Old?"}]}
    taught = {"instructions": "Give one answer.", "fields": {}, "demos": [{"question": "Who? <b>", "answer": "Ada"}]}
    judge = {"instructions": "Judge.", "fields": {}, "demos": []}
    for name, read in {"zero-shot": given, "labeled-1": taught, "instructions": given}.items():
        folder = tmp_path / "resp.json.work" / "dev" / name
        write_run(folder, rows()[:2], prompts={"read": read, "judge": judge})
    (tmp_path / "resp.json").write_text("{}")
    return tmp_path / "resp.json"


def test_a_compile_is_its_variants_the_program_as_it_was_first(compiled):
    names = ["zero-shot", "instructions", "labeled-1"]
    assert [run.name for run in runs_in([compiled])] == names
    assert [run.name for run in runs_in([f"{compiled}.work"])] == names
    (compiled.parent / "table.csv").touch()
    with pytest.raises(InputError, match=r"table\.csv is a file; give the folder of a run, or a program with its"):
        runs_in([compiled.parent / "table.csv"])
    assert describe_changes(*map(read_header, runs_in([compiled])[:2])) == []


def test_the_page_of_a_compile_shows_what_changed(compiled, tmp_path):
    page = write_run_page([compiled], tmp_path / "page.html").read_text()
    assert re.search(r'<p class="under">tor \(zero-shot\), tor \(instructions\), tor \(labeled-1\)\s*</p>', page)
    sides = re.findall(r'<p class="kind">(tor [^<]+)</p>\s*<p class="prose change">(.*?)</p>', page)
    assert sides == [
        ("tor (zero-shot)", "Give <del>a short</del> answer."),
        ("tor (labeled-1)", "Give <ins>one</ins> answer."),
    ]
    assert page.count('<details class="changes" open>') == 1
    assert "Who? &lt;b&gt;" in page
    assert "Old?" in page
