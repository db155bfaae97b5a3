import random

import pytest

from multihop.retrieval.servers import settled
from multihop.retrieval.servers.settled import settle


class Engine:
    """Returns the best scores in an order of its own among equal ones, each a little off."""

    def __init__(self, scores):
        self.scores, self.asked = scores, []

    def ask(self, numbers, limit, low, high):
        self.asked.append((list(numbers), limit, low, high))
        dice = random.Random(limit)
        answers = []
        for number in numbers:
            places = [place for place in range(low, high) if self.scores[number][place] > 0]
            near = {place: self.scores[number][place] * (1 + dice.uniform(-1e-7, 1e-7)) for place in places}
            best = sorted(places, key=lambda place: -near[place])[:limit]
            answers.append([(near[place], place, {"place": place}) for place in best])
        return answers

    def settle(self, k):
        score = lambda number, found: self.scores[number][found["place"]]  # noqa: E731
        found = settle(self.ask, score, range(len(self.scores)), k, passages=len(self.scores[0]))
        return [[(hit.score, hit.place) for hit in found[number]] for number in range(len(self.scores))]


def exact(scores, k):
    ranked = sorted((-score, place) for place, score in enumerate(scores) if score > 0)
    return [(-score, place) for score, place in ranked[:k]]


def test_clear_scores_are_settled_at_once():
    engine = Engine([[float(place) for place in range(100)]])
    assert engine.settle(3) == [[(99.0, 99), (98.0, 98), (97.0, 97)]]
    assert engine.asked == [([0], 13, 0, 100)]


def test_more_is_asked_for_where_the_last_place_is_not_settled():
    tied, clear = [1.0] * 60 + [2.0] * 2, [float(place) for place in range(62)]
    engine = Engine([tied, clear])
    assert engine.settle(4) == [[(2.0, 60), (2.0, 61), (1.0, 0), (1.0, 1)], exact(clear, 4)]
    assert engine.asked == [([0, 1], 14, 0, 62), ([0], 112, 0, 62)]


@pytest.mark.parametrize("k", [1, 5, 20, 40])
def test_halves_of_the_corpus_are_asked_where_the_most_hits_do_not_settle_it(k, monkeypatch):
    monkeypatch.setattr(settled, "MOST", 16)
    dice = random.Random(0)
    rows = [[dice.choice([0.0, 0.5, 0.5, 0.5, 1.0]) for _ in range(300)] for _ in range(5)]
    engine = Engine([*rows, [0.0] * 300])
    assert engine.settle(k) == [*(exact(row, k) for row in rows), []]
    assert max(limit for _, limit, _, _ in engine.asked) == 16


def test_nothing_is_asked_for_no_query():
    assert settle(None, None, [], 3, passages=5) == {}
