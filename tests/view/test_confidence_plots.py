import pytest
import ujson
from written_runs import row

from multihop.__main__ import main
from multihop.base import InputError
from multihop.evaluation.journal.journal import Journal
from multihop.evaluation.report.confidence import confidence_figures
from multihop.view.plots.confidence import NOT_CALIBRATED, plot_reliability, plot_risk_coverage
from multihop.view.plots.drawing import as_svg
from multihop.view.plots.plotting import plot_runs

COST = {
    "calls": 1, "cached": 0, "estimated": 0, "retrievals": 1, "parse_failures": 0, "chain": 1, "seconds": 0.5,
    "calls_by_role": {}, "tokens": {}, "tokens_by_role": {},
}  # fmt: skip
IDENTITY = {"lm": {}, "metrics": {}, "data": {"fingerprint": "same"}}
RIGHT = [True] * 5 + [False] * 15 + [True] * 15 + [False] * 5
TRUE = {**confidence_figures([0.25] * 20 + [0.75] * 20, RIGHT, [float(each) for each in RIGHT]), "calibrated": True}


@pytest.fixture
def a_sure_run(tmp_path):
    def make(name, confidences, f1, *, calibrated=True):
        identity = {**IDENTITY, "program": {"name": name, "settings": {}}}
        with Journal(tmp_path / name, identity, {}) as journal:
            journal.append(
                {
                    "id": f"q{place}", "status": "ok", "type": "", "hops": 2, "answers": ["Ada"], "answer": "Ada",
                    "metrics": {"f1": score, "em": float(score == 1.0)}, "cost": COST, "run_seconds": 1.0,
                    "confidence": sure, "calibrated": calibrated, "abstained": False,
                }
                for place, (sure, score) in enumerate(zip(confidences, f1, strict=True))
            )  # fmt: skip
        return tmp_path / name

    return make


def test_the_marks_of_a_true_confidence_lie_on_the_line_of_a_perfect_one():
    plot = plot_reliability({"tor": TRUE})
    (left, bottom), (right, top) = plot["lines"][0]["places"]
    for point in plot["points"]:
        assert (point["x"] - left) / (right - left) == pytest.approx((point["y"] - bottom) / (top - bottom), abs=0.01)
        assert point["high"] < point["y"] < point["low"]
    assert len(plot["points"]) == 10
    assert [point["name"] for point in plot["points"] if point["name"]] == ["tor"]


def test_f1_of_the_surest_is_marked_at_a_half_at_four_fifths_and_at_all():
    plot = plot_risk_coverage({"tor": TRUE})
    assert [point["title"] for point in plot["points"]] == [
        "tor: F1 75.0 over the surest 50 %, with a confidence of 0.75 or more",
        "tor: F1 56.2 over the surest 80 %, with a confidence of 0.25 or more",
        "tor: F1 50.0 over the surest 100 %, with a confidence of 0.25 or more",
    ]
    assert len(plot["lines"][0]["places"]) == 20


def test_runs_are_told_apart_and_say_where_they_are_not_calibrated(a_sure_run):
    runs = [
        a_sure_run("tor", [0.9, 0.8, 0.4], [1.0, 1.0, 0.0]),
        a_sure_run("resp", [0.9, 0.3, 0.4], [0.0, 1.0, 0.0], calibrated=False),
    ]
    drawn = plot_runs(runs, "reliability")
    assert [(each["name"], each["n"], each["auroc"]) for each in drawn.values] == [("tor", 3, 1.0), ("resp", 3, 0.0)]
    assert drawn.plot["note"] == NOT_CALIBRATED
    assert {point["name"] for point in drawn.plot["points"]} == {"", "tor", "resp*"}
    assert {point["sign"] for point in drawn.plot["points"]} == {"circle", "square"}
    assert "resp*" in as_svg(drawn.plot)


def test_one_run_is_enough_and_the_command_prints_its_figures(a_sure_run, capsys):
    folder = a_sure_run("tor", [0.9, 0.8, 0.4], [1.0, 1.0, 0.0])
    assert main(["plot", str(folder), "--of", "risk-coverage", "--json"]) == 0
    (values,) = ujson.loads(capsys.readouterr().out)
    assert (values["name"], values["f1_at_50"], values["folders"]) == ("tor", 1.0, [str(folder)])


def test_repeats_of_a_run_are_drawn_as_one(a_sure_run, tmp_path):
    for number in (1, 2):
        a_sure_run(f"times/repeat-{number}", [0.9, 0.1], [1.0, 0.0])
    (values,) = plot_runs([tmp_path / "times"], "reliability").values
    assert values["n"] == 4


def test_answers_without_confidence_are_no_plot(a_run):
    with pytest.raises(InputError, match="have no confidence"):
        plot_runs([a_run("one", [row("q1", [])])], "reliability")
