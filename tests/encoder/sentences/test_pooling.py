import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from multihop.encoder.sentences.pooling import pool


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.sampled_from(["mean", "cls", "last", "max"]))
def test_what_fills_a_text_up_changes_nothing(lengths, how):
    dice = np.random.default_rng(0)
    tokens = dice.normal(size=(len(lengths), 6, 3)).astype(np.float32)
    mask = np.array([[1] * length + [0] * (6 - length) for length in lengths])
    together = pool(tokens, mask, how)
    for row, length in enumerate(lengths):
        alone = pool(tokens[row : row + 1, :length], np.ones((1, length), np.int64), how)
        assert np.allclose(together[row], alone[0], atol=1e-6)


def test_a_text_without_tokens_has_no_direction():
    assert pool(np.ones((1, 1, 2), np.float32), np.zeros((1, 1), np.int64), "mean").tolist() == [[0, 0]]
