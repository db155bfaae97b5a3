"""The depth of the gold in the ranking for the question itself: of all hops, and hop by hop."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from ..data import Question
from ..data.gold import GoldPath, read_gold
from ..evaluation.matching import Match
from ..evaluation.report.statistics import bootstrap_means
from .gold_pages import GoldPages
from .record import HopRecall, RecallAtDepth

DEPTHS = (1, 2, 5, 10, 20, 50, 100)


class HopRecalls(NamedTuple):
    """Recall by hop, and how the hops came to be known."""

    hops: tuple[HopRecall, ...]
    hops_told: int
    hops_by_rule: int


def recall_by_depth(matches: Sequence[Match]) -> tuple[RecallAtDepth, ...]:
    """The recall among the first k hits, given where the gold is in each question's ranking."""
    import numpy as np

    recalls = {k: np.array([match.recall(k) for match in matches], float) for k in DEPTHS}
    means = bootstrap_means({str(k): column for k, column in recalls.items()})
    return tuple(
        RecallAtDepth(k, means[str(k)].mean, means[str(k)].low, means[str(k)].high, float((column == 1.0).mean()))
        for k, column in recalls.items()
    )


def recall_by_hop(questions: Sequence[Question], gold: Sequence[GoldPages], matches: Sequence[Match]) -> HopRecalls:
    """The same for the gold of each hop, over the questions whose hops can be read (`multihop.data.gold`)."""
    held = [page for each in gold for page in each.pages.values()]
    paths = {path.question.id: path for path in read_gold(questions, held).paths}
    ranks: defaultdict[int, list[int | None]] = defaultdict(list)
    for question, each, match in zip(questions, gold, matches, strict=True):
        if path := paths.get(question.id):
            for name, hop in _hop_of_each(path, each).items():
                ranks[hop].append(match.ranks.get(name))
    told = sum(bool(path.question.decomposition) for path in paths.values())
    hops = tuple(
        HopRecall(hop, len(places), tuple(_share_within(places, k) for k in DEPTHS))
        for hop, places in sorted(ranks.items())
    )
    return HopRecalls(hops, told, len(paths) - told)


def _hop_of_each(path: GoldPath, gold: GoldPages) -> dict[str, int]:
    """The hop at which each gold passage is asked for, by its name: one more than the latest hop it needs."""
    names = {name: name for name in path.question.supporting} | {page.id: name for name, page in gold.pages.items()}
    numbers: list[int] = []
    hops: dict[str, int] = {}
    for hop in path.hops:
        numbers.append(1 + max((numbers[place] for place in hop.needs), default=0))
        name = names.get(hop.passage.id) or names.get(hop.passage.title)
        if name is not None:
            hops[name] = min(numbers[-1], hops.get(name, numbers[-1]))
    return hops


def _share_within(places: Sequence[int | None], k: int) -> float:
    return sum(place is not None and place < k for place in places) / len(places)
