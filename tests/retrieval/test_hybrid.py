import pytest
from small_corpus import FAR_APART

from multihop.retrieval import BM25, Dense, Hit, Hybrid, Passage, fuse
from multihop.retrieval.hybrid import add_up


def between_0_and_1(hits):
    best, least = hits[0].score, hits[-1].score
    return {hit.passage.id: (hit.score - least) / (best - least) for hit in hits}


def test_it_ranks_by_the_mean_of_scores_between_0_and_1():
    words, meanings = BM25.build(FAR_APART), Dense.build(FAR_APART)
    query = "a river in Austria near the Danube"
    both = [between_0_and_1(each.search([query], 50)[0]) for each in (words, meanings)]
    scores = {name: sum(each.get(name, 0) for each in both) / 2 for name in "p1 p2 p3 p4".split()}
    (hits,) = Hybrid(words, meanings).search([query], 4)
    assert {hit.passage.id: hit.score for hit in hits} == pytest.approx(scores)
    assert [hit.score for hit in hits] == pytest.approx(sorted(scores.values(), reverse=True))


class Listed:
    """Ranks the passages as its list does, by scores that fall by one, and remembers how many it was asked for."""

    def __init__(self, passages):
        self._passages, self.asked = passages, []

    def search(self, queries, k):
        self.asked.append(k)
        return [[Hit(passage, -float(place)) for place, passage in enumerate(self._passages[:k])] for _ in queries]


def test_the_first_fifty_places_of_each_ranking_count():
    pages = [Passage(f"p{number}", "", "") for number in range(1, 102)]
    others = [Passage(f"o{number}", "", "") for number in range(1, 102)]
    for place, score in ((0, 1.0), (25, (1 + 24 / 49) / 2), (49, 0.5), (50, 0.5)):
        words, meanings = Listed(pages), Listed([*others[:place], pages[0], *others[place:]])
        ranked = {k: Hybrid(words, meanings).search(["?"], k)[0] for k in (3, 80)}
        assert words.asked == meanings.asked == [50, 80]
        assert ranked[3] == ranked[80][:3]
        assert Hit(pages[0], pytest.approx(score)) in ranked[3]


def test_fused_are_rankings_of_any_scores():
    po, inn, etna = FAR_APART[:3]
    assert add_up() == add_up([], []) == fuse() == fuse([], []) == []
    assert add_up([Hit(po, -3.0)], [Hit(inn, 7.0), Hit(etna, 7.0)]) == [Hit(po, 0.5), Hit(inn, 0.5), Hit(etna, 0.5)]
    assert add_up([Hit(po, 2.0), Hit(inn, 1.0)], []) == [Hit(po, 0.5), Hit(inn, 0.0)]
