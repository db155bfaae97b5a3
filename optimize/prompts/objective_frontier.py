"""The frontier of programs that are scored by several objectives: those that none beats in all of them."""

from collections.abc import Mapping, Sequence


def frontier_of(scores: Sequence[Mapping[str, float]]) -> list[int]:
    """The places of those that no other is at least as good as in every objective, and better in one.

    Of equals the first is there alone.

    Examples:
        >>> from multihop.optimize.prompts.objective_frontier import frontier_of
        >>> frontier_of([{"f1": 0.6, "saved": 0.1}, {"f1": 0.5, "saved": 0.4}, {"f1": 0.5, "saved": 0.2}])
        [0, 1]
    """
    return [
        place
        for place, each in enumerate(scores)
        if not any(_beats(other, each) for other in scores) and all(dict(each) != dict(past) for past in scores[:place])
    ]


def _beats(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """True if one is at least as good in all that the other has, and better in something."""
    return all(one.get(name, 0.0) >= value for name, value in other.items()) and any(
        one.get(name, 0.0) > value for name, value in other.items()
    )
