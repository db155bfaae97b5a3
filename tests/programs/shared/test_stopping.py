"""The rules that end a search early: each on a chain, call by call; together; and off, as the papers have it."""

import dspy
import pytest
from shelf import Shelf, by_field, run

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
    lm = by_field(thought=said, reasoning={"reasoning": "r", "answer": "x"})
    prediction, _ = run(InterleavedThought(shelf, **{"turns": 9, **settings}), lm)
    assert shelf.asked == asked
    thinks = len(asked) if why and why[0] == "repeats" else len(asked) - 1  # the query that repeats was thought of
    assert prediction.cost["calls_by_role"] == {"think": thinks, "read": 1}
    stops = [step["outputs"] for step in prediction.trajectory if step["step"] == "stop"]
    assert stops == ([{"rule": why[0], "why": why[1]}] if why else [])


def tree_of(prediction):
    return next(step["tree"] for step in prediction.trajectory if step["step"] == "tree")


def reviewing(prompt):
    """A review that is never enough; a query that depends on the last paragraph of the path."""
    given, fields = prompt.inputs, [field.name for field in prompt.output_fields]
    if "relevant" in fields:
        return {"relevant": True, "enough": False, "analysis": ""}
    if "information" in fields:
        return {"information": f"after {given['path'][-1].split(' ')[0]}"}
    return {"answer": "x"}


def grown(concurrency=64, order="by-level", **settings):
    from multihop import scripted

    shelf = Shelf(q="a b c", **{"after A": "b c d", "after B": "a c e", "after C": "a b", "after D": "b e"})
    program = TreeOfReviews(shelf, widths=(3, 3), depth=3, order=order, concurrency=concurrency, **settings)
    with dspy.context(lm=scripted(reviewing)):
        return program(question="q")


def paths(node, above=()):
    own = (*above, node["id"]) if "id" in node else above
    return [own, *(path for child in node["children"] for path in paths(child, own))]


@pytest.mark.parametrize("order", ["by-level", "depth-first"])
def test_the_same_paragraphs_are_reviewed_once_in_whatever_order(order):
    reviewed = [frozenset(path) for path in paths(tree_of(grown(order=order, stops="nothing-new")))]
    assert len(reviewed) == len(set(reviewed))
    everything = [frozenset(path) for path in paths(tree_of(grown(order=order, stops=())))]
    assert set(reviewed) <= set(everything)
    assert len(reviewed) < len(everything)


def test_a_path_that_asks_again_goes_no_further():
    shelf = Shelf(q="a b", s="c d e f")
    said = {"relevant": {"relevant": True, "enough": False, "analysis": ""}, "information": "s", "answer": "x"}
    prediction, _ = run(TreeOfReviews(shelf, widths=(1, 2), depth=4, stops="repeats"), by_field(**said))
    assert paths(tree_of(prediction)) == [(), ("a",), ("a", "c"), ("a", "d")]
    free, _ = run(TreeOfReviews(shelf, widths=(1, 2), depth=4, stops=()), by_field(**said))
    assert ("a", "c", "d") in paths(tree_of(free))


def searched(name, rules, **settings):
    said = {
        "sub_questions": [["s1", "s2"]] * 99,
        "sub_question": "s1",
        "result": {"sentence": "s", "result": "y"},
        "score": {"reasoning": "r", "score": "5"},
        "answer": "x",
    }
    shelf = Shelf(s1="a b", s2="b c")
    return run(create(name, shelf, depth=4, candidates=2, stops=rules, **settings), by_field(**said))[0]


SEARCHES = {"mzqa": {"iterations": 3}, "tot-bfs": {}, "tot-dfs": {"expansions": 3}}


@pytest.mark.parametrize("name", SEARCHES)
def test_no_path_of_a_search_asks_the_same_twice(name):
    def acts(node, above=()):
        own = (*above, node["sub_question"]) if "sub_question" in node else above
        whole = (*own, *(step["sub_question"] for step in node.get("rollout", ())))
        return [whole, *(each for child in node["children"] for each in acts(child, own))]

    free, ended = (searched(name, rules, **SEARCHES[name]) for rules in ((), ("repeats", "nothing-new")))
    assert any(len(path) > len(set(path)) for path in acts(tree_of(free)))
    assert all(len(path) == len(set(path)) for path in acts(tree_of(ended)))
    assert ended.cost["calls"] < free.cost["calls"]
    assert ended.answer == "x"
