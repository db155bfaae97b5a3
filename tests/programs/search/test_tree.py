import asyncio
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.programs.search import Node, TreeRules, grow_by_level, grow_depth_first

pytestmark = pytest.mark.at_once

ORDERS = [grow_by_level, grow_depth_first]


def rules(*, width=3, depth=3, decide, prune=None, log=None, delays=None, settled=None):
    """A toy tree over numbers: each path expands to 0..width-1, and its finding is the path itself."""

    async def expand(path, finding):
        if log is not None:
            log.append(("expand", path))
        return list(range(width))

    async def judge(path):
        if log is not None:
            log.append(("judge", path))
        if delays is not None:
            await asyncio.sleep(delays.random() * 0.002)
        return path

    optional = {name: value for name, value in (("prune", prune), ("is_settled", settled)) if value}
    return TreeRules(expand=expand, judge=judge, decide=decide, depth=depth, **optional)


def run(order, given_rules):
    return asyncio.run(order(given_rules, asyncio.gather))


def accepted(tree):
    return {node.path for node in tree.walk() if node.action == "accept"}


def brute_force(width, depth, decide):
    """Every path all of whose prefixes were searched, with what is decided about it."""
    found, open_paths = {}, [()]
    while open_paths:
        path = open_paths.pop()
        for item in range(width):
            child = (*path, item)
            found[child] = decide(child)
            if found[child] == "search" and len(child) < depth:
                open_paths.append(child)
    return found


@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 4))
def test_without_pruning_both_orders_visit_exactly_what_brute_force_does(seed, width, depth):
    def decide(path):
        return random.Random(f"{seed}{path}").choice(["accept", "search", "search", "reject"])

    expected = brute_force(width, depth, decide)
    for order in ORDERS:
        tree = run(order, rules(width=width, depth=depth, decide=decide))
        assert {node.path: node.action for node in tree.walk() if node.path} == expected


@given(st.integers(0, 10_000))
def test_the_tree_by_level_is_the_same_whichever_call_finishes_first(seed):
    def decide(path):
        return random.Random(f"{seed}{path}").choice(["accept", "search", "reject"])

    def prune(item, path, taken):
        return "taken" if any(item in each for each in taken) else None

    trees = [run(grow_by_level, rules(decide=decide, prune=prune, delays=random.Random(delay))) for delay in range(3)]
    assert trees[0] == trees[1] == trees[2]


def test_depth_first_goes_down_before_it_goes_on():
    log = []
    run(grow_depth_first, rules(width=2, depth=2, decide=lambda path: "search", log=log))
    assert log == [
        ("expand", ()),
        ("judge", (0,)),
        ("expand", (0,)),
        ("judge", (0, 0)),
        ("judge", (0, 1)),
        ("judge", (1,)),
        ("expand", (1,)),
        ("judge", (1, 0)),
        ("judge", (1, 1)),
    ]


def test_what_is_accepted_prunes_later_in_the_one_order_and_deeper_in_the_other():
    def decide(path):
        return "accept" if path[-1] == 0 else "search"

    def prune(item, path, taken):
        return "taken" if any(item in each for each in taken) else None

    by_level = run(grow_by_level, rules(width=2, depth=2, decide=decide, prune=prune))
    assert by_level.children[1].pruned == ((0, "taken"),)
    assert accepted(by_level) == {(0,)}
    depth_first = run(grow_depth_first, rules(width=2, depth=2, decide=decide, prune=prune))
    assert by_level == depth_first

    def last_first(path):
        return "accept" if path[-1] == 1 else "search"

    assert accepted(run(grow_by_level, rules(width=2, depth=2, decide=last_first, prune=prune))) == {(1,)}
    # Depth-first, 0 is explored before 1 is accepted next to it, so its own 1 is still new there.
    assert accepted(run(grow_depth_first, rules(width=2, depth=2, decide=last_first, prune=prune))) == {(0, 1), (1,)}


def test_a_settled_search_stops():
    def settled(findings):
        return len(findings) >= 1

    log = []
    tree = run(grow_depth_first, rules(decide=lambda path: "accept", settled=settled, log=log))
    assert log == [("expand", ()), ("judge", (0,))]
    assert [child.path for child in tree.children] == [(0,)]
    log.clear()
    run(grow_by_level, rules(decide=lambda p: "accept" if p[-1] == 0 else "search", settled=settled, log=log))
    assert [path for what, path in log if what == "judge"] == [(0,), (1,), (2,)]


@pytest.mark.parametrize("order", ORDERS)
def test_nothing_found_is_an_empty_tree(order):
    assert run(order, rules(width=0, decide=lambda path: "search")) == Node(())


def test_an_error_comes_out():
    async def expand(path, finding):
        raise OSError("no retriever")

    async def judge(path):
        return path

    for order in ORDERS:
        with pytest.raises(OSError, match="no retriever"):
            run(order, TreeRules(expand=expand, judge=judge, decide=lambda finding: "search"))
