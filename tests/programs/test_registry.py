from itertools import islice

import dspy
import pytest
from simulated import simulated

from multihop import BM25, PROGRAMS, Little, create, evaluate, local

MAY_RETURN_NONE = ("tor", "self-ask", "react", "decomp", "lats", "lats-mzqa", "lats-bc")
"""A tree returns what it accepted, and methods that think first may finish before they search."""


SEARCHING = {
    "one-step": {},
    "decompose": {},
    **{name: {"turns": 5} for name in ("self-ask", "react", "ircot", "decomp", "cor", "resp")},
}
FEW_CHUNKS = {"k": 3, "hops": 3}
"""An encoder that was never trained lets every chunk pass, and each of them asks for ten more."""


@pytest.fixture(scope="module")
def little():
    return BM25.build(Little().passages()), list(islice(Little().questions(), 20))


@pytest.mark.grid
@pytest.mark.usefixtures("tiny_encoder")
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("engine", ["local", "simulated"])
def test_every_program_answers_with_the_built_in_engines(name, engine, little):
    retriever, questions = little
    lm = local() if engine == "local" else simulated(questions, iter(retriever), error_rate=0.3)
    small = FEW_CHUNKS if name == "efficientrag" else PROGRAMS[name].small
    program = create(name, retriever if PROGRAMS[name].retrieves else None, **small)
    with dspy.context(lm=lm):
        run = evaluate(program, questions[:8])
    rows = list(run.rows())
    assert [row["error"] for row in rows] == [None] * 8
    assert all(row["answer"] and row["cost"]["calls"] >= 1 for row in rows)
    if program.retrieves and name not in MAY_RETURN_NONE:
        assert all(row["passages"] for row in rows)


def test_with_all_gold_and_no_errors_methods_that_search_on_answer_nearly_everything(little):
    retriever, questions = little
    lm = simulated(questions, iter(retriever), error_rate=0.0, known=0.0)
    with dspy.context(lm=lm):
        f1 = {
            name: evaluate(create(name, retriever, **settings), questions).summary["metrics"]["f1"]["mean"]
            for name, settings in SEARCHING.items()
        }
    assert all(score >= 0.9 for name, score in f1.items() if name != "one-step"), f1
    assert f1["one-step"] < 0.7
