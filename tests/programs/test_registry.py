"""What holds for every program: its line in the list, an answer, its most calls, and what is left without a reading."""

import ast
import inspect
import random
from itertools import islice
from pathlib import Path

import dspy
import pytest
from simulated import simulated

import multihop
from multihop import BM25, PROGRAMS, Little, create, evaluate, local, programs, scripted
from multihop.data import Question
from multihop.programs.registry import listed_programs
from multihop.retrieval import Passage
from multihop.runtime import Program, settings_of

LISTED = listed_programs()

MAY_RETURN_NONE = ("tor", "self-ask", "react", "decomp", "lats", "lats-mzqa", "lats-bc", "search-r1", "search-o1")
"""A tree returns what it accepted, and methods that think first may finish before they search."""


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
    """Every class in the files of `programs/` that has a name of its own is listed; the exam answers no question."""
    folder = Path(inspect.getfile(programs)).parent
    named = {
        cls.name
        for file in (*folder.glob("*.py"), *folder.glob("baselines/*.py"))
        for cls in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(cls, ast.ClassDef) and any(ast.unparse(line).startswith("name = ") for line in cls.body)
    }
    assert named - {"WriteExam"} == {place.partition(":")[2] for place in LISTED.values()}


@pytest.fixture(scope="module")
def little():
    return BM25.build(Little().passages()), list(islice(Little().questions(), 10))


@pytest.mark.usefixtures("tiny_encoder")
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_answers_with_the_built_in_engine(name, little):
    retriever, questions = little
    # An encoder that was never trained lets every chunk pass, and each of them asks for ten more.
    small = {"k": 3, "hops": 3} if name == "efficientrag" else PROGRAMS[name].small
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
    searching = {"one-step": {}, "decompose": {}, **{name: {"turns": 5} for name in ("self-ask", "cor", "resp")}}
    with dspy.context(lm=simulated(questions, iter(retriever), error_rate=0.0, known=0.0)):
        f1 = {
            name: evaluate(create(name, retriever, **settings), questions).summary["metrics"]["f1"]["mean"]
            for name, settings in searching.items()
        }
    assert f1.pop("one-step") < 0.7
    assert all(score >= 0.9 for score in f1.values()), f1


PAGES = [Passage(f"p{n}", f"Page {n}", f"This is page {n} of {n % 7} and {n % 5}.") for n in range(40)]


def finds(query, k):
    first = sum(map(ord, query)) % len(PAGES)
    return [(PAGES[(first + place) % len(PAGES)], 1.0) for place in range(k)]


def guess(prompt):
    """A value of its type for every output field, by lot and by the prompt alone."""
    dice = random.Random(repr(sorted(prompt.inputs.items())))
    named = {"action": lambda: dice.choice(["search", "search", "finish"]), "score": lambda: dice.randrange(11)}
    typed = {
        "bool": lambda: dice.random() < 0.3,
        "list[str]": lambda: [f"search: page {dice.randrange(999)}" for _ in range(3)],
        "str": lambda: dice.choice(["", f"page {dice.randrange(99)}", f"search: page {dice.randrange(99)}", "7"]),
    }
    return {field.name: named.get(field.name, typed.get(field.type, typed["str"]))() for field in prompt.output_fields}


SMALL = {
    "tor": {"depth": 2, "widths": (3, 2)},
    **{name: {"iterations": 4, "depth": 3, "candidates": 2} for name in ("mzqa", "rap", "lats", "lats-mzqa")},
    "tot-bfs": {"depth": 3, "candidates": 2, "breadth": 2},
    "tot-dfs": {"depth": 3, "candidates": 2, "expansions": 4},
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_question_takes_more_calls_than_the_most(name):
    reuse = {"reuse": "none"} if "reuse" in settings_of(PROGRAMS[name]) else {}
    program = create(name, finds, retries=0, **SMALL.get(name, {}), **reuse)
    with dspy.context(lm=scripted(guess)):
        taken = [program(question=f"What is thing {number}?").cost["calls"] for number in range(4)]
    assert max(taken) <= program.most_calls()
    if name in ("direct", "one-step", "recomp", "decompose", "replug", "mzqa-bc"):
        assert max(taken) == program.most_calls()


def test_the_most_calls_in_the_papers_own_settings():
    counted = {name: create(name, finds).most_calls() for name in ("tor", "resp", "mzqa", "mzqa-bc", "react", "sure")}
    assert counted == {"tor": 5 + 15 + 45 + 20 + 1, "resp": 12, "mzqa": 821, "mzqa-bc": 13, "react": 5, "sure": 7}
    assert create("tor", finds, expansion="direct").most_calls() == 66
    assert create("lats", finds, reflections=0).most_calls() < create("lats", finds).most_calls()


READS_LAST = sorted(name for name in PROGRAMS if "reads" in settings_of(PROGRAMS[name]))


def test_these_methods_end_with_a_reading_that_may_be_left_out():
    assert READS_LAST == [
        "cor", "decomp", "decompose", "efficientrag", "ircot", "iter-retgen", "one-step", "one-step-cot",
        "ranked-rag", "react", "resp", "search-o1", "search-r1", "self-ask",
    ]  # fmt: skip


@pytest.mark.usefixtures("tiny_encoder")
@pytest.mark.parametrize("name", READS_LAST)
def test_without_it_the_passages_are_the_same_and_no_reading_call_is_made(name):
    retriever = BM25.build(PAGES)
    whole, short = create(name, retriever), create(name, retriever, reads=False)
    assert (short.most_calls(), short.settings["reads"]) == (whole.most_calls() - 1, False)
    saved = set()
    with dspy.context(lm=scripted(guess)):
        for number in range(6):
            question = f"Which page is {number} of 3?"
            read, found = whole(question=question), short(question=question)
            assert [each.id for each in found.passages] == [each.id for each in read.passages]
            saved.add(read.cost["calls"] - found.cost["calls"])
            assert (found.answer is None) or read.cost["calls"] == found.cost["calls"]
    assert 1 in saved
    assert saved <= ({0, 1} if name in ("react", "self-ask", "search-o1", "search-r1") else {1})


def test_an_answer_that_was_not_read_is_not_measured():
    pages = [Passage("p1", "Ada Lovelace", "Ada Lovelace was born in London.")]
    asked = [Question(id="q", question="Where was Ada born?", answers=("London",), supporting=("p1",))]
    with dspy.context(lm=scripted([])):
        run = evaluate(create("one-step", BM25.build(pages), reads=False), asked, progress=False)
    (measured,) = (row["metrics"] for row in run.rows())
    assert (measured["em"], measured["f1"], measured["recall@5"], measured["K"]) == (None, None, 1.0, 1.0)
