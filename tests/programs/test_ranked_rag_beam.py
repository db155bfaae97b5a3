"""RankedRAG's loop over small random graphs against all their paths tried one by one."""

import random

import pytest
from shelf import Shelf, by_field, run

from multihop import RankedRAG
from multihop.encoder import Judgement, NextQuery

NAMES = ("text", "anna", "bert", "cora", "dora")  # every page is "text of NAME": the first is named by all others


class RandomGraph:
    """An encoder whose labels depend on the whole path, over pages of which each finds three others."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.found = {name: " ".join(self.dice.sample([n for n in NAMES if n != name], 3)) for name in NAMES}
        self.labels = {}

    def label(self, path):
        """Relevant, and leads on."""
        if path not in self.labels:
            self.labels[path] = (random.Random(repr(path)).random(), random.Random(repr(path[::-1])).random())
        return self.labels[path]

    def judge(self, pairs):
        return [self.judgement(pair) for pair in pairs]

    def judgement(self, pair):
        path = tuple(text.rpartition(" ")[2] for text in (*pair.known, pair.passage))
        relevant, leads_on = self.label(path)
        start = pair.passage.index("text of")
        return Judgement(relevant, leads_on, 0.0, 0.0, 0.0, 0.0, (), (((start, len(pair.passage)), 0.9),))

    def next_queries(self, findings):
        return [NextQuery(f"after {found.split()[-1]}", "", found) for _, found in findings]

    def shelf(self):
        return Shelf(q=" ".join(NAMES), **{f"after {name}": pages for name, pages in self.found.items()})


def by_brute_force(graph, hops, width):
    """Every page by the best path to it, of the paths whose beginnings were among the `width` best of their level."""
    best = dict.fromkeys(NAMES, 0.0)
    level = [((name,), 1.0, rank) for rank, name in enumerate(NAMES)]
    for _ in range(hops):
        believed = []
        for path, before, rank in level:
            belief = before * (0.1 + 0.9 * graph.label(path)[0])
            best[path[-1]] = max(best[path[-1]], belief * 0.8**rank)
            believed.append((path, belief))
        believed.sort(key=lambda each: -each[1] * graph.label(each[0])[1])
        level = []
        for path, belief in believed[:width]:
            new = [name for name in graph.found[path[-1]].split() if name not in path]
            level += [((*path, name), belief, rank) for rank, name in enumerate(new)]
    return sorted(NAMES, key=lambda name: -best[name])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("hops", "width"), [(2, 1), (2, 2), (3, 2), (4, 3), (3, 100)])
def test_pages_rank_as_when_all_paths_of_the_beam_are_tried(seed, hops, width):
    graph = RandomGraph(seed)
    program = RankedRAG(
        graph.shelf(), hops=hops, open_queries=width, links=0, continue_at=0.0, side_by_side=0, retries=0
    )
    program.encoder = graph
    prediction, _ = run(program, by_field(answer="x"))
    assert [passage.id for passage in prediction.passages] == by_brute_force(graph, hops, width)
