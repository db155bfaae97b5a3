"""The exact first places from an engine that orders equal scores as it likes, and rounds in its own way."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

MOST = 16_384
"""Hits that Milvus returns for a query at most."""
_SPARE = 10
"""Hits beyond those asked for: mostly enough to see that the last of them is below the last that counts."""
_ROUNDING = 1e-5
"""The largest difference between two ways of adding up the same score, as a part of the highest score."""


class Settled(NamedTuple):
    """A hit with its exact score."""

    score: float
    place: int
    """Its position in the corpus."""
    found: Mapping[str, Any]
    """The fields that were asked for."""


Ask = Callable[[Sequence[int], int, int, int], Sequence[Sequence[tuple[float, int, Mapping[str, Any]]]]]
"""Asks, for the queries of these numbers, for so many hits among the places from one to before another.

Returns for each query its hits as the engine's score, the place and the fields, best first.
"""


def settle(
    ask: Ask,
    score: Callable[[int, Mapping[str, Any]], float],
    queries: Sequence[int],
    k: int,
    *,
    passages: int,
) -> dict[int, list[Settled]]:
    """The `k` first places of each query by their exact scores, equal ones in the order of the corpus.

    More hits are asked for until the lowest of them is clearly below the last place; where even the most that the
    engine returns do not settle that, each half of the corpus is asked for its own.

    Args:
        ask: Searches.
        score: The exact score of what was found for the query of that number.
        queries: Their numbers.
        k: The number of places.
        passages: The size of the corpus.
    """

    def among(numbers: Sequence[int], limit: int, low: int, high: int) -> dict[int, list[Settled]]:
        known: dict[int, list[Settled]] = {}
        for number, hits in zip(numbers, ask(numbers, limit, low, high), strict=True):
            exact = [Settled(score(number, found), place, found) for _, place, found in hits]
            exact.sort(key=lambda hit: (-hit.score, hit.place))
            if len(hits) < limit or limit >= high - low or _is_clear(exact, hits[-1][0], k):
                known[number] = exact[:k]
        left = [number for number in numbers if number not in known]
        if left and limit < MOST:
            known |= among(left, min(8 * limit, MOST), low, high)
        elif left:
            middle = (low + high) // 2
            one, other = among(left, MOST, low, middle), among(left, MOST, middle, high)
            for number in left:
                both = sorted(one[number] + other[number], key=lambda hit: (-hit.score, hit.place))
                known[number] = both[:k]
        return known

    return among(queries, min(k + _SPARE, MOST), 0, passages) if queries else {}


def _is_clear(exact: Sequence[Settled], lowest: float, k: int) -> bool:
    """True if no hit that was not returned can be among the first: their scores are at most the lowest."""
    return len(exact) >= k and exact[k - 1].score > lowest + _ROUNDING * max(1.0, abs(exact[0].score))
