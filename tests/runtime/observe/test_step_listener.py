from itertools import islice

import dspy
import pytest

from multihop import BM25, PROGRAMS, World, create, lexical
from multihop.runtime import listening


@pytest.fixture(scope="module")
def world():
    made = World(questions=10, seed=4)
    return BM25.build(made.passages()), next(islice(made.questions(), 1, None)).question


def flat(steps, path=()):
    for step in steps:
        if step["step"] == "branches":
            for number, branch in enumerate(step["branches"], 1):
                yield from flat(branch, (*path, number))
        else:
            yield {**step, "path": list(path)}


def told(step):
    return (str(step["path"]), step["step"], str(step.get("query")), str(step.get("outputs")))


@pytest.mark.parametrize("name", ["one-step", "resp", "efficientrag", "tor", "mzqa", "decompose"])
def test_every_step_is_told_once_with_the_branch_it_stands_in(name, world):
    retriever, question = world
    program, heard = create(name, retriever, **PROGRAMS[name].small), []
    with dspy.context(lm=lexical()), listening(heard.append):
        prediction = program(question=question)
    recorded = list(flat(prediction.trajectory))
    assert sorted(map(told, heard)) == sorted(map(told, recorded))
    if name == "tor":
        assert {tuple(step["path"][:1]) for step in heard} >= {(), (1,), (2,)}


def test_nobody_hears_anything_after_the_block(world):
    retriever, question = world
    heard = []
    with listening(heard.append):
        pass
    with dspy.context(lm=lexical()):
        create("one-step", retriever)(question=question)
    assert heard == []
