"""The rules that end a search early: each on a chain, call by call; together; and off, as the papers have it."""

import dspy
import pytest
from shelf import Shelf, by_field, run

from multihop import InterleavedThought, TreeOfReviews, create

ONWARD = {"thought": {"thought": "on", "enough": False}, "reasoning": {"reasoning": "r", "answer": "x"}}
"""An LM of `ircot` that always searches for the same."""


def stops(prediction):
    return [step["outputs"] for step in flat(prediction.trajectory) if step["step"] == "stop"]


def flat(steps):
    """All steps, those of branches in the place of the branches."""
    for step in steps:
        if "branches" in step:
            for branch in step["branches"]:
                yield from flat(branch)
        else:
            yield step


def ircot(shelf, lm=ONWARD, **settings):
    prediction, _ = run(InterleavedThought(shelf, **settings), by_field(**lm))
    return prediction, prediction.cost["calls_by_role"], shelf.asked


def test_a_query_that_was_asked_before_ends_a_chain():
    prediction, calls, asked = ircot(Shelf(q="a", on="b"), turns=9)
    assert (calls, asked) == ({"think": 2, "read": 1}, ["q", "on"])
    assert stops(prediction) == [{"rule": "repeats", "why": "It was asked before: on"}]
    assert prediction.counts == {"rounds": 2, "repeated": 0, "documents": 2}


def test_other_spacing_and_case_repeats_a_query_too():
    thoughts = [{"thought": thought, "enough": False} for thought in ("Who is  Ada?", "who is Ada")]
    _, calls, asked = ircot(Shelf(q="a", **{"Who is  Ada?": "b"}), {**ONWARD, "thought": thoughts}, turns=9)
    assert (calls, asked) == ({"think": 2, "read": 1}, ["q", "Who is  Ada?"])


def test_a_round_that_brings_nothing_new_is_the_last():
    thoughts = [{"thought": thought, "enough": False} for thought in ("one", "two", "three")]
    shelf = Shelf(q="a b", one="b c", two="c a", three="d")
    prediction, calls, asked = ircot(shelf, {**ONWARD, "thought": thoughts}, turns=9)
    assert (calls, asked) == ({"think": 2, "read": 1}, ["q", "one", "two"])
    assert stops(prediction) == [{"rule": "nothing-new", "why": "All that was found was known."}]
    assert [passage.id for passage in prediction.passages] == ["a", "b", "c"]


def test_a_query_that_finds_nothing_at_all_leaves_it_to_the_method():
    thoughts = [{"thought": thought, "enough": False} for thought in ("one", "two", "three")]
    prediction, calls, asked = ircot(Shelf(q="a", two="b"), {**ONWARD, "thought": thoughts}, turns=3)
    assert (calls, asked) == ({"think": 2, "read": 1}, ["q", "one", "two"])
    assert stops(prediction) == []


def test_where_no_further_passage_is_kept_nothing_new_can_come():
    thoughts = [{"thought": thought, "enough": False} for thought in ("one", "two")]
    shelf = Shelf(q="a b", one="c d", two="e")
    prediction, calls, asked = ircot(shelf, {**ONWARD, "thought": thoughts}, turns=9, max_passages=2)
    assert (calls, asked) == ({"think": 1, "read": 1}, ["q", "one"])
    assert [each["rule"] for each in stops(prediction)] == ["nothing-new"]


def test_rules_that_are_off_end_nothing():
    prediction, calls, asked = ircot(Shelf(q="a", on="a"), turns=4, stops=())
    assert (calls, asked) == ({"think": 3, "read": 1}, ["q", "on", "on", "on"])
    assert prediction.counts["repeated"] == 2
    assert stops(prediction) == []


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
