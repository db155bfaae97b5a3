"""From the vectors of its tokens to the vector of a text."""

from typing import TYPE_CHECKING

from .description import PoolingKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def pool(tokens: "NDArray[np.float32]", mask: "NDArray[np.int64]", how: PoolingKind) -> "NDArray[np.float32]":
    """A vector for each text, of those of its tokens that the mask keeps.

    Args:
        tokens: Text by token by number.
        mask: Text by token, 1 for its own tokens, which come first, and 0 for what fills it up.
        how: "mean", "cls" for the first, "last", or "max" of each number.
    """
    import numpy as np

    counts, kept = mask.sum(axis=1), mask[:, :, None].astype(bool)
    pooled: NDArray[np.float32]
    if how == "cls":
        pooled = tokens[:, 0]
    elif how == "last":
        pooled = tokens[np.arange(len(tokens)), np.maximum(counts - 1, 0)]
    elif how == "max":
        pooled = np.where(kept, tokens, -np.inf).max(axis=1)
    else:
        pooled = np.where(kept, tokens, 0).sum(axis=1) / np.maximum(counts, 1).astype(np.float32)[:, None]
    return pooled
