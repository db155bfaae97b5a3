"""The exact best passages: every score is looked at, none is skipped."""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .postings import Postings

PlaceScores = list[tuple[int, float]]
"""A ranking before its passages are read: where each is in the corpus, and its score, best first."""


def accumulate(postings: "Postings", terms: list[int], scores: "NDArray[np.float32]") -> None:
    """Fill `scores`, one entry a passage, with the sum over the terms, repeated terms counting again."""
    import numpy as np

    data, indices, indptr = postings
    scores.fill(0)
    for term in terms:
        start, end = indptr[term : term + 2].tolist()
        np.add.at(scores, indices[start:end], data[start:end])


def best(scores: "NDArray[np.float32]", k: int, *, above: float = 0.0) -> tuple[list[int], list[float]]:
    """The positions and values of the `k` highest scores above a number, best first; of equals the earlier comes first.

    Sorting or partitioning a million scores takes ten times longer than summing them up. So the scores are dealt out
    to many groups: the k-th highest of the groups' maxima, which are cheap, is reached by at least k scores and
    exceeded by few, and only those are sorted.
    """
    import numpy as np

    floor = _floor(scores, k)
    places = np.flatnonzero(scores >= floor) if floor > above else np.flatnonzero(scores > above)
    values = scores[places]
    if len(places) > 8 * k:
        reaching = values >= np.partition(values, len(values) - k)[len(values) - k]
        places, values = places[reaching], values[reaching]
    order = np.argsort(-values, kind="stable")[:k]
    return places[order].tolist(), values[order].tolist()


def _floor(scores: "NDArray[np.float32]", k: int) -> float:
    """A number that at least `k` of the scores reach; the lowest where there are too few to be worth the search."""
    import numpy as np

    groups = 8 * k + math.isqrt(len(scores))
    if len(scores) < 2 * groups:
        return -math.inf
    dealt = scores[: len(scores) // groups * groups].reshape(-1, groups)
    return float(np.partition(dealt.max(axis=0), groups - k)[groups - k])
