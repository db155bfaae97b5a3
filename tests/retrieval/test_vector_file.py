import numpy as np
import pytest

from multihop.retrieval.vector_file import VECTORS, VectorWriter, open_vectors


@pytest.mark.parametrize("sizes", [(3,), (2, 0, 5), (1000, 24)])
def test_it_writes_what_numpy_writes(tmp_path, sizes):
    blocks = [np.random.default_rng(size).normal(size=(size, 7)).astype(np.float32) for size in sizes]
    with VectorWriter(tmp_path) as writer:
        for block in blocks:
            writer.extend(block)
    whole = np.concatenate(blocks).astype(np.float16)
    np.save(tmp_path / "numpy.npy", whole)
    assert (tmp_path / VECTORS).read_bytes() == (tmp_path / "numpy.npy").read_bytes()
    assert np.array_equal(open_vectors(tmp_path), whole)
