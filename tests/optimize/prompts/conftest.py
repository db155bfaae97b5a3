from itertools import islice

import pytest

from multihop import BM25, World


@pytest.fixture(scope="module")
def world():
    made = World(questions=40, seed=4)
    retriever, questions = BM25.build(made.passages()), list(islice(made.questions(), 40))
    return retriever, questions, {page.id: page for page in made.passages()}
