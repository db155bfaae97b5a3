import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.base import InputError
from multihop.evaluation.report.confidence import BINS, RIGHT, confidence_figures, share_below

ANSWER = st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 0.9, 1.0]), st.sampled_from([0.0, 0.4, 0.5, 0.8, 1.0]))
ANSWERS = st.lists(ANSWER, min_size=1, max_size=40)


def figures_of(answers):
    return confidence_figures(
        [sure for sure, _ in answers], [f1 >= RIGHT for _, f1 in answers], [f1 for _, f1 in answers]
    )


@given(ANSWERS)
def test_auroc_is_the_share_of_pairs_in_order(answers):
    pairs = [
        1.0 if sure > other else 0.5 if sure == other else 0.0
        for (sure, f1), (other, worse) in itertools.product(answers, answers)
        if f1 >= RIGHT > worse
    ]
    expected = sum(pairs) / len(pairs) if pairs else None
    assert figures_of(answers)["auroc"] == (pytest.approx(expected, abs=1e-6) if pairs else None)


@given(ANSWERS)
def test_brier_and_f1_are_plain_means(answers):
    found = figures_of(answers)
    assert found["n"] == len(answers)
    assert found["brier"] == pytest.approx(sum((s - (f >= RIGHT)) ** 2 for s, f in answers) / len(answers), abs=1e-6)
    assert found["f1"] == pytest.approx(sum(f1 for _, f1 in answers) / len(answers), abs=1e-6)


def by_turns(answers, take):
    """The mean of a figure over all orders in which equal confidences may stand, sampled far enough."""
    shuffler, values = random.Random(0), []
    for _ in range(3000):
        mixed = shuffler.sample(answers, len(answers))
        values.append(take(sorted(mixed, key=lambda answer: -answer[0])))
    return sum(values) / len(values)


@pytest.mark.parametrize("seed", range(4))
def test_ties_count_as_the_mean_over_all_their_orders(seed):
    dice = random.Random(seed)
    answers = [(dice.choice([0.2, 0.5, 0.8]), dice.choice([0.0, 0.5, 1.0])) for _ in range(10)]
    found = figures_of(answers)
    at_80 = by_turns(answers, lambda ordered: sum(f1 for _, f1 in ordered[:8]) / 8)
    area = by_turns(
        answers,
        lambda ordered: sum(1 - sum(f1 for _, f1 in ordered[:k]) / k for k in range(1, 11)) / 10,
    )
    assert found["f1_at_80"] == pytest.approx(at_80, abs=0.02)
    assert found["risk_coverage_area"] == pytest.approx(area, abs=0.02)


@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.sampled_from([0.0, 0.3, 1.0])), min_size=20, max_size=20, unique_by=lambda a: a[0]
    )
)
def test_without_ties_figures_are_those_of_the_sorted_answers(answers):
    found = figures_of(answers)
    ordered = sorted(answers)
    pairs = [ordered[place : place + 2] for place in range(0, 20, 2)]
    expected = [(sum(s for s, _ in pair) / 2, sum(f >= RIGHT for _, f in pair) / 2) for pair in pairs]
    assert [(each["confidence"], each["right"]) for each in found["bins"]] == [
        pytest.approx(each, abs=1e-6) for each in expected
    ]
    assert found["ece"] == pytest.approx(sum(abs(s - r) for s, r in expected) / BINS, abs=2e-6)
    surest = [f1 for _, f1 in reversed(ordered)]
    assert found["f1_at_50"] == pytest.approx(sum(surest[:10]) / 10, abs=1e-6)
    assert [point["f1"] for point in found["curve"]] == [
        pytest.approx(sum(surest[:k]) / k, abs=1e-6) for k in range(1, 21)
    ]
    assert [point["confidence"] for point in found["curve"]] == [
        pytest.approx(sure, abs=1e-6) for sure, _ in reversed(ordered)
    ]


@given(ANSWERS, st.randoms())
def test_no_figure_depends_on_the_order_of_the_questions(answers, dice):
    mixed = dice.sample(answers, len(answers))
    for one, other in zip(figures_of(answers).values(), figures_of(mixed).values(), strict=True):
        assert one == (pytest.approx(other, abs=2e-6) if isinstance(other, float) else other)


def test_a_true_confidence_has_no_calibration_error():
    answers = [(0.8, 1.0)] * 8 + [(0.8, 0.0)] * 2
    found = figures_of(answers)
    assert found["ece"] == 0.0
    assert found["brier"] == pytest.approx(0.16)
    assert found["auroc"] == 0.5


def test_one_answer_has_figures():
    assert confidence_figures([0.7], [True], [1.0]) == {
        "n": 1,
        "ece": 0.3,
        "brier": 0.09,
        "auroc": None,
        "f1": 1.0,
        "f1_at_80": 1.0,
        "f1_at_50": 1.0,
        "risk_coverage_area": 0.0,
        "bins": [{"confidence": 0.7, "right": 1.0}],
        "curve": [{"coverage": place / 20, "f1": 1.0, "confidence": 0.7} for place in range(1, 21)],
    }


def test_no_answer_is_an_error():
    with pytest.raises(InputError, match="no answer with a confidence"):
        confidence_figures([], [], [])


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=12),
    st.lists(st.floats(0, 1), min_size=1, max_size=12),
    st.floats(0, 1),
)
def test_the_share_below_grows_with_the_share_and_ends_at_all(lower, others, share):
    assert share_below(lower, others, 1.0) == 1.0
    assert 0 <= share_below(lower, others, share / 2) <= share_below(lower, others, share) <= 1


@given(st.lists(st.sampled_from([0.1, 0.4, 0.7]), min_size=1, max_size=12))
def test_of_the_same_values_the_same_share_is_below(values):
    assert share_below(values, values, 0.3) == pytest.approx(0.3)
