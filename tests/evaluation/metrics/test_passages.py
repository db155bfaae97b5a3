import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import Shelf, by_field, run

from multihop import Decompose, IterativeRetrievalGeneration, OneStep, Passage, Question, SelfAsk
from multihop.evaluation.metrics import AllRecall, PassageCount, Recall

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


def test_of_a_pool_it_is_the_pool_that_counts():
    """Two of the four that came were found helpful, the first ones; "c" and "d" were only looked at."""
    prediction = came("a", "x", "c", "d", counts={"pool": 2, "documents": 4})
    assert PassageCount().measure(gold("a"), prediction) == 2.0
    assert Recall().measure(gold("a", "c"), prediction) == 0.5
    assert AllRecall().measure(gold("a", "c"), prediction) == 0.0
    assert AllRecall().measure(gold("a", "x"), prediction) == 1.0
    assert Recall(3).measure(gold("a", "c"), prediction) == 1.0  # a k of its own knows no pool
    assert "Missing 1 of 2 gold passages: c." in Recall()(gold("a", "c"), prediction).feedback
    empty = came("a", counts={"pool": 0})
    assert (PassageCount().measure(gold("a"), empty), Recall().measure(gold("a"), empty)) == (0.0, 0.0)
    assert PassageCount().measure(gold("a"), came("a", "b", counts={"rounds": 1})) == 2.0
    assert PassageCount().measure(gold("a"), came("a", "b", counts={"pool": 9})) == 2.0  # no more than came


def test_only_what_is_counted_anew_has_a_new_version():
    versions = {each.name: each.identity["version"] for each in (Recall(), AllRecall(), Recall(5), PassageCount())}
    assert versions == {"recall@K": 3, "all-recall@K": 3, "recall@5": 2, "K": 2}


FOLLOW_UPS = [*({"enough": False, "sub_question": name} for name in "st"), {"enough": True, "answer": "x"}]


@pytest.mark.parametrize(
    ("program", "settings", "said", "recall", "most"),
    [
        (OneStep, {}, {}, 0.5, 3),  # q finds a b e
        (Decompose, {"parts": 2}, {"sub_questions": [["s", "t"]]}, 1.0, 5),  # s and t find b c d and d a g
        (IterativeRetrievalGeneration, {"turns": 2}, {"reasoning": {"reasoning": "r", "answer": "x"}}, 1.0, 4),
        (SelfAsk, {"turns": 2}, {"sub_question": FOLLOW_UPS, "sub_answer": {"answerable": False}}, 1.0, 5),
    ],
)
def test_k_is_of_all_turns_each_passage_once(program, settings, said, recall, most):
    """The gold is a and d: what the last turn alone finds, or the reader is shown, does not matter."""
    shelf = Shelf(**{"q": "a b e", "q r x": "a d b", "s": "b c d", "t": "d a g"})
    lm = by_field(**{"answer": "x", **said})
    prediction, _ = run(program(shelf, k=3, **settings), lm)
    assert (PassageCount().measure(gold("a", "d"), prediction), Recall().measure(gold("a", "d"), prediction)) == (
        most,
        recall,
    )


@given(IDS.filter(bool), IDS.filter(bool), st.integers(1, 8))
def test_recall_grows_with_k_up_to_recall_at_all(ids, wanted, k):
    question, prediction = gold(*wanted), came(*ids)
    at_k, later, total = (metric.measure(question, prediction) for metric in (Recall(k), Recall(k + 1), Recall()))
    assert 0.0 <= at_k <= later <= total <= 1.0
    assert AllRecall(k).measure(question, prediction) == float(at_k == 1.0)
