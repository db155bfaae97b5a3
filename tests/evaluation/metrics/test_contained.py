import dspy
import pytest

from multihop import Question
from multihop.evaluation.metrics import Accuracy, metric_named


@pytest.mark.parametrize(
    ("answer", "accepted", "expected"),
    [
        ("It was Ada Lovelace, of course.", ["Ada Lovelace"], 1.0),
        ("ada   LOVELACE!", ["The Ada Lovelace"], 1.0),
        ("Ada", ["Ada Lovelace"], 0.0),
        ("Countess", ["Ada Lovelace", "the Countess"], 1.0),
        ("nothing", ["no"], 1.0),  # letters are compared, not words
        ("", ["Ada"], 0.0),
        ("Ada", ["The"], 0.0),  # nothing is left of what is accepted
        ("the", ["The"], 1.0),
        (None, ["Ada"], 0.0),
        ("Ada", [], None),
    ],
)
def test_an_accepted_answer_is_in_the_answer(answer, accepted, expected):
    question = Question(id="q", question="Who?", answers=tuple(accepted))
    assert Accuracy().measure(question, dspy.Prediction(answer=answer)) == expected


def test_it_has_a_name():
    assert isinstance(metric_named("acc"), Accuracy)
