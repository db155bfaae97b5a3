import copy
import pickle

import dspy
import pytest
from toys import FakeRetriever, Steps, ask, echo

from multihop.lms import scripted
from multihop.programs import OneStep
from multihop.retrieval import Passage
from multihop.runtime import Budget, Program, cost_line
from multihop.runtime.prediction import ProgramPrediction


def predicted():
    return ask(OneStep(FakeRetriever(), k=10), scripted([{"answer": "A" * 300}]), "Who?")


def test_it_prints_short_and_keeps_everything():
    prediction = predicted()
    prediction.cost["seconds"] = 0.25
    tokens = sum(prediction.cost["tokens"]["multihop/scripted"].values())
    titles = ", ".join(["About Who?"] * 8)
    assert repr(prediction).splitlines() == [
        "Prediction(",
        f"    answer='{'A' * 300}',",
        f"    passages: {titles}, and 2 more",
        f"    cost: 1 LM call · 1 retrieval · {tokens} tokens · 0.25 s",
        "    trajectory of 2 steps",
        ")",
    ]
    assert str(prediction) == repr(prediction)
    assert len(prediction.trajectory[0]["hits"]) == len(prediction.passages) == 10


def test_what_else_a_program_says_is_printed_cut():
    said = ProgramPrediction(
        answer="a", passages=[], evidence=[{"analysis": "e"}], counts={"turns": 2}, note="x" * 999, over_budget=True
    )
    lines = repr(said).splitlines()
    assert lines[2:5] == [
        "    passages: none",
        "    evidence of 1 piece",
        "    over budget: the answer rests on what was found until then",
    ]
    assert lines[5] == "    counts={'turns': 2},"
    assert lines[6].startswith("    note='xxx")
    assert len(lines[6]) < 140


def test_passages_of_any_kind_are_named():
    said = ProgramPrediction(passages=[Passage("p1", "", "text"), "a plain text", Passage("p2", "Po", "text")])
    assert "passages: p1, 'a plain text', Po" in repr(said)


@pytest.mark.parametrize(
    ("cost", "line"),
    [
        ({}, "0 LM calls · 0 retrievals · 0 tokens · 0.00 s"),
        (
            {"calls": 1, "tokens": {"m": {"in": 2000}}, "parse_failures": 2},
            "1 LM call · 0 retrievals · 2,000 tokens · 2 unparseable completions · 0.00 s",
        ),
    ],
)
def test_the_cost_in_one_line(cost, line):
    assert cost_line(cost) == line


def test_it_is_a_prediction_of_dspys_in_every_way():
    prediction = predicted()
    assert isinstance(prediction, dspy.Prediction)
    for twin in (pickle.loads(pickle.dumps(prediction)), copy.deepcopy(prediction), prediction.copy()):
        assert type(twin) is ProgramPrediction
        assert twin == prediction
        assert twin.toDict() == prediction.toDict()
    assert "trajectory" not in repr(prediction.without("trajectory"))
    assert ProgramPrediction.from_completions([{"answer": "a"}, {"answer": "b"}]).completions.answer == ["a", "b"]


def test_the_answer_is_the_field_that_a_majority_votes_on():
    said = [ask(Steps(rounds=1), scripted(echo), question) for question in ("Rome", "Oslo", "the Oslo")]
    assert said[0].keys()[-1] == "answer"
    assert dspy.majority(said).answer == "Oslo"


class Hopping(Program):
    """Searches for each word of the question, one after the other; says what it is told to say."""

    def __init__(self, retriever, *, says: dict | None = None, **limits):
        super().__init__(retriever, **limits)
        self.says = says
        self.answer = dspy.Predict("question -> answer")

    async def aforward(self, question):
        for word in question.split():
            await self.find(word, 2, where=lambda passage: passage.id != "c-0")
        said = await self.ask(self.answer, question=question)
        return dspy.Prediction(**said, **(self.says or {}))


def test_passages_are_what_was_retrieved_where_a_program_names_none():
    prediction = ask(Hopping(FakeRetriever()), scripted([{"answer": "A"}]), "b a b c")
    assert [passage.id for passage in prediction.passages] == ["b-0", "b-1", "a-0", "a-1", "c-1"]
    assert prediction.passages[0] == Passage("b-0", "About b", "text 0")


@pytest.mark.parametrize("named", [[], [Passage("x", "X", "mine")]])
def test_passages_that_a_program_names_are_left_alone(named):
    program = Hopping(FakeRetriever(), says={"passages": named})
    assert ask(program, scripted([{"answer": "A"}]), "a b").passages == named


def test_passages_found_at_the_same_time_stand_in_the_order_the_searches_were_begun():
    from multihop.runtime import together

    class Fanning(Hopping):
        async def aforward(self, question):
            await together(*(self.find(word, 1) for word in question.split()))
            await self.find("last", 1)
            return await self.ask(self.answer, question=question)

    prediction = ask(Fanning(FakeRetriever()), scripted([{"answer": "A"}]), "z y x")
    assert [passage.id for passage in prediction.passages] == ["z-0", "y-0", "x-0", "last-0"]


def test_passages_of_a_program_inside_count_and_so_do_those_before_the_budget_ends():
    class Outer(Program):
        def __init__(self, retriever, **limits):
            super().__init__(retriever, **limits)
            self.inner = Hopping(retriever)

        async def aforward(self, question):
            await self.find("first", 1)
            inside = await self.attempt(self.inner.acall(question=question))
            return dspy.Prediction(answer="") if inside is None else inside

    for budget in (None, Budget(calls=0)):
        prediction = ask(Outer(FakeRetriever(), budget=budget), scripted([{"answer": "A"}]), "a")
        assert [passage.id for passage in prediction.passages] == ["first-0", "a-0", "a-1"]
        assert prediction.over_budget is (budget is not None)
