import copy
import pickle
import subprocess
import sys

import cloudpickle
import dspy
import pytest
from toys import Steps, ask, echo

from multihop.lms import scripted
from multihop.programs import OneStep, TreeOfReviews
from multihop.retrieval import BM25, Passage
from multihop.runtime import Program

RIVERS = [Passage("p1", "Po", "The Po is a river in Italy."), Passage("p2", "Etna", "Etna is a volcano.")]


def again(value):
    return pickle.loads(pickle.dumps(value))


def test_settings_demonstrations_and_lms_come_along():
    lms = {"read": dspy.LM("openai/gpt-x")}
    program = TreeOfReviews(BM25.build(RIVERS), depth=2, widths=(2, 1), lms=lms, retries=1)
    program.review.demos = [dspy.Example(question="q", relevant=True)]
    program.review.signature = program.review.signature.with_instructions("Say it in French.")
    loaded = again(program)
    assert type(loaded) is TreeOfReviews
    assert loaded.settings == program.settings
    assert loaded.review.demos == program.review.demos
    assert loaded.review.signature.instructions == "Say it in French."
    kept = [name for name in vars(program) if name not in ("history", "callbacks")]
    assert [name for name in vars(loaded) if name in kept] == kept
    assert loaded.lm_of("read").model == "openai/gpt-x"
    assert (loaded.history, loaded.callbacks) == ([], [])


def test_copies_and_programs_pickled_together_share_what_they_shared():
    retriever, lm = BM25.build(RIVERS), scripted([{"answer": "A"}])
    first = OneStep(retriever, k=1, lms={"answer": lm}, concurrency=7)
    twin = first.deepcopy()
    for one, other in ((first, twin), again([first, twin])):
        assert one.retriever is other.retriever
        assert one.gate is other.gate
        assert one.gate.limit == 7
        assert one.lms["answer"] is other.lms["answer"]
        assert one.answer is not other.answer
    assert (twin.settings, twin.history, twin.callbacks) == (first.settings, [], [])


class Outer(Program):
    def __init__(self, retriever, **limits):
        super().__init__(retriever, **limits)
        self.inner = OneStep(retriever, k=1)
        self.hops = [dspy.ChainOfThought("question -> answer")]

    async def aforward(self, question):
        return await self.inner.acall(question=question)


def test_a_program_inside_a_program_searches_the_same_index():
    loaded = again(Outer(BM25.build(RIVERS)))
    assert loaded.inner.retriever is loaded.retriever
    assert list(loaded.hops[0].predict.signature.fields) == ["question", "reasoning", "answer"]
    with dspy.context(lm=scripted([{"answer": "Italy"}])):
        assert loaded(question="Where is the Po?").passages == RIVERS[:1]


def test_a_shallow_copy_shares_its_steps():
    program = Steps(rounds=1)
    twin = copy.copy(program)
    twin.rounds = 2
    assert twin.guess is program.guess
    assert [ask(each, scripted(echo)).cost["calls"] for each in (program, twin)] == [2, 3]


A_NOTEBOOK = """
from multihop import Direct

class Twice(Direct):
    ending: str = "?"

    async def aforward(self, question):
        await self.ask(self.answer, question=question)
        return await self.ask(self.answer, question=question + self.ending)
"""
ELSEWHERE = """
import pickle, sys
import dspy
from multihop import scripted

program = pickle.load(sys.stdin.buffer)
with dspy.context(lm=scripted(lambda prompt: {"answer": prompt.inputs["question"]})):
    prediction = program(question="Which river?")
print(prediction.answer, prediction.cost["calls_by_role"])
try:
    type(program)(ending=3)
except ValueError as error:
    print(error)
"""


@pytest.mark.seconds
def test_a_program_written_in_a_script_or_notebook_can_be_handed_to_another_process():
    notebook = {"__name__": "a_notebook"}  # which no other process can import
    exec(A_NOTEBOOK, notebook)
    handed = cloudpickle.dumps(notebook["Twice"](ending="!"))
    said = subprocess.run([sys.executable, "-c", ELSEWHERE], input=handed, capture_output=True, check=True)
    answer, refusal = said.stdout.decode().splitlines()
    assert answer == "Which river?! {'answer': 2}"
    assert refusal.startswith("setting 'ending' of Twice cannot be 3")
