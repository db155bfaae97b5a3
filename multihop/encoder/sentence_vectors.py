"""A vector for each sentence of a text that is read as a whole: the mean over the states of its tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeVar

from ..base.english import Span, sentence_spans
from .layout import OVERLAP

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Number = TypeVar("Number", "np.float32", "np.float64")
TITLE = 0.5
"""The weight of the title beside a sentence."""
HALF = OVERLAP // 2
"""Of the tokens that two windows share, each is taken from the one in which it is further from the edge."""


@dataclass
class TokenStates:
    """A network's states for every token of a text, and for the text as a whole."""

    tokens: "NDArray[np.float32]"
    """A row for each."""
    whole: "NDArray[np.float32]"
    """The sum of the vectors of its windows."""
    filled: int = 0
    """The number of tokens whose states are known."""

    @classmethod
    def empty(cls, tokens: int, width: int) -> Self:
        """Nothing yet."""
        import numpy as np

        return cls(np.zeros((tokens, width), np.float32), np.zeros(width, np.float32))

    def add(self, start: int, vector: "NDArray[np.float32]", states: "NDArray[np.float32]") -> bool:
        """Take the states of a window that begins at this token; returns True for the last window."""
        end = start + len(states)
        first = start + (HALF if start else 0)
        last = end - (HALF if end < len(self.tokens) else 0)
        self.tokens[first:last] = states[first - start : last - start]
        self.whole += vector
        self.filled += last - first
        return self.filled == len(self.tokens)


def of_sentences(text: str, head: int, offsets: Sequence[Span], states: TokenStates) -> "NDArray[np.float32]":
    """A row of length 1 a sentence behind the head: its tokens' mean and half of the head's; else one for all."""
    import numpy as np

    begins = np.array([begin for begin, _ in offsets], np.int64)
    spans = np.array([(head + start, head + end) for start, end in sentence_spans(text[head:])], np.int64).reshape(
        -1, 2
    )
    firsts, lasts = np.searchsorted(begins, spans[:, 0]), np.searchsorted(begins, spans[:, 1])
    held = lasts > firsts
    if not held.any():
        return of_length_1(states.whole[None])
    sums = np.concatenate([np.zeros((1, states.tokens.shape[1])), np.cumsum(states.tokens, 0, np.float64)])
    title = of_length_1(sums[np.searchsorted(begins, head)][None])
    return of_length_1(of_length_1(sums[lasts[held]] - sums[firsts[held]]) + TITLE * title).astype(np.float32)


def of_length_1(vectors: "NDArray[Number]") -> "NDArray[Number]":
    """Each row divided by its length; a row of zeros stays one."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    normal: NDArray[Number] = vectors / np.maximum(lengths, vectors.dtype.type(1e-12))
    return normal
