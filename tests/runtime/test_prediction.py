import copy
import pickle

import dspy
import pytest
from toys import FakeRetriever, Steps, ask, echo

from multihop.lms import scripted
from multihop.programs import OneStep
from multihop.retrieval import Passage
from multihop.runtime import Budget, Program, cost_line, together
from multihop.runtime.prediction import ProgramPrediction


@pytest.fixture(scope="module")
def predicted():
    return ask(OneStep(FakeRetriever(), k=10), scripted([{"answer": "A" * 300}]), "Who?")


def test_it_prints_short_and_keeps_everything(predicted):
    prediction = predicted.copy()
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
    told = {"answer": "a", "passages": [], "evidence": [{"analysis": "e"}], "over_budget": True, "full_question": "f"}
    lines = repr(ProgramPrediction(counts={"turns": 2}, note="x" * 999, **told)).splitlines()
    assert lines[1:7] == [
        "    answer='a',",
        "    full_question='f',",
        "    passages: none",
        "    evidence of 1 piece",
        "    over budget: the answer rests on what was found until then",
        "    counts={'turns': 2},",
    ]
    assert lines[7].startswith("    note='xxx")
    assert len(lines[7]) < 140
    said = ProgramPrediction(passages=[Passage("p1", "", "text"), "a plain text", Passage("p2", "Po", "text")])
    assert "passages: p1, 'a plain text', Po" in repr(said)


def test_the_cost_in_one_line():
    assert cost_line({}) == "0 LM calls · 0 retrievals · 0 tokens · 0.00 s"
    cost = {"calls": 1, "tokens": {"m": {"in": 2000}}, "parse_failures": 2}
    assert cost_line(cost) == "1 LM call · 0 retrievals · 2,000 tokens · 2 unparseable completions · 0.00 s"


def test_it_is_a_prediction_of_dspys_in_every_way(predicted):
    assert isinstance(predicted, dspy.Prediction)
    for twin in (pickle.loads(pickle.dumps(predicted)), copy.deepcopy(predicted), predicted.copy()):
        assert type(twin) is ProgramPrediction
        assert twin == predicted
        assert twin.toDict() == predicted.toDict()
    assert "trajectory" not in repr(predicted.without("trajectory"))
    assert ProgramPrediction.from_completions([{"answer": "a"}, {"answer": "b"}]).completions.answer == ["a", "b"]


def test_the_answer_is_the_field_that_a_majority_votes_on():
    said = [ask(Steps(rounds=1), scripted(echo), question) for question in ("Rome", "Oslo", "the Oslo")]
    assert said[0].keys()[-1] == "answer"
    assert dspy.majority(said).answer == "Oslo"


class Hopping(Program):
    """Searches for each word of the question, one after the other or at the same time."""

    at_once: bool = False
    named: dict | None = None

    async def aforward(self, question):
        searches = [self.find(word, 2, where=lambda passage: passage.id != "c-0") for word in question.split()]
        await together(*searches) if self.at_once else [await search for search in searches]
        await self.find("last", 1)
        return dspy.Prediction(answer="", **(self.named or {}))


@pytest.mark.parametrize("at_once", [False, True])
def test_passages_are_what_was_retrieved_where_a_program_names_none_in_the_order_of_the_searches(at_once):
    prediction = ask(Hopping(FakeRetriever(), at_once=at_once), scripted([]), "b a b c")
    assert [passage.id for passage in prediction.passages] == ["b-0", "b-1", "a-0", "a-1", "c-1", "last-0"]
    assert prediction.passages[0] == Passage("b-0", "About b", "text 0")
    for named in ([], [Passage("x", "X", "mine")]):
        assert ask(Hopping(FakeRetriever(), named={"passages": named}), scripted([]), "a b").passages == named


@pytest.mark.parametrize("budget", [None, Budget(calls=0)])
def test_passages_of_a_program_inside_count_and_so_do_those_before_the_budget_ends(budget):
    class Outer(Program):
        def __init__(self, retriever, **limits):
            super().__init__(retriever, **limits)
            self.inner = OneStep(retriever, k=2)

        async def aforward(self, question):
            await self.find("first", 1)
            inside = await self.attempt(self.inner.acall(question=question))
            return dspy.Prediction(answer="" if inside is None else inside.answer)

    prediction = ask(Outer(FakeRetriever(), budget=budget), scripted([{"answer": "A"}]), "a")
    assert [passage.id for passage in prediction.passages] == ["first-0", "a-0", "a-1"]
    assert prediction.over_budget is (budget is not None)
