import numpy as np
import pytest

from multihop import Passage, Question
from multihop.encoder import Encoder
from multihop.retrieval import Dense
from multihop.training.adapting import query_map
from multihop.training.adapting.query_map import POWERS, learn_query_map, less_of_the_common


def test_a_direction_in_which_all_spread_counts_less():
    dice = np.random.default_rng(0)
    vectors = (dice.normal(size=(500, 3)) * [9, 3, 1]).astype(np.float32)
    matrix = less_of_the_common(vectors, 0.5)
    assert matrix == pytest.approx(matrix.T, abs=1e-6)
    assert np.diag(matrix) == pytest.approx([0.22, 0.59, 1.0], abs=0.03)
    assert less_of_the_common(vectors, 0.0) == pytest.approx(np.eye(3), abs=1e-6)
    assert np.isfinite(less_of_the_common(np.ones((4, 3), np.float32), 0.3)).all()


@pytest.mark.usefixtures("tiny_encoder")
def test_the_power_is_the_one_with_which_most_is_found(monkeypatch):
    index = Dense.build([Passage(f"p{n}", "", f"House {n} has a boiler of kind {n * 7}.") for n in range(90)])
    vectors = index.some_vectors(1000)
    tried = [less_of_the_common(vectors, power) for power in POWERS]

    def found(_, encoder, questions):
        matrix = encoder.maps.query
        return 0.5 if matrix is None else [0.1, 0.9, 0.7, 0.9][[(matrix == each).all() for each in tried].index(True)]

    monkeypatch.setattr(query_map, "_found", found)
    learned = learn_query_map(index, Encoder.load(), [])
    assert (learned == tried[1]).all()


@pytest.mark.usefixtures("tiny_encoder")
def test_where_everything_is_found_already_there_is_no_map():
    index = Dense.build([Passage("a", "", "boiler"), *(Passage(f"p{n}", "", f"pump {n}") for n in range(90))])
    asked = [Question(id="q", question="boiler", answers=(), supporting=("a",))]
    assert learn_query_map(index, Encoder.load(), asked) is None


@pytest.mark.usefixtures("tiny_encoder")
def test_of_a_few_vectors_no_spread_is_taken(monkeypatch):
    monkeypatch.setattr(query_map, "_found", lambda index, encoder, questions: float(encoder.is_mapped))
    pages = [Passage(f"p{n}", "", f"House {n} has a boiler.") for n in range(80)]
    assert learn_query_map(Dense.build(pages), Encoder.load(), []) is not None
    assert learn_query_map(Dense.build(pages[1:]), Encoder.load(), []) is None
