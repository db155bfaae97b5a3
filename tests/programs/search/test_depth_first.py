import asyncio

from digits import gather, paths, toy

from multihop.programs.search import best_scored, search_depth_first


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
