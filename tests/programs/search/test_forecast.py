import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_moves import gather, run, toy

from multihop.programs.search import Moves, OpenNode, best_path, search
from multihop.programs.search.forecast import copy_tree, forecast_search
from multihop.programs.search.mcts import Earned, book_rewards, explore_leaf

HOW = {"iterations": 12, "exploration": 0.7}


def whole_search(moves, parallel):
    """The finished tree; and of each round the tree before it, its leaves' paths, and how many iterations are done."""
    rounds = []

    async def prepare(root, leaves, done):
        if leaves:
            rounds.append((copy_tree(root), [leaf.path for leaf in leaves], done))

    return run(search(moves, gather, parallel=parallel, prepare=prepare, **HOW)), rounds


def everything(moves, rounds):
    """The result of each explored leaf."""
    paths = {path for _, paths, _ in rounds for path in paths}
    return {path: run(explore_leaf(OpenNode(path), moves, gather)) for path in paths}


def look(moves, rounds, number, known, parallel):
    root, _, done = rounds[number]
    return forecast_search(root, known, moves, left=12 - done, exploration=0.7, parallel=parallel)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from([1, 3]), st.integers(0, 11))
def test_who_knows_everything_sees_the_end(seed, parallel, number):
    moves, _ = toy(seed)
    tree, rounds = whole_search(moves, parallel)
    forecast = look(moves, rounds, min(number, len(rounds) - 1), everything(moves, rounds), parallel)
    assert forecast.leaves == ()
    assert forecast.ends == ((best_path(tree), 1.0),)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from([1, 3]), st.integers(0, 11), st.data())
def test_what_alone_is_not_known_is_seen_when_it_comes(seed, parallel, number, data):
    moves, _ = toy(seed, dead=0)
    _, rounds = whole_search(moves, parallel)
    number = min(number, len(rounds) - 1)
    explored_before = {path for _, paths, _ in rounds[:number] for path in paths}
    to_come = {path: at for at in range(len(rounds) - 1, number - 1, -1) for path in rounds[at][1]}
    new = sorted(path for path in to_come if path not in explored_before and not moves.terminal(path))
    if not new:
        return
    missing = data.draw(st.sampled_from(new))
    known = {path: earned for path, earned in everything(moves, rounds).items() if path != missing}
    seen = {leaf.path: leaf for leaf in look(moves, rounds, number, known, parallel).leaves}
    assert (seen[missing].share, seen[missing].round) == (1.0, to_come[missing] - number)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from([1, 3]))
def test_the_coming_round_is_certain_whatever_is_known(seed, parallel):
    moves, _ = toy(seed, dead=0, ending=0)
    _, rounds = whole_search(moves, parallel)
    for number, (_, paths, _) in enumerate(rounds):
        coming = {leaf.path for leaf in look(moves, rounds, number, {}, parallel).leaves if leaf.share == 1.0}
        assert {path for path in paths if not moves.terminal(path)} <= coming


def test_a_look_leaves_the_tree_as_it_is():
    moves, _ = toy(4)
    _, rounds = whole_search(moves, 1)
    root = rounds[-1][0]
    before = root.freeze()
    forecast_search(root, {}, moves, left=5, exploration=0.7)
    assert root.freeze() == before


async def never(*_):
    raise AssertionError("nothing is asked of the moves")


@pytest.mark.parametrize(("reward", "share"), [(0.9, 1.0), (0.0, 0.0)])
def test_a_reward_that_is_known_tells_where_the_search_goes_on(reward, share):
    root = OpenNode()
    book_rewards(root, [Earned(("a",), (), 0.5), Earned(("b",), (), 0.5)], 1)
    moves = Moves(propose=never, move=never, score=never, depth=3, breadth=2)
    known = {("a",): [Earned(("a", "x"), (), reward), Earned(("a", "y"))]}
    forecast = forecast_search(root, known, moves, left=2, exploration=0.0)
    shares = {leaf.path: leaf.share for leaf in forecast.leaves}
    assert shares[("a",)] == 1.0
    assert shares.get(("b",), 0.0) <= 1 - share
    assert asyncio.iscoroutinefunction(moves.propose)
