import asyncio
from itertools import product

import pytest
from toy_moves import gather

from multihop.programs.search import Moves, best_scored, search_beam, search_depth_first


def toy(scores, *, depth=2, end=None, nothing_after=None):
    """Paths of digits, of which three of four proposed are taken; what is not in `scores` is worth 0."""
    asked = []

    async def propose(path):
        asked.append(("propose", path))
        return [] if path == nothing_after else [0, 1, 2, 3]

    async def move(path, act):
        asked.append(("move", (*path, act)))
        return act

    async def score(path):
        asked.append(("score", path))
        return scores.get(path, 0.0)

    def ends(item):
        return item == end

    return Moves(propose=propose, move=move, score=score, ends=ends, depth=depth, breadth=3), asked


def paths(asked, kind):
    return [path for what, path in asked if what == kind]


def test_the_best_of_each_level_is_grown_on():
    moves, asked = toy({(1,): 0.9, (2,): 0.5, (1, 2): 0.4, (2, 0): 1.0})
    tree = asyncio.run(search_beam(moves, gather))
    assert paths(asked, "propose") == [(), (1,)]
    assert paths(asked, "move") == paths(asked, "score") == [(0,), (1,), (2,), (1, 0), (1, 1), (1, 2)]
    assert best_scored(tree) == (1, 2)
    assert [node.path for node in tree.walk() if node.kept] == [(), (1,), (1, 2)]


@pytest.mark.parametrize(
    ("scores", "width", "what", "grown", "chosen"),
    [
        # a wider beam finds what a narrow one gave up
        ({(1,): 0.9, (2,): 0.5, (1, 2): 0.4, (2, 0): 1.0}, 2, {}, [(), (1,), (2,)], (2, 0)),
        # ties go to the first
        ({}, 1, {}, [(), (0,)], (0, 0)),
        # a path that ends early is kept while it is good enough
        ({(2,): 0.8, (1,): 0.7, (1, 1): 0.6}, 2, {"end": 2}, [(), (1,)], (2,)),
        # and takes a place in the beam,
        ({(2,): 0.8, (1,): 0.9, (1, 0): 0.7, (1, 1): 0.6}, 2, {"end": 2, "depth": 3}, [(), (1,), (1, 0)], (2,)),
        # of equal ones the first place;
        ({(2,): 0.8, (1,): 0.9, (1, 0): 0.8, (1, 1): 0.8}, 2, {"end": 2, "depth": 3}, [(), (1,), (1, 0)], (2,)),
        # but of equal ones the longer is chosen
        ({(0,): 0.8, (1,): 0.9, (1, 1): 0.8}, 2, {"end": 0}, [(), (1,)], (1, 1)),
        # where nothing is proposed there is nothing to choose
        ({}, 1, {"nothing_after": ()}, [()], ()),
        # where nothing follows the last kept path is chosen
        ({(1,): 0.9}, 1, {"nothing_after": (1,)}, [(), (1,)], (1,)),
        # but none whose followers were all given up
        ({(0,): 0.9, (1,): 0.5, (1, 0): 0.8, (1, 1): 0.7}, 2, {}, [(), (0,), (1,)], (1, 0)),
    ],
)
def test_a_beam_grows_and_chooses(scores, width, what, grown, chosen):
    moves, asked = toy(scores, **what)
    assert best_scored(asyncio.run(search_beam(moves, gather, width=width))) == chosen
    assert paths(asked, "propose") == grown


def test_a_beam_as_wide_as_the_tree_is_exhaustive():
    scores = {path: (sum(path) * 7 % 11) / 10 for n in (1, 2, 3) for path in product(range(3), repeat=n)}
    moves, _ = toy(scores, depth=3)
    full = [path for path in scores if len(path) == 3]
    assert best_scored(asyncio.run(search_beam(moves, gather, width=27))) == max(full, key=scores.get)


@pytest.mark.parametrize(
    ("scores", "settings", "grown", "chosen"),
    [
        # the best child is followed first, and the first full path ends the search
        ({(1,): 0.9, (0,): 0.6, (1, 2): 0.7}, {}, [(), (1,)], (1, 2)),
        # it backs off where nothing scores well enough
        ({(1,): 0.9, (0,): 0.6, (1, 2): 0.4, (0, 0): 0.8}, {}, [(), (1,), (0,)], (0, 0)),
        # without a good full path the best of the longest is chosen
        ({(1,): 0.9, (1, 0): 0.2, (1, 2): 0.4, (2,): 0.45}, {}, [(), (1,)], (1, 2)),
        # after so many expansions it takes what it has
        ({(1,): 0.9, (0,): 0.6, (0, 0): 0.8, (1, 1): 0.3}, {"limit": 2}, [(), (1,)], (1, 1)),
        # the threshold may be met exactly
        ({(2,): 0.5, (2, 1): 0.5}, {"threshold": 0.5}, [(), (2,)], (2, 1)),
    ],
)
def test_depth_first_follows_the_best_child_and_backs_off(scores, settings, grown, chosen):
    moves, asked = toy(scores)
    assert best_scored(asyncio.run(search_depth_first(moves, gather, **settings))) == chosen
    assert paths(asked, "propose") == grown
    nothing, _ = toy(scores, nothing_after=())
    assert best_scored(asyncio.run(search_depth_first(nothing, gather, **settings))) == ()
