import dspy
import pytest

from multihop import InputError, Question
from multihop.evaluation.metrics import F1, CallsSaved, Objectives, objectives_named

ADA = Question(id="q", question="Who wrote it?", answers=("Ada",))


def said(answer, calls=6):
    return dspy.Prediction(answer=answer, cost={"calls": calls})


def test_the_score_is_the_weighted_mean_with_each_beside_it():
    score = objectives_named(["f1=3", "calls-saved@12"])(ADA, said("Ada"))
    assert score.score == 0.875
    assert score.objective_scores == {"f1": 1.0, "calls-saved@12": 0.5}
    assert score.feedback == '"Ada" is right. 6 of at most 12 calls were made.'


def test_an_answer_is_right_where_the_first_says_so():
    metric = Objectives([F1(), CallsSaved(12)])
    assert bool(metric(ADA, said("Ada", calls=12)))
    assert not bool(metric(ADA, said("Charles", calls=0)))


def test_what_does_not_apply_weighs_nothing():
    assert Objectives([F1(), CallsSaved(12)]).measure(ADA, dspy.Prediction(answer="Ada")) == 1.0
    assert Objectives([CallsSaved(12)]).combine({}) is None


def test_its_identity_holds_each_with_its_weight():
    parts = objectives_named(["f1=3", "em"], rules="musique").identity["of"]
    assert parts == {"f1": {"version": 1, "rules": "musique", "weight": 3.0}, "em": {"version": 1, "weight": 1.0}}


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["f1", "f1=2"], "objectives are different metrics, one or more, not f1, f1"),
        (["f1=much"], "'f1=much' is no objective: say NAME or NAME=WEIGHT"),
        (["f1=0"], "each objective has a weight above 0"),
        (["f2"], "unknown metric 'f2'"),
        ([], "not none"),
    ],
)
def test_what_is_no_objective_is_refused(names, said):
    with pytest.raises(InputError, match=said):
        objectives_named(names)
