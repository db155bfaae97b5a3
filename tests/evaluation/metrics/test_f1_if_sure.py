import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop import InputError, Question
from multihop.evaluation.metrics import F1IfSure, metric_named

ADA = Question(id="q", question="Who wrote it?", answers=("Ada Lovelace",))
NOBODY = Question(id="q", question="Who knows?", answers=(), answerable=False)


def said(answer, confidence, **more):
    return dspy.Prediction(answer=answer, confidence=confidence, **more)


@pytest.mark.parametrize(
    ("answer", "confidence", "score"),
    [("Ada Lovelace", 0.9, 1.0), ("Ada", 0.5, 2 / 3), ("Ada Lovelace", 0.49, 0.5), ("x", 0.49, 0.5), ("x", 0.9, 0.0)],
)
def test_f1_where_it_is_sure_and_the_credit_where_it_is_not(answer, confidence, score):
    assert F1IfSure(50).measure(ADA, said(answer, confidence)) == pytest.approx(score)


def test_a_withheld_answer_is_scored_as_if_it_was_given():
    withheld = said("I do not know", 0.6, best_guess="Ada Lovelace")
    assert (F1IfSure(50).measure(ADA, withheld), F1IfSure(70).measure(ADA, withheld)) == (1.0, 0.7)


def test_a_refusal_is_unsure_however_sure_it_is():
    assert F1IfSure(30).measure(ADA, said("unknown", 0.9)) == 0.3


def test_what_cannot_be_answered_is_right_to_be_unsure_of():
    metric = F1IfSure(50)
    assert [metric.measure(NOBODY, each) for each in (said("Ada", 0.9), said("Ada", 0.1), said("unknown", 0.9))] == [
        0.0,
        1.0,
        1.0,
    ]


@given(st.integers(1, 99), st.floats(0, 1))
def test_to_answer_is_worth_as_much_as_not_to_where_the_answer_is_as_likely_right_as_asked_for(least, likely):
    def worth(confidence):
        right, wrong = (F1IfSure(least).measure(ADA, said(answer, confidence)) for answer in ("Ada Lovelace", "x"))
        return likely * right + (1 - likely) * wrong

    given, withheld = worth(1.0), worth(0.0)
    assert (given > withheld) == (likely > least / 100) or given == pytest.approx(withheld)


def test_it_does_not_apply_without_a_confidence():
    assert F1IfSure().measure(ADA, dspy.Prediction(answer="Ada")) is None
    assert F1IfSure().measure(Question(id="q", question="?", answers=()), said("Ada", 0.9)) is None


def test_its_explanation_says_how_sure_it_was_and_what_was_expected():
    score = F1IfSure(50)(ADA, said("Ada", 0.31))
    expected = 'The confidence in "Ada" was 0.31, and 0.50 are asked for; "Ada Lovelace" was expected (F1 0.67).'
    assert (score.score, score.feedback) == (0.5, expected)


def test_it_is_named_with_its_percentage_and_follows_rules():
    metric = metric_named("f1-if-sure@40", rules="musique")
    assert (metric.name, metric.least, metric.identity["rules"]) == ("f1-if-sure@40", 40, "musique")
    with pytest.raises(InputError, match="f1-if-sure@<percent>"):
        metric_named("f1-if-sure@0")
    with pytest.raises(InputError, match="whole percentage from 1 to 99"):
        F1IfSure(100)
