from pathlib import Path

import dspy
import pytest

from multihop import Question, scripted
from multihop.base.english import REFUSALS, refuses
from multihop.evaluation.header import describe_questions
from multihop.evaluation.metrics import F1, Accuracy, ExactMatch, Judged

NO_ANSWER = Question(id="q", question="Who?", answers=(), answerable=False)
UNKNOWN = Question(id="q", question="Who?", answers=())
METRICS = [ExactMatch(), F1(), F1("musique"), Accuracy(), Judged(scripted([]))]
MEASURED = pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)


@pytest.mark.parametrize(
    "answer",
    ["", "  ", None, "Unanswerable.", "unknown", "I don't know", "The question cannot be answered", "noanswer"],
)
@MEASURED
def test_a_refusal_is_right_where_there_is_no_answer(metric, answer):
    assert metric.measure(NO_ANSWER, dspy.Prediction(answer=answer)) == 1.0
    assert metric.measure(NO_ANSWER.to_example(), dspy.Prediction(answer=answer)) == 1.0


@pytest.mark.parametrize("answer", ["Ada", "no", "The Unknown Soldier", "0"])
@MEASURED
def test_an_answer_is_wrong_where_there_is_none(metric, answer):
    assert not refuses(answer)
    assert metric.measure(NO_ANSWER, dspy.Prediction(answer=answer)) == 0.0


@MEASURED
def test_nothing_is_measured_where_the_answer_is_not_known(metric):
    assert metric.measure(UNKNOWN, dspy.Prediction(answer="unknown")) is None


def test_a_refusal_of_a_question_with_an_answer_scores_as_any_other_answer():
    question = Question(id="q", question="Who?", answers=("the Unknown Soldier",))
    scores = [metric.measure(question, dspy.Prediction(answer="unknown")) for metric in METRICS[:-1]]
    assert scores == [0.0, pytest.approx(2 / 3), pytest.approx(2 / 3), 0.0]
    assert ExactMatch().measure(question, dspy.Prediction(answer="")) == 0.0


def test_the_feedback():
    feedback = [ExactMatch()(NO_ANSWER, dspy.Prediction(answer=answer)).feedback for answer in ("unknown", "Ada")]
    assert feedback == [
        'The question cannot be answered, and "unknown" says so.',
        'The question cannot be answered, and "Ada" is an answer.',
    ]


def test_the_page_names_all_refusals():
    page = (Path(__file__).parents[3] / "docs" / "metrics.md").read_text()
    block = page.partition("## Questions that cannot be answered")[2].partition("\n    ")[2].partition("\n\n")[0]
    assert {each.strip() for each in block.replace("\n", " ").split(",")} == REFUSALS - {""}


def test_the_hash_of_questions_with_answers_is_what_it_was():
    asked = [Question(id="q1", question="Who wrote Emma?", answers=("Jane Austen",)), UNKNOWN]
    assert describe_questions(asked) == {"questions": 2, "fingerprint": "1e03259ad1ea06e26382a5b20dbf758e"}
    assert describe_questions([asked[0], NO_ANSWER])["fingerprint"] != "1e03259ad1ea06e26382a5b20dbf758e"
