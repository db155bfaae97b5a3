import dspy
from hypothesis import given
from hypothesis import strategies as st

from multihop import Passage, Question
from multihop.evaluation.metrics import AllRecall, PassageCount, Recall, SupportingExactMatch, SupportingF1

IDS = st.lists(st.sampled_from("abcdefg"), max_size=8)


def gold(*supporting, **fields):
    return Question(id="q", question="?", answers=("x",), supporting=supporting, **fields)


def came(*ids, **fields):
    return dspy.Prediction(passages=[Passage(identifier, "", "") for identifier in ids], **fields)


def test_by_hand():
    prediction = came("a", "x", "b", "a", "c")
    assert Recall(1).measure(gold("a", "b", "c"), prediction) == 1 / 3
    assert Recall(3).measure(gold("a", "b", "c"), prediction) == 2 / 3
    assert Recall(4).measure(gold("a", "b", "c"), prediction) == 1.0  # the second "a" takes no place
    assert AllRecall(3).measure(gold("a", "b", "c"), prediction) == 0.0
    assert AllRecall(4).measure(gold("a", "b", "c"), prediction) == 1.0
    assert Recall().measure(gold("a", "z"), prediction) == 0.5
    assert PassageCount().measure(gold("a"), prediction) == 4.0
    assert Recall(5).measure(gold("a", "a"), came("a")) == 1.0


def test_without_gold_it_does_not_apply():
    assert Recall(5).measure(gold(), came("a")) is None
    assert AllRecall(5).measure(gold(), came("a")) is None


@given(IDS.filter(bool), IDS.filter(bool), st.integers(1, 8))
def test_recall_grows_with_k_up_to_recall_at_all(ids, wanted, k):
    question, prediction = gold(*wanted), came(*ids)
    at_k, later, total = (metric.measure(question, prediction) for metric in (Recall(k), Recall(k + 1), Recall()))
    assert 0.0 <= at_k <= later <= total <= 1.0
    assert AllRecall(k).measure(question, prediction) == float(at_k == 1.0)


def test_supporting_sentences_by_the_official_formula():
    question = gold("a", "b", supporting_sents=(("a", 0), ("b", 1)))
    right = came("a", supporting_sents=[("a", 0), ("b", 1)])
    half = came("a", supporting_sents=[["a", 0], ["a", 3]])  # lists, as JSON gives them
    assert SupportingExactMatch().measure(question, right) == SupportingF1().measure(question, right) == 1.0
    assert (SupportingExactMatch().measure(question, half), SupportingF1().measure(question, half)) == (0.0, 0.5)
    assert SupportingF1().measure(question, came("a", supporting_sents=[])) == 0.0
    assert SupportingF1().measure(question, came("a")) is None
    assert SupportingF1().measure(gold("a"), right) is None
    assert "('b', 1)" in SupportingF1()(question, half).feedback
