import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop import Passage, Question
from multihop.evaluation.metrics import metric_named

IDS = st.lists(st.sampled_from("abcdefghijklmnop"), max_size=14, unique=True)
THEIRS = {
    "ndcg@5": "ndcg_cut_5",
    "ndcg@10": "ndcg_cut_10",
    "ndcg@K": "ndcg",
    "mrr@K": "recip_rank",
    "map@5": "map_cut_5",
    "map@K": "map",
    "success@5": "success_5",
    "recall@5": "recall_5",
}


def question(*supporting):
    return Question(id="q", question="?", answers=("x",), supporting=supporting)


def came(*ids):
    return dspy.Prediction(passages=[Passage(identifier, "", "") for identifier in ids], retrieves=True)


@given(IDS, IDS.filter(bool))
def test_every_number_is_that_of_trec_eval(found, gold):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    judged = {"q": dict.fromkeys(gold, 1)}
    scores = {passage: 1 / rank for rank, passage in enumerate(found, 1)} or {"nothing of it": 1.0}
    theirs = pytrec_eval.RelevanceEvaluator(judged, set(THEIRS.values())).evaluate({"q": scores})["q"]
    ours = {name: metric_named(name).measure(question(*gold), came(*found)) for name in THEIRS}
    assert ours == pytest.approx({name: theirs[other] for name, other in THEIRS.items()})


def test_by_hand():
    prediction = came("x", "a", "y", "b")
    numbers = {
        name: metric_named(name).measure(question("a", "b", "c"), prediction)
        for name in ("mrr@1", "mrr@10", "map@K", "map@3", "success@1", "success@2", "ndcg@2")
    }
    assert numbers == pytest.approx(
        {
            "mrr@1": 0.0,
            "mrr@10": 1 / 2,
            "map@K": (1 / 2 + 2 / 4) / 3,
            "map@3": (1 / 2) / 3,
            "success@1": 0.0,
            "success@2": 1.0,
            "ndcg@2": 0.6309298 / 1.6309298,
        }
    )
    assert metric_named("ndcg@10").measure(question(), prediction) is None
    assert metric_named("ndcg@10")(question("a", "c"), prediction).feedback == "Missing 1 of 2 gold passages: c."
