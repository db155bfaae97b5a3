"""The map of a query's vector: what all pages of a corpus have in common counts less.

The directions in which the vectors of a corpus spread most tell its pages apart least: they are its subject, not a
page's. Each direction is divided by a power of its spread, on the query's side alone, so that no page is embedded anew.
The power is one number; a free matrix of 384 x 384 learned a few hundred questions by heart (docs/lab/adapt.md).
"""

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from ...data import Question
from ...encoder import Encoder
from ...encoder.maps import Maps
from ...retrieval import Dense, Hit, Hybrid
from .worth import PLACES, nearness

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

POWERS = (0.1, 0.2, 0.3, 0.4)
"""Powers of the variance that are tried."""
SAMPLE = 30_000
"""Vectors that the spread is taken from at most."""
ENOUGH = 5
"""Vectors for each of their directions at least: the spread of fewer is chance (docs/lab/adapt.md)."""
LEAST = 0.1
"""The share of the mean variance that is added to each: where there is next to none, it would count endlessly."""


def learn_query_map(index: Dense, encoder: Encoder, questions: Sequence[Question]) -> "NDArray[np.float32] | None":
    """The matrix with which most is found; None if that is none, or if the corpus is too small to have a spread.

    Args:
        index: The vectors that are searched, without the words beside them: questions made of sentences have so many
            of their words that BM25 hides what vectors gain.
        encoder: The encoder that made its vectors.
        questions: The questions to learn from.
    """
    vectors = index.some_vectors(SAMPLE)
    if len(vectors) < ENOUGH * vectors.shape[1]:
        return None
    best, most = None, _found(index, encoder, questions)
    for power in POWERS:
        tried = less_of_the_common(vectors, power)
        found = _found(index, encoder.with_maps(Maps(query=tried)), questions)
        if found > most:
            best, most = tried, found
    return best


def less_of_the_common(vectors: "NDArray[np.float32]", power: float) -> "NDArray[np.float32]":
    """The symmetric matrix that divides each direction by that power of the vectors' variance in it.

    Examples:
        >>> import numpy as np
        >>> from multihop.training.adapting.query_map import less_of_the_common
        >>> spread = np.array([[3, 0], [-3, 0], [0, 1], [0, -1]], np.float32)
        >>> less_of_the_common(spread, 0.5).round(2)
        array([[0.4, 0. ],
               [0. , 1. ]], dtype=float32)
    """
    import numpy as np

    around = vectors - vectors.mean(0)
    variances, directions = np.linalg.eigh(around.T @ around / len(vectors))
    weights = (np.maximum(variances, 0) + LEAST * variances.mean() + 1e-12) ** -power
    matrix: NDArray[np.float32] = (directions * (weights / weights.max())) @ directions.T
    return matrix.astype(np.float32)


def asked_hits(index: Dense | Hybrid, encoder: Encoder, questions: Sequence[Question], k: int) -> list[list[Hit]]:
    """The first pages that are found for each question, asked by this encoder."""
    return index.asked_by(encoder).search([each.question for each in questions], k)


def found_ids(index: Dense | Hybrid, encoder: Encoder, questions: Sequence[Question]) -> list[list[str]]:
    """The same as ids, as many as count."""
    return [[hit.passage.id for hit in hits] for hits in asked_hits(index, encoder, questions, PLACES)]


def dense_of(index: Dense | Hybrid) -> Dense:
    """The index of vectors that it is, or that is half of it."""
    return index.meanings if isinstance(index, Hybrid) else index  # type: ignore[return-value]


def _found(index: Dense | Hybrid, encoder: Encoder, questions: Sequence[Question]) -> float:
    rankings = found_ids(index, encoder, questions)
    return fmean(nearness(question, found) for question, found in zip(questions, rankings, strict=True))
