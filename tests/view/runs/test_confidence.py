import pytest
from written_runs import row, said

from multihop.view.page import write_run_page
from multihop.view.runs.confidence import MOST_DRAWN, describe_confidence
from multihop.view.runs.run_page import describe_whole_run

CITED = {"claim": "Łódź", "verdict": "supported", "passage": "p2", "title": "Jerzy", "sentence": "Born in Łódź."}
CITED |= {"start": 0, "end": 13, "score": 0.9}


def answered(number, confidence, *, right=True, **more):
    grounds = {"confidence": confidence, "calibrated": True, "abstained": False, "citations": [CITED]}
    return row(f"q{number}", [said("read", answer="Łódź")], right=right, **{**grounds, **more})


@pytest.fixture
def sure(a_run):
    rows = [answered(1, 0.9), answered(2, 0.8), answered(3, 0.6, right=False), answered(4, 0.3, right=False)]
    return a_run("sure", rows)


def test_the_worth_of_a_confidence_is_a_line_and_two_plots(sure):
    shown = describe_confidence(["tor"], [describe_whole_run(sure)["summary"]])
    (line,) = shown["lines"]
    assert line == {
        "name": "tor",
        "calibrated": True,
        "ece": "0.300",
        "auroc": "1.000",
        "f1": ["50.0", "62.5", "100.0"],
        "refused": ["–", "–"],
    }
    assert [plot["title"] for plot in shown["plots"]] == ["right answers by confidence", "F1 of the surest answers"]
    assert not shown["refuses"]


def test_what_was_refused_is_in_the_line(a_run):
    refused = {"answer": "I do not know", "best_guess": "Warsaw", "reason": "It is not sure.", "abstained": True}
    rows = [answered(1, 0.9), answered(2, 0.2, right=False, **refused), answered(3, 0.5, right=False)]
    summary = describe_whole_run(a_run("careful", rows))["summary"]
    shown = describe_confidence(["careful"], [summary])
    assert shown["refuses"]
    assert shown["lines"][0]["refused"] == ["33.3 of 3", "–"]


def test_runs_without_a_confidence_have_no_line_and_many_no_plot(sure, a_run):
    worth = describe_whole_run(sure)["summary"]
    none = describe_whole_run(a_run("none", [row("q1", [])]))["summary"]
    assert describe_confidence(["none"], [none]) is None
    shown = describe_confidence(["none", "sure"], [none, worth])
    assert [line["name"] for line in shown["lines"]] == ["sure"]
    names = [f"run {number}" for number in range(MOST_DRAWN + 1)]
    assert describe_confidence(names, [worth] * len(names))["plots"] == []


def test_a_page_has_the_block_where_answers_have_a_confidence(sure, a_run, tmp_path):
    page = write_run_page([sure], tmp_path / "sure.html").read_text()
    assert page.count('aria-label="How sure"') == 1
    assert page.count('<figure class="plot">') == 2
    none = write_run_page([a_run("none", [row("q1", [])])], tmp_path / "none.html").read_text()
    assert 'aria-label="How sure"' not in none
    both = write_run_page([sure, a_run("other", [answered(1, 0.4), answered(2, 0.7)])], tmp_path / "both.html")
    assert both.read_text().count('class="figures sureness"') == 1
