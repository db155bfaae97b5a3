"""The rules that end a search early: each on a chain, call by call; together; and off, as the papers have it."""

import pytest
from shelf import Shelf, by_field, run, scripted_search, tree

from multihop import InterleavedThought, TreeOfReviews, create

REPEATS, NOTHING_NEW = ("repeats", "It was asked before: {}"), ("nothing-new", "All that was found was known.")


@pytest.mark.parametrize(
    ("found", "thoughts", "settings", "asked", "why"),
    [
        ({"q": "a", "on": "b"}, ["on", "on"], {}, ["q", "on"], (REPEATS[0], REPEATS[1].format("on"))),
        # other spacing and case repeats a query too
        (
            {"q": "a", "Who is  Ada?": "b"},
            ["Who is  Ada?", "who is Ada"],
            {},
            ["q", "Who is  Ada?"],
            (REPEATS[0], REPEATS[1].format("who is Ada")),
        ),
        (
            {"q": "a b", "one": "b c", "two": "c a", "three": "d"},
            ["one", "two", "three"],
            {},
            ["q", "one", "two"],
            NOTHING_NEW,
        ),
        # a query that finds nothing at all leaves it to the method
        ({"q": "a", "two": "b"}, ["one", "two", "three"], {"turns": 3}, ["q", "one", "two"], None),
        # where no further passage is kept, nothing new can come
        ({"q": "a b", "one": "c d", "two": "e"}, ["one", "two"], {"max_passages": 2}, ["q", "one"], NOTHING_NEW),
        ({"q": "a", "on": "a"}, ["on"] * 3, {"turns": 4, "stops": ()}, ["q", "on", "on", "on"], None),
    ],
)
def test_a_chain_ends_where_it_repeats_itself_or_finds_nothing_new(found, thoughts, settings, asked, why):
    shelf = Shelf(**found)
    said = [{"thought": thought, "enough": False} for thought in thoughts]
    lm = by_field(thought=said, answer="x")
    prediction, _ = run(InterleavedThought(shelf, **{"turns": 9, **settings}), lm)
    assert shelf.asked == asked
    thinks = len(asked) if why and why[0] == "repeats" else len(asked) - 1  # the query that repeats was thought of
    assert prediction.cost["calls_by_role"] == {"think": thinks, "read": 1}
    stops = [step["outputs"] for step in prediction.trajectory if step["step"] == "stop"]
    assert stops == ([{"rule": why[0], "why": why[1]}] if why else [])


HELPS = {"relevant": True, "enough": False, "analysis": ""}


def grown(order, stops):
    """A tree of paths that are never enough, each with a query that depends on its last paragraph."""
    shelf = Shelf(q="a b c", **{"after A": "b c d", "after B": "a c e", "after C": "a b", "after D": "b e"})
    lm = by_field(relevant=HELPS, information=lambda given: f"after {given['path'][-1].split(' ')[0]}", answer="x")
    return tree(run(TreeOfReviews(shelf, widths=(3, 3), depth=3, order=order, stops=stops), lm)[0])


def paths(node, above=()):
    own = (*above, node["id"]) if "id" in node else above
    return [own, *(path for child in node["children"] for path in paths(child, own))]


@pytest.mark.parametrize("order", ["by-level", "depth-first"])
def test_the_same_paragraphs_are_reviewed_once_in_whatever_order(order):
    reviewed = [frozenset(path) for path in paths(grown(order, "nothing-new"))]
    assert len(reviewed) == len(set(reviewed))
    everything = [frozenset(path) for path in paths(grown(order, ()))]
    assert set(reviewed) <= set(everything)
    assert len(reviewed) < len(everything)


def test_a_path_that_asks_again_goes_no_further():
    shelf = Shelf(q="a b", s="c d e f")
    said = {"relevant": HELPS, "information": "s", "answer": "x"}
    prediction, _ = run(TreeOfReviews(shelf, widths=(1, 2), depth=4, stops="repeats"), by_field(**said))
    assert paths(tree(prediction)) == [(), ("a",), ("a", "c"), ("a", "d")]
    free, _ = run(TreeOfReviews(shelf, widths=(1, 2), depth=4, stops=()), by_field(**said))
    assert ("a", "c", "d") in paths(tree(free))


@pytest.mark.parametrize(
    ("name", "settings"), [("mzqa", {"iterations": 3}), ("tot-bfs", {}), ("tot-dfs", {"expansions": 3})]
)
def test_no_path_of_a_search_asks_the_same_twice(name, settings):
    def searched(rules):
        program = create(name, Shelf(s1="a b", s2="b c"), depth=4, candidates=2, stops=rules, **settings)
        return run(program, scripted_search(plan="s1"))[0]

    def acts(node, above=()):
        own = (*above, node["sub_question"]) if "sub_question" in node else above
        whole = (*own, *(step["sub_question"] for step in node.get("rollout", ())))
        return [whole, *(each for child in node["children"] for each in acts(child, own))]

    free, ended = searched(()), searched(("repeats", "nothing-new"))
    assert any(len(path) > len(set(path)) for path in acts(tree(free)))
    assert all(len(path) == len(set(path)) for path in acts(tree(ended)))
    assert ended.cost["calls"] < free.cost["calls"]
    assert ended.answer == "read"
