"""Metrics of the places of gold passages in a ranking, as trec_eval defines them; all gold is worth the same."""

import math
from collections.abc import Sequence

from .passages import PlaceMetric


class NDCG(PlaceMetric):
    """The gain of the gold passages, discounted by their places, over that of the best ranking: trec_eval's ndcg_cut.

    Examples:
        >>> from multihop.evaluation.metrics import NDCG
        >>> round(NDCG(10).of([0, 3], gold=2), 3)
        0.877
    """

    kind = "ndcg"

    def of(self, places: Sequence[int], gold: int) -> float:
        """Between 0.0, nothing found, and 1.0, all in front."""
        best = range(gold if self.k is None else min(gold, self.k))
        return _gain(places) / _gain(best)


class ReciprocalRank(PlaceMetric):
    """1 / the place of the first gold passage, 0.0 where none came; its mean over the questions is the MRR."""

    kind = "mrr"

    def of(self, places: Sequence[int], gold: int) -> float:
        """1.0, 0.5, 0.333, and so on."""
        return 1 / (places[0] + 1) if places else 0.0


class AveragePrecision(PlaceMetric):
    """The mean, over the gold passages, of the share of gold down to each; its mean over the questions is the MAP."""

    kind = "map"

    def of(self, places: Sequence[int], gold: int) -> float:
        """Between 0.0 and 1.0; a gold passage that did not come counts as 0."""
        return sum(found / (place + 1) for found, place in enumerate(places, 1)) / gold


class Success(PlaceMetric):
    """1.0 if any gold passage is among the first k, else 0.0."""

    kind = "success"

    def of(self, places: Sequence[int], gold: int) -> float:
        """1.0 or 0.0."""
        return float(bool(places))


def _gain(places: Sequence[int]) -> float:
    return sum(1 / math.log2(place + 2) for place in places)
