import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.retrieval.words.postings import Postings
from multihop.retrieval.words.ranking import accumulate, best


def slow_best(scores, k, above=0.0):
    ranking = sorted((-score, position) for position, score in enumerate(scores.tolist()) if score > above)[:k]
    return [position for _, position in ranking], [-score for score, _ in ranking]


@given(st.lists(st.sampled_from([0, 0, 0, 0.5, 1, 1.25, 2]), min_size=1), st.integers(1, 12))
def test_best_is_a_full_sort_of_what_is_above_zero(scores, k):
    scores = numpy.array(scores, numpy.float32)
    assert best(scores, k) == slow_best(scores, k)


@pytest.mark.parametrize("size", [5, 20_011])
@pytest.mark.parametrize("k", [1, 10, 100, 5000])
def test_best_of_scores_below_zero_too(size, k):
    scores = numpy.random.default_rng(k).integers(-500, 50, size).astype(numpy.float32)
    assert best(scores, k, above=-numpy.inf) == slow_best(scores, k, -numpy.inf)


@pytest.mark.parametrize("k", [1, 10, 100, 5000])
@pytest.mark.parametrize("positive", [0.0, 0.001, 0.2, 1.0])
@pytest.mark.parametrize("distinct", [3, 10**6])
def test_best_among_many(k, positive, distinct):
    random = numpy.random.default_rng(k)
    scores = random.integers(1, distinct + 1, 20_011).astype(numpy.float32)
    scores[random.random(len(scores)) >= positive] = 0
    assert best(scores, k) == slow_best(scores, k)


def test_best_in_the_passages_left_over_when_they_are_dealt_out():
    scores = numpy.zeros(10_007, numpy.float32)
    scores[-5:] = [1, 5, 3, 5, 2]
    assert best(scores, 3) == ([10_003, 10_005, 10_004], [5, 5, 3])


def test_accumulate_forgets_what_was_there_and_counts_repeated_terms():
    postings = Postings(
        numpy.array([1, 2, 4], numpy.float32), numpy.array([0, 2, 2], numpy.int32), numpy.array([0, 2, 3], numpy.int64)
    )
    scores = numpy.full(3, 9, numpy.float32)
    accumulate(postings, [0, 1, 1], scores)
    assert scores.tolist() == [1, 0, 10]
