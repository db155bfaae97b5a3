import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.retrieval import dense as module
from multihop.retrieval.dense import Vectors, VectorSearch


def made(seed, count, width, kind=np.float16):
    dice = np.random.default_rng(seed)
    rows = dice.normal(size=(count, width)) * dice.choice([0.1, 1, 30])
    rows[dice.integers(0, count, count // 3)] = rows[0]  # some are equal
    return rows.astype(kind)


def by_every_product(stored, query, k):
    """The ranking by all products, one by one."""
    products = (stored.rows.astype(np.float64) * query.astype(np.float64)).sum(axis=1).astype(np.float32)
    highest = np.maximum.reduceat(products, stored.firsts[:-1]).tolist()
    return sorted(enumerate(highest), key=lambda placed: (-placed[1], placed[0]))[:k]


SIZES = st.lists(st.integers(1, 5), min_size=1, max_size=60) | st.integers(1, 60).map(lambda count: [1] * count)


@pytest.mark.parametrize("small", [0, 1 << 24])  # by FAISS, where it is installed, and by NumPy
@given(
    seed=st.integers(0, 10_000),
    sizes=SIZES,
    width=st.sampled_from([1, 3, 16, 65]),
    k=st.integers(1, 25),
    compared=st.sampled_from([1, 7, 1 << 16]),
)
def test_they_are_those_with_the_highest_products_and_equal_ones_in_their_order(small, seed, sizes, width, k, compared):
    stored = Vectors(made(seed, sum(sizes), width), np.cumsum([0, *sizes]))
    queries = made(seed + 1, 9, width, np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_SMALL", small)
        patch.setattr(module, "_COMPARED", compared)
        patch.setattr(module, "_MANY", 4)
        search = VectorSearch(stored)
        whole = search.find_best(queries, k)
        assert whole == [by_every_product(stored, query, k) for query in queries]
        assert [search.find_best(queries[place : place + 1], k)[0] for place in range(9)] == whole


def test_large_corpora_are_scanned_by_faiss_if_memory_takes_them(monkeypatch):
    pytest.importorskip("faiss")
    stored, query = Vectors(made(1, 500, 48), np.arange(501)), made(2, 1, 48, np.float32)
    for small, largest, scan in ((0, 1 << 31, "_FAISSScan"), (0, 1, "_NumPyScan"), (500 * 48, 1 << 31, "_NumPyScan")):
        monkeypatch.setattr(module, "_SMALL", small)
        monkeypatch.setattr(module, "_LARGEST", largest)
        search = VectorSearch(stored)
        assert search.find_best(query, 3) == [by_every_product(stored, query[0], 3)]
        assert type(search._scan).__name__ == scan
