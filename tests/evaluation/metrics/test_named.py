import dspy
import pytest

from multihop import InputError, Question, evaluate, scripted
from multihop.evaluation.metrics import F1, ExactMatch, Metric, as_metric, metric_named
from multihop.evaluation.metrics.named import metrics_of

QUESTION = Question(id="q", question="Who wrote Emma?", answers=("Jane Austen",))
ADA = dspy.Prediction(answer="Ada")


def traced(example, prediction, trace):
    assert trace is None
    return dspy.Prediction(score=0.25, feedback="a quarter")


def unknown(example, prediction):
    return None


def wordy(example, prediction):
    return "very"


class FirstLetter(Metric):
    def measure(self, gold, prediction):
        return float(prediction.answer[:1] == gold.answer[:1])


def test_classes_instances_names_and_functions_are_metrics():
    assert as_metric("recall@7").k == 7
    assert metric_named("all-recall@7").k == 7
    assert as_metric(FirstLetter).name == "first-letter"
    assert as_metric(FirstLetter)(QUESTION, dspy.Prediction(answer="J")).feedback == "first-letter is 1.00."
    assert as_metric(traced).measure(QUESTION, ADA) == 0.25
    assert as_metric(unknown).measure(QUESTION, ADA) is None
    f1 = F1("musique")
    assert as_metric(f1) is f1
    assert metric_named("f1", rules="musique").identity == f1.identity


def test_what_measures_nothing_is_refused():
    with pytest.raises(InputError, match="the metric 'wordy' returned 'very'"):
        as_metric(wordy).measure(QUESTION, ADA)
    for nothing in (3, dict):
        with pytest.raises(InputError, match="a metric is a name, a Metric, or a function"):
            as_metric(nothing)
    for wrong in ("recall@0", "recal@5", "EM"):
        with pytest.raises(InputError, match="unknown metric"):
            metric_named(wrong)
    with pytest.raises(InputError, match=r"unknown metric 'em2'; did you mean 'em'\? .*recall@<k>.*MODULE:METRIC"):
        metric_named("em2")


def test_two_metrics_of_one_name_are_refused_and_the_same_one_counts_once():
    assert [metric.name for metric in metrics_of(["em", ExactMatch(), "f1"])] == ["em", "f1"]

    def em(example, prediction):
        return 1.0

    for pair in (["em", em], [F1("musique"), F1("hotpotqa")]):
        with pytest.raises(InputError, match="two metrics are called"):
            metrics_of(pair)


def test_a_run_measures_them_and_a_changed_function_is_another_metric(tmp_path):
    module = dspy.Predict("question -> answer")
    with dspy.context(lm=scripted(lambda prompt: {"answer": "Ada"})):
        run = evaluate(module, [QUESTION], metrics=["em", traced, FirstLetter], out=tmp_path / "run")
        assert run.summary["metrics"].keys() == {"em", "traced", "first-letter"}
        assert run.summary["metrics"]["traced"]["mean"] == 0.25

        def changed(example, prediction):
            return 1.0

        changed.__name__, changed.__qualname__ = "traced", traced.__qualname__
        with pytest.raises(InputError, match="metric"):
            evaluate(module, [QUESTION], metrics=["em", changed, FirstLetter], out=tmp_path / "run")
