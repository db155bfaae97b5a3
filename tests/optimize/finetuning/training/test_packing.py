from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from multihop.optimize.finetuning.training.conversations import Example
from multihop.optimize.finetuning.training.packing import pack, packs, steps_of_pass

ROWS = st.lists(
    st.lists(st.integers(0, 2), min_size=2, max_size=6).flatmap(
        lambda tokens: st.integers(1, len(tokens) - 1).map(lambda asked: Example(tuple(tokens), asked, str(tokens[0])))
    ),
    min_size=1,
    max_size=6,
)


@given(ROWS)
def test_each_token_sees_its_own_row_in_order_and_nothing_else(rows):
    packed = pack(rows)
    sees = np.tril(np.ones((len(packed.tokens),) * 2, bool)) if packed.sees is None else packed.sees
    learned = sorted(
        (tuple(packed.tokens[place] for place in np.flatnonzero(sees[asked])), said)
        for asked, said in zip(packed.asked, packed.said, strict=True)
    )
    wanted = [(row.tokens[:place], row.tokens[place]) for row in rows for place in range(row.asked, len(row.tokens))]
    assert learned == sorted(wanted)
    for token, place in enumerate(packed.places):
        assert sees[token].sum() == place + 1


@given(ROWS, st.integers(0, 12))
def test_packs_hold_all_rows_and_no_more_tokens_than_are_asked_for(rows, most):
    found = packs(rows, most)
    assert sorted(row for some in found for row in some) == sorted(rows)
    for some in found:
        assert len(some) == 1 or len(pack(some).tokens) <= most


@given(ROWS, st.integers(0, 3))
def test_a_pass_has_each_row_once_and_the_rows_of_a_question_together(rows, number):
    steps = steps_of_pass(rows, number, batch=2, seed=0)
    order = [row for step in steps for row in step]
    assert sorted(order) == sorted(rows)
    assert all(len(step) == 2 for step in steps[:-1])
    changes = sum(one.question != other.question for one, other in pairwise(order))
    assert changes == len({row.question for row in rows}) - 1
    assert steps == steps_of_pass(rows, number, batch=2, seed=0)
