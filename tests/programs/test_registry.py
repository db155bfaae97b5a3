import ast
import inspect
from itertools import islice
from pathlib import Path

import dspy
import pytest
from simulated import simulated

import multihop
from multihop import BM25, PROGRAMS, Little, create, evaluate, local, programs
from multihop.programs.registry import listed_programs
from multihop.runtime import Program

LISTED = listed_programs()

MAY_RETURN_NONE = ("tor", "self-ask", "react", "decomp", "lats", "lats-mzqa", "lats-bc")
"""A tree returns what it accepted, and methods that think first may finish before they search."""


SEARCHING = {
    "one-step": {},
    "decompose": {},
    **{name: {"turns": 5} for name in ("self-ask", "cor", "resp")},
}
FEW_CHUNKS = {"k": 3, "hops": 3}
"""An encoder that was never trained lets every chunk pass, and each of them asks for ten more."""


@pytest.fixture(scope="module")
def little():
    return BM25.build(Little().passages()), list(islice(Little().questions(), 10))


@pytest.mark.usefixtures("tiny_encoder")
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_answers_with_the_built_in_engine(name, little):
    retriever, questions = little
    small = FEW_CHUNKS if name == "efficientrag" else PROGRAMS[name].small
    program = create(name, retriever if PROGRAMS[name].retrieves else None, **small)
    with dspy.context(lm=local()):
        run = evaluate(program, questions[:3])
    rows = list(run.rows())
    assert [row["error"] for row in rows] == [None] * 3
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


@pytest.mark.parametrize("name", LISTED)
def test_a_line_makes_a_program_known_everywhere(name):
    module, _, cls = LISTED[name].partition(":")
    program = getattr(programs, cls)
    assert program.name == name
    assert (program.__module__, program.__name__) == (f"multihop.programs.{module}", cls)
    assert issubclass(program, Program)
    assert PROGRAMS[name] is program
    assert getattr(multihop, cls) is program
    assert cls in programs.__all__
    assert cls in multihop.__all__


def test_no_program_is_forgotten():
    """Every class in the files of `programs/` that has a name of its own is in the list."""
    folder = Path(inspect.getfile(programs)).parent
    named = {
        cls.name
        for file in (*folder.glob("*.py"), *folder.glob("baselines/*.py"))
        for cls in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(cls, ast.ClassDef) and any(ast.unparse(line).startswith("name = ") for line in cls.body)
    }
    assert named == {place.partition(":")[2] for place in LISTED.values()}
