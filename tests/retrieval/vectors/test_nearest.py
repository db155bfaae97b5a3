import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import multihop.retrieval.vectors.nearest as module
from multihop.retrieval.vectors.nearest import Blocks, nearest, nearest_among
from multihop.retrieval.vectors.vector_file import Vectors


def vectors(seed, count, width, kind=np.float16):
    dice = np.random.default_rng(seed)
    made = dice.normal(size=(count, width)) * dice.choice([0.1, 1, 30])
    made[dice.integers(0, count, count // 3)] = made[0]  # some are equal
    return made.astype(kind)


def one_each(rows):
    """As many passages, each with one vector."""
    return Vectors(rows, np.arange(len(rows) + 1))


def every_product(stored, query):
    scores = (stored.astype(np.float64) * query.astype(np.float64)).sum(axis=1).astype(np.float32).tolist()
    return sorted(enumerate(scores), key=lambda placed: (-placed[1], placed[0]))


@given(st.integers(0, 10_000), st.integers(1, 60), st.sampled_from([1, 3, 16, 65]), st.integers(1, 12))
def test_they_are_those_with_the_highest_products_and_equal_ones_in_their_order(seed, count, width, k):
    stored, queries = vectors(seed, count, width), vectors(seed + 1, 3, width, np.float32)
    assert nearest(Blocks(one_each(stored)), queries, k) == [every_product(stored, query)[:k] for query in queries]


@given(st.integers(0, 10_000), st.lists(st.integers(1, 5), min_size=1, max_size=20), st.integers(1, 25))
def test_of_several_vectors_a_passage_the_nearest_counts(seed, sizes, k):
    rows, queries = vectors(seed, sum(sizes), 8), vectors(seed + 1, 2, 8, np.float32)
    stored = Vectors(rows, np.cumsum([0, *sizes]))
    for query, found in zip(queries, nearest(Blocks(stored), queries, k), strict=True):
        products = dict(every_product(rows, query))
        highest = [
            max(products[row] for row in range(*stored.firsts[place : place + 2])) for place in range(len(sizes))
        ]
        ranked = sorted(enumerate(highest), key=lambda placed: (-placed[1], placed[0]))
        assert found == ranked[:k]
        among = np.arange(0, len(sizes), 2)
        assert nearest_among(stored, among, query, k) == [placed for placed in ranked if placed[0] % 2 == 0][:k]


def test_a_passage_of_more_vectors_than_are_compared_at_once_is_compared_as_a_whole(monkeypatch):
    stored, queries = Vectors(vectors(1, 50, 8), np.array([0, 2, 40, 41, 50])), vectors(2, 3, 8, np.float32)
    whole = nearest(Blocks(stored), queries, 4)
    monkeypatch.setattr(module, "_COMPARED", 5)
    assert [(block.place, len(block.rows)) for block in Blocks(stored)] == [(0, 2), (1, 38), (2, 1), (3, 9)]
    assert nearest(Blocks(stored), queries, 4) == whole


@pytest.mark.parametrize("compared", [1, 7, 64, 1000])
def test_how_they_are_divided_up_changes_no_bit(compared, monkeypatch):
    stored, queries = vectors(1, 500, 48), vectors(2, 9, 48, np.float32)
    whole = nearest(Blocks(one_each(stored)), queries, 10)
    monkeypatch.setattr(module, "_COMPARED", compared)
    again = Blocks(one_each(stored))
    assert [nearest(again, queries, 10) for _ in range(2)] == [whole, whole]
    assert [nearest(again, queries[place : place + 1], 10)[0] for place in range(9)] == whole


@pytest.mark.parametrize(("small", "kept"), [(500 * 48, True), (500 * 48 - 1, False)])
def test_the_vectors_of_a_small_corpus_are_made_precise_once(monkeypatch, small, kept):
    monkeypatch.setattr(module, "_SMALL", small)
    blocks = Blocks(one_each(vectors(1, 500, 48)))
    first, second = (next(iter(blocks)) for _ in range(2))
    assert (first.rows is second.rows) == kept
    longest = np.linalg.norm(vectors(1, 500, 48).astype(np.float64), axis=1).max()
    assert first.longest == second.longest == pytest.approx(longest)
