from hypothesis import given
from hypothesis import strategies as st

from multihop.optimize.prompts.objective_frontier import frontier_of

SCORES = st.lists(st.fixed_dictionaries({"f1": st.integers(0, 4), "saved": st.integers(0, 4)}), max_size=8)


@given(SCORES)
def test_whoever_is_left_out_is_beaten_or_equalled_by_one_who_is_there(scores):
    best = frontier_of(scores)
    for place, each in enumerate(scores):
        ahead = [scores[other] for other in best if all(scores[other][name] >= each[name] for name in each)]
        assert ahead if place not in best else [each] == ahead


def test_of_equals_the_first_is_there_alone():
    assert frontier_of([{"f1": 1}, {"f1": 1}, {"f1": 0}]) == [0]
