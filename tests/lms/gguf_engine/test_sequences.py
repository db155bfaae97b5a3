import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from multihop.lms.gguf_engine.sequences import WORTH_WAITING, Sequences


def prompt(*tokens):
    return np.array(tokens, np.int32)


def computed(start, tokens):
    start.sequence.tokens = [int(token) for token in tokens]


def test_the_longest_shared_beginning_is_taken_from_another_sequence():
    sequences = Sequences(3)
    for tokens in ([1, 2, 3, 4, 5], [1, 2, 7, 8, 9]):
        start = sequences.begin(prompt(*tokens))
        computed(start, tokens)
        sequences.end(start.sequence)
    start = sequences.begin(prompt(1, 2, 7, 8, 1))
    assert (start.sequence.number, start.source.number, start.shared) == (2, 1, 4)


def test_a_prompt_that_goes_on_from_all_that_a_free_sequence_holds_stays_in_it():
    sequences = Sequences(2)
    start = sequences.begin(prompt(1, 2, 3))
    computed(start, [1, 2, 3, 4])
    sequences.end(start.sequence)
    again = sequences.begin(prompt(1, 2, 3, 4, 5, 6))
    assert again.sequence is start.sequence
    assert again.shared == 4


def test_the_last_token_of_a_prompt_is_always_computed():
    sequences = Sequences(2)
    start = sequences.begin(prompt(1, 2, 3))
    computed(start, [1, 2, 3, 9])
    sequences.end(start.sequence)
    assert sequences.begin(prompt(1, 2, 3)).shared == 2


def test_who_shares_a_long_beginning_with_a_prompt_that_is_being_computed_waits_for_it():
    sequences = Sequences(3)
    beginning = list(range(WORTH_WAITING))
    first = sequences.begin(prompt(*beginning, 100, 101))
    assert sequences.begin(prompt(*beginning, 200, 201)) is None
    computed(first, beginning)
    second = sequences.begin(prompt(*beginning, 200, 201))
    assert (second.source, second.shared) == (first.sequence, WORTH_WAITING)
    assert second.sequence is not first.sequence


def test_beginnings_are_shared_in_blocks():
    sequences = Sequences(2, block=4)
    start = sequences.begin(prompt(1, 2, 3, 4, 5, 6, 7))
    computed(start, [1, 2, 3, 4, 5, 6, 7])
    sequences.end(start.sequence)
    assert sequences.begin(prompt(1, 2, 3, 4, 5, 6, 9)).shared == 4


def test_a_short_shared_beginning_is_not_waited_for():
    sequences = Sequences(2)
    beginning = list(range(WORTH_WAITING - 1))
    sequences.begin(prompt(*beginning, 100, 101))
    assert sequences.begin(prompt(*beginning, 200, 201)).shared == 0


def test_without_a_free_sequence_a_prompt_waits():
    sequences = Sequences(1)
    start = sequences.begin(prompt(1, 2))
    assert sequences.begin(prompt(3, 4)) is None
    sequences.end(start.sequence)
    assert sequences.begin(prompt(3, 4)).sequence is start.sequence


def test_what_was_used_longest_ago_is_the_first_to_go():
    sequences = Sequences(3)
    starts = [sequences.begin(prompt(number, 0)) for number in (1, 2, 3)]
    for start, number in zip(starts, (1, 2, 3), strict=True):
        computed(start, [number, 0])
    for start in (starts[1], starts[2], starts[0]):
        sequences.end(start.sequence)
    assert sequences.oldest_kept() is starts[1].sequence
    assert sequences.begin(prompt(9, 9)).sequence is starts[1].sequence
    assert sequences.oldest_kept() is starts[2].sequence


@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=6), min_size=1, max_size=12))
def test_what_is_shared_is_what_both_begin_with_and_no_other_shares_more(prompts):
    sequences = Sequences(4)
    kept: dict[int, list[int]] = {}
    for tokens in prompts:
        start = sequences.begin(prompt(*tokens))
        assert start.source.tokens[: start.shared] == tokens[: start.shared]
        best = max((len(common(held, tokens)) for held in kept.values()), default=0)
        assert start.shared == min(best, len(tokens) - 1)
        computed(start, tokens)
        kept[start.sequence.number] = tokens
        sequences.end(start.sequence)


def common(left, right):
    both = []
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        both.append(one)
    return both
