from itertools import islice

import dspy
import pytest
from misfits import misfits

from multihop import BM25, Budget, Little, create, local
from multihop.programs import PROGRAMS
from multihop.runtime import Program, steps


@pytest.fixture(scope="module")
def little():
    return BM25.build(Little().passages()), [question.question for question in islice(Little().questions(), 2)]


@pytest.mark.grid
@pytest.mark.usefixtures("tiny_encoder")
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("budget", [None, Budget(calls=3)])
def test_every_step_of_every_program_is_of_its_kind(name, budget, little):
    retriever, questions = little
    program = create(name, retriever, budget=budget, **PROGRAMS[name].small)
    with dspy.context(lm=local()):
        trajectories = [program(question=question).trajectory for question in questions]
    assert all(trajectories)
    assert misfits(trajectories, list[list[steps.TrajectoryStep]], name) == set()


def test_a_step_that_is_not_of_its_kind_is_noticed():
    find = {"step": "find", "query": "q", "k": "3", "hits": [{"id": "a", "title": "A"}]}
    assert misfits([find], list[steps.TrajectoryStep], "steps") == {
        f"steps[].k is '3', not {int}",
        "steps[].hits[] lacks score",
    }


def test_a_method_of_ones_own_records_what_it_did():
    class Counted(Program):
        retrieves = False

        async def aforward(self, question):
            self.record({"step": "count", "outputs": {"words": len(question.split())}})
            return dspy.Prediction(answer="")

    assert Counted()(question="How many words?").trajectory == [{"step": "count", "outputs": {"words": 3}}]
