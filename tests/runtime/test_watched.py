"""DSPy's callbacks hear of programs, steps and retrievals, and of every attempt of an adapter and an LM."""

import asyncio

import dspy
import pytest
from ear import Ear
from shelf import GARBAGE, slow
from toys import FakeRetriever, Steps, echo

from multihop import BM25, Little, OneStep, create, local, scripted


@pytest.fixture
def ear():
    ear = Ear()
    with dspy.context(callbacks=[ear]):
        yield ear


def test_steps_and_retrievals_have_their_names_and_their_places(ear):
    with dspy.context(lm=scripted([{"answer": "Po"}])):
        prediction = OneStep(FakeRetriever(), k=2)(question="Who?")
    assert ear.pairs() == [(None, "OneStep"), ("OneStep", "find"), ("OneStep", "answer"), ("answer", "Predict")]
    _, found, step, _ = ear.heard.values()
    assert found["retriever"]
    assert found["inputs"] == {"query": "Who?", "k": 2}
    wanted = [(each.id, each.title, each.text) for each in prediction.passages]
    assert [(each["id"], each["metadata"]["title"], each["page_content"]) for each in found["outputs"]] == wanted
    assert step["inputs"] == {"question": "Who?", "passages": prediction.passages}
    assert step["outputs"].answer == "Po"


@pytest.mark.usefixtures("tiny_encoder")
def test_answers_are_the_same_whether_anybody_listens_or_not(ear):
    question = next(Little().questions()).question
    program = create("resp", BM25.build(Little().passages()))
    with dspy.context(lm=local()):
        told = program(question=question)
        with dspy.context(callbacks=[]):
            assert program(question=question).trajectory == told.trajectory
    assert ear.events.count("find") == told.cost["retrievals"]
    assert {role: ear.events.count(role) for role in told.cost["calls_by_role"]} == told.cost["calls_by_role"]


def test_what_fails_is_told_and_raised(ear):
    with dspy.context(lm=scripted(echo)), pytest.raises(OSError, match="disk"):
        OneStep(FakeRetriever(fail=OSError("disk")))(question="Who?")
    found = next(each for each in ear.heard.values() if each["name"] == "find")
    assert (found["outputs"], str(found["exception"])) == (None, "disk")


@pytest.mark.at_once
def test_each_question_has_its_own_steps_whatever_runs_at_once(ear):
    program = Steps(rounds=2)

    async def main():
        with dspy.context(lm=slow(scripted(echo), 0.001)):
            await asyncio.gather(*(program.acall(question=f"word{n}") for n in range(10)))

    asyncio.run(main())
    counts = {(None, "Steps"): 10, ("Steps", "guess"): 20, ("Steps", "read"): 10}
    assert {pair: ear.pairs().count(pair) for pair in counts} == counts


CALL = ["formats", "asks", "answers", "parses"]


def test_every_attempt_is_heard(ear):
    with dspy.context(lm=scripted([GARBAGE, {"answer": "a"}, {"answer": "b"}])):
        assert Steps(rounds=1)(question="Who?").answer == "b"
    unparsed, as_json = [*CALL[:-1], "fails to parse"], ["formats", *CALL]  # DSPy's JSON adapter formats in two layers
    assert ear.events == ["Steps", "guess", "Predict", *unparsed, "Predict", *as_json, "read", "Predict", *CALL]


@pytest.mark.parametrize(
    ("whose", "heard"),
    [("lm", ["asks", "answers"] * 2), ("predictor", ["Predict"]), ("adapter", ["formats", "parses"] * 2)],
)
def test_callbacks_of_one_part(whose, heard):
    ear, program, lm, adapter = Ear(), Steps(rounds=1), scripted(echo), dspy.ChatAdapter()
    {"lm": lm, "predictor": program.guess, "adapter": adapter}[whose].callbacks = [ear]
    with dspy.context(lm=lm, adapter=adapter):
        program(question="Who?")
    assert ear.events == heard
