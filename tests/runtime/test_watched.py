"""DSPy's callbacks hear of steps and retrievals."""

import asyncio

import dspy
import pytest
from dspy.utils.callback import BaseCallback
from dspy.utils.callback_context import ACTIVE_CALL_ID
from toys import FakeRetriever, Steps, echo

from multihop import BM25, Little, OneStep, create, local, scripted


class Ear(BaseCallback):
    """Keeps what it hears: name, inputs, outputs, and within what it was."""

    def __init__(self):
        self.heard = {}

    def on_module_start(self, call_id, instance, inputs):
        self.heard[call_id] = {
            "name": type(instance).__name__,
            "retriever": isinstance(instance, dspy.Retrieve),
            "inputs": inputs.get("kwargs", {}),
            "within": ACTIVE_CALL_ID.get(),
        }

    def on_module_end(self, call_id, outputs, exception=None):
        self.heard[call_id] |= {"outputs": outputs, "exception": exception}

    def pairs(self):
        return [(self.heard.get(each["within"], {}).get("name"), each["name"]) for each in self.heard.values()]


def heard(program, lm, question="Who?"):
    ear = Ear()
    with dspy.context(lm=lm, callbacks=[ear]):
        prediction = program(question=question)
    return ear, prediction


def test_steps_and_retrievals_have_their_names_and_their_places():
    ear, prediction = heard(OneStep(FakeRetriever(), k=2), scripted([{"answer": "Po"}]))
    assert ear.pairs() == [(None, "OneStep"), ("OneStep", "find"), ("OneStep", "answer"), ("answer", "Predict")]
    _, found, step, _ = ear.heard.values()
    assert found["retriever"]
    assert found["inputs"] == {"query": "Who?", "k": 2}
    wanted = [(each.id, each.title, each.text) for each in prediction.passages]
    assert [(each["id"], each["metadata"]["title"], each["page_content"]) for each in found["outputs"]] == wanted
    assert step["inputs"]["question"] == "Who?"
    assert step["outputs"].answer == "Po"
    assert step["inputs"]["passages"] == prediction.passages


@pytest.mark.usefixtures("tiny_encoder")
def test_answers_are_the_same_whether_anybody_listens_or_not():
    question = next(Little().questions()).question
    program = create("resp", BM25.build(Little().passages()))
    ear, told = heard(program, local(), question)
    with dspy.context(lm=local()):
        silent = program(question=question)
    assert told.trajectory == silent.trajectory
    names = [each["name"] for each in ear.heard.values()]
    assert names.count("find") == told.cost["retrievals"]
    assert {role: names.count(role) for role in told.cost["calls_by_role"]} == told.cost["calls_by_role"]


def test_what_fails_is_told_and_raised():
    ear = Ear()
    with dspy.context(lm=scripted(echo), callbacks=[ear]), pytest.raises(OSError, match="disk"):
        OneStep(FakeRetriever(fail=OSError("disk")))(question="Who?")
    found = next(each for each in ear.heard.values() if each["name"] == "find")
    assert (found["outputs"], str(found["exception"])) == (None, "disk")


@pytest.mark.at_once
def test_each_question_has_its_own_steps_whatever_runs_at_once():
    program, ear = Steps(rounds=2), Ear()

    async def main():
        with dspy.context(lm=scripted(echo, latency=0.001), callbacks=[ear]):
            await asyncio.gather(*(program.acall(question=f"word{n}") for n in range(10)))

    asyncio.run(main())
    assert ear.pairs().count((None, "Steps")) == 10
    assert ear.pairs().count(("Steps", "guess")) == 20
    assert ear.pairs().count(("Steps", "read")) == 10
