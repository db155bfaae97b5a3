import copy
import pickle

import dspy
import pytest

from multihop import Passage, Question
from multihop.evaluation.metrics import ExactMatch, Recall, Score

GOLD = Question(
    id="q",
    question="Who?",
    answers=("Ada",),
    supporting=("p1", "p2"),
    passages=(Passage("p1", "Ada Lovelace", "..."), Passage("p2", "Charles Babbage", "...")),
)


def test_only_a_full_score_is_true_unless_told_otherwise():
    assert [bool(Score(score=score, feedback="")) for score in (0.0, 0.99, 1.0)] == [False, False, True]
    assert Score(score=0.8, feedback="", accept=0.75)
    assert not Score(score=0.7, feedback="", accept=0.75)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda score: pickle.loads(pickle.dumps(score))])
def test_copies_are_as_true_as_the_original(copied):
    for score in (0.7, 0.8):
        twin = copied(Score(score=score, feedback="why", accept=0.75))
        assert (twin.score, twin.feedback, bool(twin)) == (score, "why", score >= 0.75)


def test_feedback_names_the_missing_passages_by_their_titles():
    came = [Passage("p1", "Ada Lovelace", "..."), Passage("p9", "Alan Turing", "...")]
    feedback = ExactMatch()(GOLD, dspy.Prediction(answer="Alan", passages=came)).feedback
    assert feedback == 'Expected "Ada"; the answer was "Alan". Missing 1 of 2 gold passages: Charles Babbage.'
    assert Recall(5)(GOLD, dspy.Prediction(answer="Alan", passages=came)).feedback in feedback
    unknown = Question(id="q", question="Who?", answers=("Ada",), supporting=("p2",))
    assert Recall(5)(unknown, dspy.Prediction(passages=came)).feedback == "Missing 1 of 1 gold passages: p2."
