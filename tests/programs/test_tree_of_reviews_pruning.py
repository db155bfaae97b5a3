"""The paths that a tree of reviews follows where relevance, repetition or neither prunes it."""

import pytest
from reviewing import Shelf, reviewing, run

from multihop import TreeOfReviews
from multihop.experiments import open_experiment
from multihop.retrieval import Hit, Passage

VERDICTS = {"nothing helps": "no", "all helps": "more", "all is enough": "It is so.", "nothing is parsed": "garbage"}


class Full(Shelf):
    """Finds other pages for every query, or always the same ones."""

    def __init__(self, *, same=False):
        super().__init__()
        self.same = same

    def search(self, queries, k):
        self.asked += [(query, k) for query in queries]
        first = 0 if self.same else 10 * len(self.asked)
        return [[Hit(Passage(f"p{first + n}", f"Title p{first + n}", "…"), 1.0) for n in range(k)] for _ in queries]


class Always(dict):
    """The same verdict on every path."""

    def __init__(self, verdict):
        self.verdict = verdict

    def get(self, path, default=None):
        return self.verdict


@pytest.mark.parametrize(
    ("order", "verdict", "depth", "reviews", "completions"),
    [
        ("by-level", "nothing helps", 1, 5, 0),
        ("by-level", "all is enough", 2, 20, 5),
        ("by-level", "nothing is parsed", 3, 65, 20),
        ("depth-first", "all helps", 3, 65, 20),
        ("depth-first", "all is enough", 3, 65, 20),
    ],
)
def test_without_pruning_the_tree_is_full(order, verdict, depth, reviews, completions):
    settings = {"order": order, "depth": depth, "pruning": (), "stops": (), "retries": 0}
    prediction, _, _ = run(Full(same=True), reviewing(Always(VERDICTS[verdict])), **settings)
    assert prediction.counts["reviews"] == reviews
    assert prediction.counts["evidence"] == (reviews if verdict == "all is enough" else 0)
    assert prediction.cost["calls_by_role"].get("complete", 0) == completions
    assert prediction.cost["calls"] == TreeOfReviews(Full(), **settings).most_calls()


@pytest.mark.parametrize(
    ("row", "verdict", "same", "reviews"),
    [
        ("ToR", "nothing helps", False, 5),
        ("ToR", "all is enough", False, 5),
        ("ToR", "all helps", False, 65),
        ("ToR", "all helps", True, 5 + 12 + 18),
        ("w/o repetitive pruning", "nothing helps", True, 5),
        ("w/o repetitive pruning", "all is enough", True, 5),
        ("w/o repetitive pruning", "all helps", True, 65),
        ("w/o relevance pruning", "nothing helps", False, 65),
        ("w/o relevance pruning", "all is enough", False, 65),
        ("w/o both", "nothing helps", True, 65),
        ("w/o both", "all is enough", True, 65),
    ],
)
def test_the_rows_of_table_5_in_the_extreme(row, verdict, same, reviews):
    settings = next(each.settings for each in open_experiment("tor-table-5").rows if each.name == row)
    assert run(Full(same=same), reviewing(Always(VERDICTS[verdict])), **settings)[0].counts["reviews"] == reviews
