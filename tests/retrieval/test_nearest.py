import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import multihop.retrieval.nearest as module
from multihop.retrieval.nearest import Blocks, nearest


def vectors(seed, count, width, kind=np.float16):
    dice = np.random.default_rng(seed)
    made = dice.normal(size=(count, width)) * dice.choice([0.1, 1, 30])
    made[dice.integers(0, count, count // 3)] = made[0]  # some are equal
    return made.astype(kind)


def every_product(stored, query):
    scores = (stored.astype(np.float64) * query.astype(np.float64)).sum(axis=1).astype(np.float32).tolist()
    return sorted(enumerate(scores), key=lambda placed: (-placed[1], placed[0]))


@given(st.integers(0, 10_000), st.integers(1, 60), st.sampled_from([1, 3, 16, 65]), st.integers(1, 12))
def test_they_are_those_with_the_highest_products_and_equal_ones_in_their_order(seed, count, width, k):
    stored, queries = vectors(seed, count, width), vectors(seed + 1, 3, width, np.float32)
    assert nearest(Blocks(stored), queries, k) == [every_product(stored, query)[:k] for query in queries]


@pytest.mark.parametrize("compared", [1, 7, 64, 1000])
def test_how_they_are_divided_up_changes_no_bit(compared, monkeypatch):
    stored, queries = vectors(1, 500, 48), vectors(2, 9, 48, np.float32)
    whole = nearest(Blocks(stored), queries, 10)
    monkeypatch.setattr(module, "_COMPARED", compared)
    again = Blocks(stored)
    assert [nearest(again, queries, 10) for _ in range(2)] == [whole, whole]
    assert [nearest(again, queries[place : place + 1], 10)[0] for place in range(9)] == whole


@pytest.mark.parametrize(("small", "kept"), [(500 * 48, True), (500 * 48 - 1, False)])
def test_the_vectors_of_a_small_corpus_are_made_precise_once(monkeypatch, small, kept):
    monkeypatch.setattr(module, "_SMALL", small)
    blocks = Blocks(vectors(1, 500, 48))
    first, second = (next(iter(blocks)) for _ in range(2))
    assert (first[1] is second[1]) == kept
    assert first[2] == second[2] == pytest.approx(np.linalg.norm(vectors(1, 500, 48).astype(np.float64), axis=1).max())
