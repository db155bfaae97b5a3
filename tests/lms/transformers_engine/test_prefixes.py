import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from multihop.lms.transformers_engine.prefixes import Prefixes, common_beginning

PROMPTS = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=8), max_size=12)


def tokens(*numbers):
    return np.array(numbers, np.int32)


def test_the_longest_beginning_is_found_and_the_last_token_never():
    prefixes = Prefixes(100)
    assert prefixes.find(tokens(1, 2)) == (None, 0)
    prefixes.add(tokens(1, 2, 3), ["short"])
    prefixes.add(tokens(1, 2, 4, 5), ["long"])
    assert prefixes.find(tokens(1, 2, 4, 9)) == (["long"], 3)
    assert prefixes.find(tokens(1, 2, 3)).shared == 2
    assert prefixes.find(tokens(7, 2, 3)) == (None, 0)


def test_what_goes_on_takes_the_place_of_its_beginning():
    prefixes = Prefixes(4)
    prefixes.add(tokens(1, 2), ["beginning"])
    prefixes.add(tokens(1, 2, 3, 4), ["whole"])
    prefixes.add(tokens(1, 2, 3), ["beginning"])
    assert prefixes.find(tokens(1, 2, 3, 4, 5)) == (["whole"], 4)


def test_those_go_first_that_were_used_longest_ago():
    prefixes = Prefixes(4)
    prefixes.add(tokens(1, 1), ["one"])
    prefixes.add(tokens(2, 2), ["two"])
    prefixes.find(tokens(1, 1, 1))
    prefixes.add(tokens(3, 3), ["three"])
    assert [prefixes.find(tokens(each, each, 0)).shared for each in (1, 2, 3)] == [2, 0, 2]
    prefixes.add(tokens(*[9] * 5), ["too long"])
    assert prefixes.find(tokens(*[9] * 6)).shared == 0


@given(PROMPTS, st.integers(0, 20))
def test_what_is_kept_never_exceeds_its_room_and_is_a_beginning(prompts, room):
    prefixes = Prefixes(room)
    for each in prompts:
        prefixes.add(tokens(*each), [tuple(each)])
        assert sum(len(kept.tokens) for kept in prefixes._all) <= room
        memory, shared = prefixes.find(tokens(*each, 5))
        assert shared == (0 if memory is None else common_beginning(tokens(*memory[0]), tokens(*each, 5)))
