"""The paths that a tree of reviews follows where relevance, repetition or neither prunes it."""

import pytest
from reviewing import Shelf, reviewed, reviewing, run

from multihop import TreeOfReviews
from multihop.experiments import open_experiment
from multihop.retrieval import Hit, Passage


def test_without_relevance_pruning_irrelevant_paths_go_on():
    shelf = Shelf(q="x", **{"missing after x": "a"})
    assert len(run(shelf, reviewing({}))[0].trajectory) > 0
    assert shelf.asked == [("q", 5)]
    run(shelf, reviewing({}), pruning=("repetition",), depth=2)
    assert shelf.asked[1:] == [("q", 5), ("missing after x", 3)]


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


@pytest.mark.parametrize("order", ["by-level", "depth-first"])
@pytest.mark.parametrize("verdict", VERDICTS)
@pytest.mark.parametrize(("depth", "reviews", "completions"), [(1, 5, 0), (2, 20, 5), (3, 65, 20)])
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


def test_without_repetition_pruning_a_paragraph_may_come_again_on_its_path():
    shelf = Shelf(q="a", **{"missing after a": "a|d", "missing after a a": "d"})
    lm = reviewing({"a": "more", "a a": "more", "a a d": "It is D.", "a d": "no"})
    prediction, prompts, _ = run(shelf, lm, pruning="relevance", order="depth-first", stops=())
    assert reviewed(prompts) == ["a", "a a", "a a d", "a d"]
    assert prediction.evidence == [{"analysis": "It is D.", "passages": ["a", "a", "d"]}]
    assert [passage.id for passage in prediction.passages] == ["a", "d"]


def test_without_relevance_pruning_what_is_accepted_goes_on_but_not_to_the_pool():
    shelf = Shelf(q="a", **{"missing after a": "a|d", "missing after a d": "a|e"})
    lm = reviewing({"a": "It is A.", "a d": "It is D.", "a d e": "It is E."})
    prediction, _, _ = run(shelf, lm, pruning="repetition", order="depth-first")
    assert [piece["passages"] for piece in prediction.evidence] == [["a"], ["a", "d"], ["a", "d", "e"]]
