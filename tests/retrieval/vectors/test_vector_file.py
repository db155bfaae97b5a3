import numpy as np
import pytest

from multihop.retrieval.vectors.vector_file import VECTORS, Vectors, VectorWriter, open_vectors


@pytest.mark.parametrize("sizes", [(3,), (2, 1, 5), (1000, 24)])
def test_it_writes_what_numpy_writes(tmp_path, sizes):
    passages = [np.random.default_rng(size).normal(size=(size, 7)).astype(np.float32) for size in sizes]
    with VectorWriter(tmp_path) as writer:
        for passage in passages:
            writer.extend([passage])
    whole = np.concatenate(passages).astype(np.float16)
    np.save(tmp_path / "numpy.npy", whole)
    assert (tmp_path / VECTORS).read_bytes() == (tmp_path / "numpy.npy").read_bytes()
    for vectors in (open_vectors(tmp_path), Vectors.of(passages)):
        assert np.array_equal(vectors.rows, whole)
        assert vectors.firsts.tolist() == [0, *np.cumsum(sizes)]
        assert len(vectors) == len(sizes)
