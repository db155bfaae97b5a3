import asyncio
from itertools import product

import pytest
from toy_moves import gather

from multihop.programs.search import Moves, best_scored, search_beam, search_depth_first


def toy(scores, *, depth=2, breadth=3, ends=lambda item: False, nothing_after=()):
    """Paths of digits; what is not in `scores` is worth 0."""
    asked = []

    async def propose(path):
        asked.append(("propose", path))
        return [] if path in nothing_after else [0, 1, 2, 3]

    async def move(path, act):
        asked.append(("move", (*path, act)))
        return act

    async def score(path):
        asked.append(("score", path))
        return scores.get(path, 0.0)

    return Moves(propose=propose, move=move, plan=None, score=score, ends=ends, depth=depth, breadth=breadth), asked


def paths(asked, kind):
    return [path for what, path in asked if what == kind]


def test_the_best_of_each_level_is_grown_on():
    moves, asked = toy({(1,): 0.9, (2,): 0.5, (1, 2): 0.4, (2, 0): 1.0})
    tree = asyncio.run(search_beam(moves, gather))
    assert paths(asked, "propose") == [(), (1,)]
    assert paths(asked, "move") == paths(asked, "score") == [(0,), (1,), (2,), (1, 0), (1, 1), (1, 2)]
    assert best_scored(tree) == (1, 2)
    assert [node.path for node in tree.walk() if node.kept] == [(), (1,), (1, 2)]


def test_a_wider_beam_finds_what_a_narrow_one_gave_up():
    moves, asked = toy({(1,): 0.9, (2,): 0.5, (1, 2): 0.4, (2, 0): 1.0})
    assert best_scored(asyncio.run(search_beam(moves, gather, width=2))) == (2, 0)
    assert paths(asked, "propose") == [(), (1,), (2,)]


def test_a_beam_as_wide_as_the_tree_is_exhaustive():
    scores = {path: (sum(path) * 7 % 11) / 10 for n in (1, 2, 3) for path in product(range(3), repeat=n)}
    moves, _ = toy(scores, depth=3)
    full = [path for path in scores if len(path) == 3]
    assert best_scored(asyncio.run(search_beam(moves, gather, width=27))) == max(full, key=scores.get)


def test_ties_go_to_the_first():
    moves, _asked = toy({})
    assert best_scored(asyncio.run(search_beam(moves, gather))) == (0, 0)


def test_a_path_that_ends_early_is_kept_while_it_is_good_enough():
    moves, _ = toy({(2,): 0.8, (1,): 0.7, (1, 1): 0.6}, ends=lambda item: item == 2)
    assert best_scored(asyncio.run(search_beam(moves, gather, width=2))) == (2,)


@pytest.mark.parametrize("start", [search_beam, search_depth_first])
def test_where_nothing_is_proposed_there_is_nothing_to_choose(start):
    moves, _ = toy({}, nothing_after=[()])
    assert best_scored(asyncio.run(start(moves, gather))) == ()


def test_where_nothing_follows_the_last_kept_path_is_chosen():
    moves, _ = toy({(1,): 0.9}, nothing_after=[(1,)])
    assert best_scored(asyncio.run(search_beam(moves, gather))) == (1,)


def test_a_path_whose_followers_were_all_given_up_is_not_chosen():
    moves, _ = toy({(0,): 0.9, (1,): 0.5, (1, 0): 0.8, (1, 1): 0.7})
    tree = asyncio.run(search_beam(moves, gather, width=2))
    assert [node.path for node in tree.walk() if node.kept] == [(), (0,), (1,), (1, 0), (1, 1)]
    assert best_scored(tree) == (1, 0)


def test_a_path_that_ended_takes_a_place_in_the_beam():
    moves, asked = toy({(2,): 0.8, (1,): 0.9, (1, 0): 0.7, (1, 1): 0.6}, depth=3, ends=lambda item: item == 2)
    assert best_scored(asyncio.run(search_beam(moves, gather, width=2))) == (2,)
    assert paths(asked, "propose") == [(), (1,), (1, 0)]


def test_of_equal_paths_one_that_ended_goes_first_into_the_beam():
    moves, asked = toy({(2,): 0.8, (1,): 0.9, (1, 0): 0.8, (1, 1): 0.8}, depth=3, ends=lambda item: item == 2)
    asyncio.run(search_beam(moves, gather, width=2))
    assert paths(asked, "propose") == [(), (1,), (1, 0)]


def test_of_equal_paths_the_longer_is_chosen():
    moves, _ = toy({(0,): 0.8, (1,): 0.9, (1, 1): 0.8}, ends=lambda item: item == 0)
    assert best_scored(asyncio.run(search_beam(moves, gather, width=2))) == (1, 1)


def choose(moves, **settings):
    return best_scored(asyncio.run(search_depth_first(moves, gather, **settings)))


def test_the_best_child_is_followed_first_and_the_first_full_path_ends_the_search():
    moves, asked = toy({(1,): 0.9, (0,): 0.6, (1, 2): 0.7})
    assert choose(moves) == (1, 2)
    assert paths(asked, "propose") == [(), (1,)]


def test_it_backs_off_where_nothing_scores_well_enough():
    moves, asked = toy({(1,): 0.9, (0,): 0.6, (1, 2): 0.4, (0, 0): 0.8})
    assert choose(moves) == (0, 0)
    assert paths(asked, "propose") == [(), (1,), (0,)]


def test_without_a_good_full_path_the_best_of_the_longest_is_chosen():
    moves, _ = toy({(1,): 0.9, (1, 0): 0.2, (1, 2): 0.4, (2,): 0.45})
    assert choose(moves) == (1, 2)


def test_after_so_many_expansions_it_takes_what_it_has():
    moves, asked = toy({(1,): 0.9, (0,): 0.6, (0, 0): 0.8, (1, 1): 0.3})
    assert choose(moves, limit=2) == (1, 1)
    assert paths(asked, "propose") == [(), (1,)]


def test_the_threshold_may_be_met_exactly():
    moves, asked = toy({(2,): 0.5, (2, 1): 0.5})
    assert choose(moves, threshold=0.5) == (2, 1)
    assert paths(asked, "propose") == [(), (2,)]
